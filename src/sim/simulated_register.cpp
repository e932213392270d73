#include "sim/simulated_register.hpp"

#include <algorithm>

namespace conch::sim {

using namespace recovery;

RegisterAnswer SimulatedRegister::answer(const RegisterRequest& ask, Time now) {
  expire(now);
  bool yes = std::visit([&](const auto& question) { return take(question, now); }, ask.question);
  RegisterAnswer answer{ask.number, yes, snapshot()};
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  answer.standing.epoch_floor = Epoch{static_cast<std::uint32_t>(seconds.count())};
  return answer;
}

bool SimulatedRegister::take(const Propose& propose, Time now) {
  if (propose.view == view_) return true;  // the answer was lost
  if (propose.view.number != view_.number + 1) {
    ++refusals_;
    return false;
  }
  if (view_.epoch != propose.view.epoch) ++epochs_;
  view_ = propose.view;
  for (const Member& member : view_.roster)
    if (!ended_.contains(member.life())) leases_.try_emplace(member.life(), now + terms_.length);
  return true;
}

bool SimulatedRegister::take(const RenewLease& renew, Time now) {
  if (!view_.has_tenant(renew.life) || ended_.contains(renew.life)) return false;
  auto lease = leases_.find(renew.life);
  if (lease != leases_.end() && lease->second <= now) return false;  // it has ended for its peer
  leases_[renew.life] = now + terms_.length;
  return true;
}

bool SimulatedRegister::take(const RenewDelayed& renew, Time now) {
  Duration& delay = delays_[renew.life];
  delay = std::max(delay, renew.lock_delay);
  return take(RenewLease{renew.life}, now);
}

Duration SimulatedRegister::lock_delay(const PeerInstance& life) const {
  auto found = delays_.find(life);
  return found == delays_.end() ? Duration{} : found->second;
}

bool SimulatedRegister::expire(Time now) {
  std::size_t before = ended_.size();
  for (const auto& [life, until] : leases_)
    if (until + lock_delay(life) <= now) ended_.insert(life);
  std::erase_if(leases_, [&](const auto& lease) { return ended_.contains(lease.first); });
  return ended_.size() > before;
}

bool SimulatedRegister::end(const PeerInstance& life) {
  if (leases_.erase(life) == 0) return false;
  ended_.insert(life);
  return true;
}

std::optional<Time> SimulatedRegister::next_expiry() const {
  std::optional<Time> next;
  for (const auto& [life, until] : leases_)
    if (!next || until + lock_delay(life) < *next) next = until + lock_delay(life);
  return next;
}

RegisterSnapshot SimulatedRegister::snapshot() const {
  RegisterSnapshot snapshot{view_, {}};
  for (const PeerInstance& life : view_.lives())
    if (ended_.contains(life)) snapshot.ended.push_back(life);
  return snapshot;
}

}  // namespace conch::sim
