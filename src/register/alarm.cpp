#include "register/alarm.hpp"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "register/clock.hpp"
#include "register/process.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

// Peers tell one another of new views, so this matters only when such a message is lost.
constexpr Duration look_every = std::chrono::seconds(1);
// First poll while inotify is not open yet; the interval doubles from there.
constexpr Duration look_first_after = std::chrono::milliseconds(2);

[[noreturn]] void fail(const std::string& what) {
  throw RegisterError("cannot " + what + ": " + std::strerror(errno));
}

/// Discards the contents: only the fact that something arrived matters.
void drain(const Descriptor& source) {
  std::array<char, 4096> rest;
  while (::read(source.number(), rest.data(), rest.size()) > 0) {
  }
}

}  // namespace

ChangeAlarm::ChangeAlarm(const Directory& root, Duration inotify_after)
    : root_(root),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)),
      inotify_after_(inotify_after),
      began_(since_boot()) {
  if (!epoll_ || !timer_) fail("wait for events");
  include(timer_);
}

void ChangeAlarm::open_inotify() {
  began_.reset();
  inotify_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_) return;
  include(inotify_);
}

void ChangeAlarm::include(const Descriptor& source) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, source.number(), &event) != 0)
    fail("wait for events");
}

void ChangeAlarm::silence() {
  drain(timer_);
  if (inotify_) take_news();
}

void ChangeAlarm::take_news() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  ssize_t size = 0;
  while ((size = ::read(inotify_.number(), buffer.data(), buffer.size())) > 0) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, &buffer[static_cast<std::size_t>(at)], sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
      bool has_lost_some = (event.mask & IN_Q_OVERFLOW) != 0;
      for (auto& [life, watch] : end_watches_)
        if (has_lost_some || watch.number == event.wd) watch.has_stirred = true;
    }
  }
}

bool ChangeAlarm::watch(const std::string& segment) {
  if (began_ && since_boot() - *began_ >= inotify_after_) open_inotify();
  if (segment_ == segment) return true;
  if (!inotify_) return true;
  if (segment_watch_ >= 0) ::inotify_rm_watch(inotify_.number(), segment_watch_);
  segment_watch_ =
      ::inotify_add_watch(inotify_.number(), root_.kernel_path(segment).c_str(), IN_CREATE);
  if (segment_watch_ < 0 && errno != ENOENT) inotify_ = {};
  segment_ = segment_watch_ < 0 ? "" : segment;
  silence();  // The removal of a watch is an event, too.
  return false;
}

void ChangeAlarm::ring_at(std::optional<Duration> end) {
  if (!inotify_) {
    Duration now = since_boot();
    Duration look = now + (began_ ? std::max(now - *began_, look_first_after) : look_every);
    end = std::min(end.value_or(look), look);
  }
  itimerspec when{};
  if (end) when.it_value = on_own_clock(*end);
  if (::timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &when, nullptr) != 0)
    fail("set a timer");
}

void ChangeAlarm::watch_end(const PeerInstance& life, const std::string& folder) {
  if (!inotify_) return;
  auto [found, is_new] = end_watches_.try_emplace(life);
  found->second.has_stirred = false;
  if (!is_new) return;
  int number = ::inotify_add_watch(inotify_.number(), root_.kernel_path(folder).c_str(), IN_ATTRIB);
  if (number < 0 && errno != ENOENT) inotify_ = {};
  number < 0 ? void(end_watches_.erase(found)) : void(found->second.number = number);
}

bool ChangeAlarm::is_calm(const PeerInstance& life) const {
  auto watch = end_watches_.find(life);
  return inotify_ && watch != end_watches_.end() && !watch->second.has_stirred;
}

void ChangeAlarm::watch_process(const PeerInstance& life, Descriptor process) {
  include(process);
  processes_.insert_or_assign(life, std::move(process));
}

bool ChangeAlarm::has_died(const PeerInstance& life) {
  auto found = processes_.find(life);
  if (found == processes_.end()) return false;
  if (found->second && has_ended(found->second)) found->second = {};
  return !found->second;
}

void ChangeAlarm::keep(const std::set<PeerInstance>& lives) {
  std::erase_if(processes_, [&](const auto& entry) { return !lives.contains(entry.first); });
  std::erase_if(end_watches_, [&](const auto& entry) {
    bool ends = !lives.contains(entry.first);
    if (ends && inotify_) ::inotify_rm_watch(inotify_.number(), entry.second.number);
    return ends;
  });
}

}  // namespace conch::file
