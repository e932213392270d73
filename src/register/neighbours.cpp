#include "register/neighbours.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <utility>

#include "register/process.hpp"
#include "register/register.hpp"

namespace conch::file {

using recovery::View;

namespace {
constexpr Duration look_again_after = std::chrono::milliseconds(10);
}

Neighbours::Neighbours(const std::string& folder)
    : folder_(folder),
      root_(folder),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  epoll_event event{};
  event.events = EPOLLIN;
  bool can_wait =
      epoll_ && timer_ && ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, timer_.number(), &event) == 0;
  if (!can_wait) throw RegisterError("this process has too many open files: raise `ulimit -n`");
}

Neighbours::~Neighbours() {
  try {
    if (mine_) root_.remove(name_of_life(*mine_));
  } catch (const RegisterError&) {  // A neighbour removes it.
  }
}

/// The folder may have been removed. Peers that start later have their marks in the new one; ours
/// stays where it was, because a keeper may have locked it.
const Directory& Neighbours::root() try {
  if (!root_.is_in_place()) root_ = Directory(folder_);
  return root_;
} catch (const RegisterError&) {
  return root_;  // The parent folder has gone, too; the peer creates it again.
}

/// The mark is locked before it gets its name, or a neighbour could take us for dead.
void Neighbours::attach(const PeerInstance& life) {
  std::string unnamed = "new." + unique_tag();
  Descriptor mark = mark_as_mine(root(), unnamed);
  root().rename(unnamed, name_of_life(life));
  if (mine_ && *mine_ != life) root().remove(name_of_life(*mine_));
  mine_ = life;
  mark_ = std::move(mark);
}

Descriptor Neighbours::proof(const PeerInstance& life) const {
  if (mine_ != life) return {};
  return file::keep(mark_, root_.path(name_of_life(life)));
}

/// Setting the timer also makes it unreadable.
void Neighbours::look_again_for(const PeerInstance& life, bool is_kept) {
  bool was_kept = is_kept ? !kept_.insert(life).second : kept_.erase(life) > 0;
  if (!is_kept && !was_kept) return;
  itimerspec soon{{0, 0}, {0, kept_.empty() ? 0 : look_again_after.count()}};
  ::timerfd_settime(timer_.number(), 0, &soon, nullptr);
}

bool Neighbours::has_died(const PeerInstance& life) {
  auto watched = processes_.find(life);
  if (watched == processes_.end()) {
    if (Descriptor process = watch_process(root(), name_of_life(life))) {
      epoll_event event{};
      event.events = EPOLLIN;
      if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, process.number(), &event) == 0)
        watched = processes_.emplace(life, std::move(process)).first;
    }
  }
  bool is_watched = watched != processes_.end();
  if (is_watched && watched->second && has_ended(watched->second)) watched->second = {};
  bool seen_dead = is_watched && !watched->second;
  Pulse pulse = pulse_of(root(), name_of_life(life), seen_dead);
  look_again_for(life, pulse == Pulse::kept);
  return pulse == Pulse::gone;
}

void Neighbours::keep(const View& mentioned) {
  std::erase_if(processes_, [&](const auto& each) { return !mentioned.mentions(each.first); });
  for (const PeerInstance& life : std::set(kept_))
    if (!mentioned.mentions(life)) look_again_for(life, false);
  for (const std::string& name : root().list().value_or(std::vector<std::string>{})) {
    auto life = life_named(name);
    if (life && !mentioned.mentions(*life) && pulse_of(root(), name, false) == Pulse::gone)
      root().remove(name);
  }
}

}  // namespace conch::file
