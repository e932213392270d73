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

constexpr Duration look_every = std::chrono::milliseconds(200);
// While there is no inotify yet: after this time, and again when twice as much has passed.
constexpr Duration look_first_after = std::chrono::milliseconds(2);

[[noreturn]] void fail(const std::string& what) {
  throw RegisterError("cannot " + what + ": " + std::strerror(errno));
}

/// Nothing is ever read but that something was there.
void drain(const Descriptor& source) {
  std::array<char, 4096> rest;
  while (::read(source.number(), rest.data(), rest.size()) > 0) {
  }
}

}  // namespace

Alarm::Alarm(const Directory& root, Duration inotify_after)
    : root_(root),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)),
      inotify_after_(inotify_after),
      began_(since_boot()) {
  if (!epoll_ || !timer_) fail("wait for events");
  include(timer_);
}

void Alarm::open_inotify() {
  began_.reset();
  inotify_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_) return;
  include(inotify_);
  // A lease that is ended touches its folder.
  if (::inotify_add_watch(inotify_.number(), root_.kernel_path(".").c_str(), IN_ATTRIB) < 0)
    inotify_ = {};
}

void Alarm::include(const Descriptor& source) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, source.number(), &event) != 0)
    fail("wait for events");
}

void Alarm::silence() {
  drain(timer_);
  if (inotify_) drain(inotify_);
}

bool Alarm::watch(const std::string& segment) {
  if (began_ && since_boot() - *began_ >= inotify_after_) open_inotify();
  if (segment_ == segment) return true;
  if (!inotify_) return true;
  if (segment_watch_ >= 0) ::inotify_rm_watch(inotify_.number(), segment_watch_);
  segment_watch_ =
      ::inotify_add_watch(inotify_.number(), root_.kernel_path(segment).c_str(), IN_CREATE);
  if (segment_watch_ < 0 && errno != ENOENT) inotify_ = {};
  segment_ = segment_watch_ < 0 ? "" : segment;
  silence();  // The end of a watch is an event, too.
  return false;
}

void Alarm::ring_at(std::optional<Duration> end) {
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

void Alarm::watch(const recovery::Life& life, Descriptor process) {
  include(process);
  processes_.insert_or_assign(life, std::move(process));
}

bool Alarm::has_died(const recovery::Life& life) {
  auto found = processes_.find(life);
  if (found == processes_.end()) return false;
  if (found->second && has_ended(found->second)) found->second = {};
  return !found->second;
}

void Alarm::keep(const std::set<recovery::Life>& lives) {
  std::erase_if(processes_, [&](const auto& entry) { return !lives.contains(entry.first); });
}

}  // namespace conch::file
