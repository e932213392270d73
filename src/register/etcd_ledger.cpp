#include "register/etcd_ledger.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <optional>

#include "recovery/lease.hpp"
#include "register/clock.hpp"
#include "register/register.hpp"

namespace conch::etcd {

using recovery::View;

std::string running_value(Duration lock_delay) {
  std::string value = "running";
  if (lock_delay > Duration::zero()) value += " " + std::to_string(lock_delay.count());
  return value;
}

Duration lock_delay_in(std::string_view value) {
  auto rest = file::after("running ", value);
  auto count = rest ? file::number_in(*rest) : std::nullopt;
  bool is_sane = count && *count <= static_cast<std::uint64_t>(recovery::lock_delay_max.count());
  return is_sane ? Duration(static_cast<std::int64_t>(*count)) : Duration::zero();
}

LeaseLedger::LeaseLedger(Duration lease)
    : lease_(lease),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)) {
  for (const net::Descriptor* source : {&bell_, &timer_}) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, source->number(), &event) != 0)
      throw RegisterError("this process has too many open files: raise `ulimit -n`");
  }
}

/// Records a lease unless something newer is known. Returns true if this is the first news of the
/// lease's end.
bool LeaseLedger::note(const PeerInstance& life, const Seen& seen) {
  auto [state, revision, lock_delay] = seen;
  auto [found, is_new] = leases_.try_emplace(life);
  EtcdLease& lease = found->second;
  if (!is_new && revision <= lease.revision) return false;
  bool is_ended = state == EtcdLease::State::ended && lease.state != EtcdLease::State::ended;
  bool is_still_missing = !is_new && state == EtcdLease::State::missing && lease.state == state;
  // A missing or ended lease keeps the lock delay that its peer had asked for.
  if (state != EtcdLease::State::running) lock_delay = lease.lock_delay;
  lease = {state, revision, is_still_missing ? lease.since : file::since_boot(), lock_delay};
  return is_ended;
}

void LeaseLedger::saw(const PeerInstance& life, EtcdLease::State state, std::int64_t revision,
                      Duration lock_delay) {
  std::lock_guard guard(mutex_);
  note(life, {state, revision, lock_delay});
  set_timer();
}

void LeaseLedger::saw_all(const std::map<PeerInstance, Seen>& all, const View& view,
                          std::int64_t revision) {
  std::lock_guard guard(mutex_);
  for (const auto& [life, seen] : all) note(life, seen);
  std::erase_if(leases_, [&](const auto& known) {
    return known.second.revision <= revision && !all.contains(known.first) &&
           !view.mentions(known.first);
  });
  for (const PeerInstance& life : view.lives()) {
    EtcdLease& lease = leases_[life];
    bool was_there = lease.state != EtcdLease::State::missing || lease.revision == 0;
    if (!all.contains(life) && lease.revision <= revision && was_there)
      lease = {EtcdLease::State::missing, revision, file::since_boot(), lease.lock_delay};
  }
}

void LeaseLedger::heard(const PeerInstance& life, EtcdLease::State state, std::int64_t revision,
                        Duration lock_delay) {
  std::lock_guard guard(mutex_);
  if (note(life, {state, revision, lock_delay}) && mentioned_.contains(life)) ring(revision);
  set_timer();
}

void LeaseLedger::heard_of_view(std::int64_t revision) {
  std::lock_guard guard(mutex_);
  ring(revision);
}

void LeaseLedger::ring(std::int64_t revision) {
  if (revision <= told_) return;
  heard_ = std::max(heard_, revision);
  ::eventfd_write(bell_.number(), 1);
}

EtcdLease LeaseLedger::find(const PeerInstance& life) const {
  std::lock_guard guard(mutex_);
  auto found = leases_.find(life);
  return found == leases_.end() ? EtcdLease{} : found->second;
}

bool LeaseLedger::is_over(const EtcdLease& lease) const {
  return lease.revision > 0 && lease.state != EtcdLease::State::ended &&
         lease.since + lease_ + lease.lock_delay <= file::since_boot();
}

std::vector<PeerInstance> LeaseLedger::strangers(const View& view, std::size_t most) const {
  std::lock_guard guard(mutex_);
  std::vector<PeerInstance> found;
  for (const auto& [life, lease] : leases_)
    if (lease.state != EtcdLease::State::missing && !view.mentions(life) && found.size() < most)
      found.push_back(life);
  return found;
}

void LeaseLedger::forget() {
  std::lock_guard guard(mutex_);
  leases_.clear();
  mentioned_.clear();
  told_ = heard_ = 0;
}

void LeaseLedger::told(const View& view, std::int64_t revision) {
  std::lock_guard guard(mutex_);
  mentioned_.clear();
  for (const PeerInstance& life : view.lives()) mentioned_.insert(life);
  told_ = std::max(told_, revision);
  set_timer();
  if (heard_ > told_) return;
  eventfd_t ignored = 0;
  ::eventfd_read(bell_.number(), &ignored);
}

/// Sets the timer to the next end of a lease in the view last told.
void LeaseLedger::set_timer() {
  std::optional<Duration> next;
  for (const PeerInstance& life : mentioned_) {
    auto found = leases_.find(life);
    if (found == leases_.end() || found->second.state == EtcdLease::State::ended) continue;
    next = std::min(next.value_or(Duration::max()),
                    found->second.since + lease_ + found->second.lock_delay);
  }
  itimerspec when{};
  if (next) when.it_value = file::on_own_clock(*next);
  ::timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace conch::etcd
