#include "peer/driver.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <tuple>

namespace conch::peer {

namespace {

/// How long the background thread waits for another driver before it takes over. The delay doubles
/// each time that a thread drives again by then.
constexpr Duration takeover_delay_min = std::chrono::microseconds(200);
constexpr Duration takeover_delay_max = std::chrono::milliseconds(10);

}  // namespace

Driver::Driver(std::mutex& mutex, Driven& driven)
    : mutex_(mutex),
      driven_(driven),
      background_wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      takeover_timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (!background_wake_ || !takeover_timer_)
    throw Error(ErrorCode::exhausted, "this process has too many open files: raise `ulimit -n`");
}

void Driver::start(net::Sockets& sockets) {
  sockets_ = &sockets;
  thread_ = std::thread([this] { background(); });
}

void Driver::stop() {
  {
    std::lock_guard guard(mutex_);
    stopping_ = true;
    rouse_background();
  }
  thread_.join();
}

void Driver::await_nobody(Guard& guard) {
  nobody_waits_.wait(guard, [&] { return waiting_.empty(); });
}

void Driver::call_later(std::function<void()> callback) {
  callbacks_.push_back(std::move(callback));
  rouse_background();
}

void Driver::wait(ThreadClaim& claim, std::optional<Time> until, Guard& guard) {
  // Another thread may give this request up and make a new one; this call ignores the new one.
  auto is_waiting = [&claim, asked = claim.asked] {
    return claim.state == Claim::State::waiting && claim.asked == asked;
  };
  if (!is_waiting()) return;
  waiting_.push_back(&claim);
  bool driving = false;
  while (is_waiting()) {
    if (until && *until <= net::steady_now()) break;
    if (driving || !thread_drives_) {
      if (!std::exchange(driving, true)) start_driving();
      drive(claim, until, guard);
    } else if (until) {
      claim.woken.wait_for(guard, *until - net::steady_now());
    } else {
      claim.woken.wait(guard);
    }
  }
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &claim));
  if (driving) thread_drives_ = false;
  if (!thread_drives_) find_driver();
  if (waiting_.empty()) nobody_waits_.notify_all();
}

void Driver::start_driving() {
  thread_drives_ = true;
  if (background_drives_) rouse_background();
}

void Driver::drive(ThreadClaim& claim, std::optional<Time> until, Guard& guard) {
  Time wakes_at = std::min(until.value_or(Time::max()), driven_.wakes());
  driver_until_ = wakes_at;
  claim.driven = sockets_;
  guard.unlock();
  net::Readiness ready = sockets_->wait(wakes_at);
  guard.lock();
  claim.driven = nullptr;
  driver_until_ = Time::min();  // No wake-up needed: we look at the clock before we wait.
  driven_.work(ready);
}

/// Chooses another waiting thread, or the background thread after the delay.
void Driver::find_driver() {
  if (!waiting_.empty()) return waiting_.front()->woken.notify_one();
  if (background_drives_ || std::exchange(takeover_due_, true)) return;
  takeover_delay_ = std::clamp(takeover_delay_, takeover_delay_min, takeover_delay_max);
  itimerspec soon{{0, 0}, {0, takeover_delay_.count()}};
  ::timerfd_settime(takeover_timer_.number(), 0, &soon, nullptr);
}

void Driver::background() {
  Guard guard(mutex_);
  while (!stopping_ || !callbacks_.empty()) {
    if (!callbacks_.empty()) {
      call_back(guard);
    } else if (thread_drives_) {
      stand_by(guard);
    } else {
      drive_in_background(guard);
    }
  }
}

void Driver::call_back(Guard& guard) {
  std::vector<std::function<void()>> callbacks = std::exchange(callbacks_, {});
  guard.unlock();
  for (const auto& callback : callbacks) callback();
  guard.lock();
}

/// Waits until no thread has driven for the delay, or this thread is woken.
void Driver::stand_by(Guard& guard) {
  guard.unlock();
  std::array<pollfd, 2> sources{
      {{background_wake_.number(), POLLIN, 0}, {takeover_timer_.number(), POLLIN, 0}}};
  ::poll(sources.data(), sources.size(), -1);
  std::uint64_t ignored = 0;
  for (const pollfd& source : sources)
    if (source.revents != 0) std::ignore = ::read(source.fd, &ignored, sizeof ignored);
  guard.lock();
  if (std::exchange(takeover_due_, false)) takeover_delay_ *= thread_drives_ ? 2 : 0;
}

void Driver::drive_in_background(Guard& guard) {
  background_drives_ = true;
  Time wakes_at = driven_.wakes();
  driver_until_ = wakes_at;
  guard.unlock();
  Duration rest = std::max(wakes_at - net::steady_now(), Duration::zero());
  std::array<pollfd, 2> sources{
      {{background_wake_.number(), POLLIN, 0}, {sockets_->descriptor(), POLLIN, 0}}};
  timespec timeout{rest.count() / 1'000'000'000, rest.count() % 1'000'000'000};
  ::ppoll(sources.data(), sources.size(), wakes_at == Time::max() ? nullptr : &timeout, nullptr);
  std::uint64_t ignored = 0;
  if (sources[0].revents != 0)
    std::ignore = ::read(background_wake_.number(), &ignored, sizeof ignored);
  net::Readiness ready = sockets_->wait(Time::min());
  guard.lock();
  background_drives_ = false;
  if (!thread_drives_) driver_until_ = Time::min();
  if (!thread_drives_ || ready.count > 0) driven_.work(ready);
}

void Driver::ring_again() {
  for (const ThreadClaim* claim : waiting_)
    if (claim->driven && claim->state != Claim::State::waiting) claim->driven->poke();
}

void Driver::rouse() {
  if (driven_.wakes() >= driver_until_) return;
  thread_drives_ ? sockets_->poke() : rouse_background();
}

void Driver::rouse_background() const { ::eventfd_write(background_wake_.number(), 1); }

}  // namespace conch::peer
