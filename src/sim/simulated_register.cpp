#include "sim/simulated_register.hpp"

#include <algorithm>

namespace conch::sim {

using namespace recovery;

RegisterAnswer SimulatedRegister::answer(const PeerInstance& asker, const RegisterRequest& ask,
                                         Time now) {
  expire(now);
  const auto* propose = std::get_if<Propose>(&ask.question);
  bool is_next = propose && propose->view.number == view_.number + 1;
  bool reads_all = is_next && puts_out(propose->view, view_);
  bool yes = std::visit([&](const auto& question) { return take(question, now); }, ask.question);
  RegisterAnswer answer{ask.number, yes, snapshot_for(asker), waiting(asker, now)};
  if (reads_all) answer.standing.ended = snapshot().ended;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  answer.standing.epoch_floor = Epoch{static_cast<std::uint32_t>(seconds.count())};
  return answer;
}

bool SimulatedRegister::take(const Propose& propose, Time now) {
  if (propose.view == view_) return true;  // the answer was lost
  bool is_next = propose.view.number == view_.number + 1;
  if (!is_next || (puts_out(propose.view, view_) && spares_the_dead(propose.view, snapshot()))) {
    ++refusals_;
    return false;
  }
  if (view_.epoch != propose.view.epoch) ++epochs_;
  view_ = propose.view;
  accepted_ = now;
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

bool SimulatedRegister::take(const AnnounceJoin& announced, Time now) {
  joining_[announced.newcomer.member.life()] = {announced.newcomer, now};
  return true;
}

bool SimulatedRegister::take(const AnnounceLeave& announced, Time) {
  leaving_.insert(announced.life);
  return true;
}

/// A newcomer announces itself again and again; one that has died is passed over.
Waiting SimulatedRegister::waiting(const PeerInstance& asker, Time now) const {
  Waiting waiting{.view_age = view_.number == 0 ? Duration::max() : now - accepted_};
  if (leaving_.contains(asker) && view_.roster.contains(asker)) {
    for (const PeerInstance& life : leaving_) {
      if (life == asker || !view_.roster.contains(life) || ended_.contains(life)) continue;
      if (life < asker) waiting.is_behind = true;
      waiting.leavers.push_back(life);
    }
  } else if (!view_.roster.contains(asker)) {
    for (const auto& [life, announced] : joining_) {
      bool is_alive = now < announced.at + terms_.length;
      if (life == asker || view_.mentions(life) || !is_alive) continue;
      if (life < asker) waiting.is_behind = true;
      waiting.newcomers.push_back(announced.newcomer);
    }
  }
  if (waiting.is_behind) waiting.newcomers.clear(), waiting.leavers.clear();
  return waiting;
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

/// A peer is told of the leases that it watches.
RegisterSnapshot SimulatedRegister::snapshot_for(const PeerInstance& asker) const {
  RegisterSnapshot told{view_, {}};
  std::set<PeerInstance> ended;
  auto has_ended = [&](const PeerInstance& life) {
    return ended_.contains(life) && (ended.insert(life), true);
  };
  if (view_.mentions(asker)) has_ended(asker);
  walk_watched(view_, asker, has_ended, watched_);
  told.ended.assign(ended.begin(), ended.end());
  return told;
}

RegisterSnapshot SimulatedRegister::snapshot() const {
  RegisterSnapshot snapshot{view_, {}};
  for (const PeerInstance& life : view_.lives())
    if (ended_.contains(life)) snapshot.ended.push_back(life);
  return snapshot;
}

}  // namespace conch::sim
