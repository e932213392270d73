// Who waits for the sockets, and what is done when something has happened.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "peer/claim_survey.hpp"
#include "peer/clients.hpp"
#include "peer/engine.hpp"
#include "peer/inquiries.hpp"
#include "peer/rangefinder.hpp"

namespace conch::peer {

namespace {

/// How long nobody drives before the background thread takes over: doubled each time that a thread
/// drives again by then.
constexpr Duration takeover_delay_min = std::chrono::microseconds(200);
constexpr Duration takeover_delay_max = std::chrono::milliseconds(10);

constexpr Duration housekeeping_period_max = std::chrono::seconds(1);
constexpr Duration forgetting_period = std::chrono::seconds(10);

}  // namespace

void Engine::wait(ThreadClaim& claim, std::optional<Time> until, Guard& guard) {
  // Another thread may give it up, and ask anew: that is none of ours.
  auto is_waiting = [&claim, asked = claim.asked] {
    return claim.state == Claim::State::waiting && claim.asked == asked;
  };
  if (!is_waiting()) return;
  waiting_threads_.push_back(&claim);
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
  waiting_threads_.erase(std::find(waiting_threads_.begin(), waiting_threads_.end(), &claim));
  if (driving) thread_drives_ = false;
  if (!thread_drives_) find_driver();
  if (stopping_) phase_changed_.notify_all();
}

void Engine::wait(ThreadClaim& claim, const Deadline& deadline, Guard& guard) {
  Time asked = claim.asked;
  while (claim.state == Claim::State::waiting && claim.asked == asked) {
    Duration left = deadline.left();
    if (left == Duration::zero()) return;
    wait(claim, until(left), guard);
  }
}

void Engine::start_driving() {
  thread_drives_ = true;
  if (background_drives_) rouse_background();
}

void Engine::drive(ThreadClaim& claim, std::optional<Time> until, Guard& guard) {
  Time wakes_at = std::min(until.value_or(Time::max()), wakes());
  driver_until_ = wakes_at;
  claim.driven = courier_.get();
  guard.unlock();
  net::Readiness ready = courier_->wait(wakes_at);
  guard.lock();
  claim.driven = nullptr;
  driver_until_ = Time::min();  // Nobody need be woken: we look at the clock before we wait.
  work(ready);
}

/// Another thread that waits, or the background thread in a moment.
void Engine::find_driver() {
  if (!waiting_threads_.empty()) return waiting_threads_.front()->woken.notify_one();
  if (background_drives_ || std::exchange(takeover_due_, true)) return;
  takeover_delay_ = std::clamp(takeover_delay_, takeover_delay_min, takeover_delay_max);
  itimerspec soon{{0, 0}, {0, takeover_delay_.count()}};
  ::timerfd_settime(takeover_timer_.number(), 0, &soon, nullptr);
}

void Engine::background() {
  Guard guard(mutex_);
  while (!stopping_) {
    if (!callbacks_.empty()) {
      call_back(guard);
    } else if (thread_drives_) {
      stand_by(guard);
    } else {
      drive_in_background(guard);
    }
  }
}

void Engine::call_back(Guard& guard) {
  std::vector<std::function<void()>> callbacks = std::exchange(callbacks_, {});
  guard.unlock();
  for (const auto& callback : callbacks) callback();
  guard.lock();
}

/// Until nobody has driven for a moment, or somebody wakes this thread.
void Engine::stand_by(Guard& guard) {
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

void Engine::drive_in_background(Guard& guard) {
  background_drives_ = true;
  Time wakes_at = wakes();
  driver_until_ = wakes_at;
  guard.unlock();
  Duration rest = std::max(wakes_at - net::steady_now(), Duration::zero());
  std::array<pollfd, 2> sources{
      {{background_wake_.number(), POLLIN, 0}, {courier_->descriptor(), POLLIN, 0}}};
  timespec timeout{rest.count() / 1'000'000'000, rest.count() % 1'000'000'000};
  ::ppoll(sources.data(), sources.size(), wakes_at == Time::max() ? nullptr : &timeout, nullptr);
  std::uint64_t ignored = 0;
  if (sources[0].revents != 0)
    std::ignore = ::read(background_wake_.number(), &ignored, sizeof ignored);
  net::Readiness ready = courier_->wait(Time::min());
  guard.lock();
  background_drives_ = false;
  if (!thread_drives_) driver_until_ = Time::min();
  if (!thread_drives_ || ready.count > 0) work(ready);
}

void Engine::work(const net::Readiness& ready) {
  work_now_ = net::steady_now();
  courier_->work(ready, work_now_, *this);
  look_after(work_now_);
  settle(work_now_);
  ring_again();
  beat_if_due(work_now_);
}

void Engine::beat_every(Duration period, std::function<void()> beat) {
  beat_period_ = period;
  beat_ = std::move(beat);
  next_beat_ = net::steady_now();
  rouse_driver();
}

/// A peer that its group refuses can do nothing more: its silence says so.
void Engine::beat_if_due(Time now) {
  if (now < next_beat_) return;
  next_beat_ = phase_ == Phase::failed ? Time::max() : now + beat_period_;
  if (phase_ != Phase::failed) beat_();
}

/// Who has heard the bell may not be whom it rang for: a thread that drives sleeps on if somebody
/// else has silenced it.
void Engine::ring_again() {
  for (const ThreadClaim* claim : waiting_threads_)
    if (claim->driven && claim->state != Claim::State::waiting) claim->driven->poke();
}

Time Engine::wakes() const {
  Time steward = steward_ ? steward_->wakes() : Time::max();
  return std::min({steward, courier_->wakes(), timers_.next(), clients_->wakes(),
                   inquiries_->wakes(), claim_survey_->wakes(), rangefinder_->wakes(),
                   next_housekeeping_, next_beat_});
}

void Engine::look_at_clock() {
  Time now = net::steady_now();
  look_after(now);
  settle(now);
}

void Engine::look_after(Time now) {
  if (!steward_ || broken_) return;
  if (steward_->wakes() <= now) steward_->tick(now, effects_);
  while (auto due = timers_.take(now))
    steward_->timer(now, due->lock, due->epoch, due->timer, effects_);
  clients_->look_after(now);
  inquiries_->look_after(now);
  claim_survey_->look_after(now);
  rangefinder_->look_after(now);
  if (next_housekeeping_ <= now) keep_house(now);
}

void Engine::keep_house(Time now) {
  next_housekeeping_ = now + std::min(terms_.length / 8, housekeeping_period_max);
  look_after_socket();
  // Who is not in sees no view, and would not learn that its contacts have all died since.
  bool asks_in_vain = !steward_->lease_until() && contacts_sought_ + terms_.length < now;
  if (asks_in_vain && !register_ && !is_ring()) find_contacts_again();
  if (!register_ && !is_ring() && contacts_.empty())
    for (const std::string& address : options_.join) courier_->contact(address);
  for (const auto& [life, unacknowledged] : courier_->unacknowledged(now))
    steward_->silent(now, life, unacknowledged, effects_);
  std::erase_if(known_lives_, [&](const auto& known) {
    bool forgotten = known.second && *known.second + 2 * terms_.length < now;
    if (forgotten) courier_->forget(known.first);
    return forgotten;
  });
  if (now < next_forgetting_) return;
  next_forgetting_ = now + forgetting_period;
  steward_->forget_idle();
  drop_idle_desks();
}

/// Whoever waits must know when to wake.
void Engine::rouse_driver() {
  if (wakes() >= driver_until_) return;
  thread_drives_ ? courier_->poke() : rouse_background();
}

void Engine::rouse_background() const { ::eventfd_write(background_wake_.number(), 1); }

}  // namespace conch::peer
