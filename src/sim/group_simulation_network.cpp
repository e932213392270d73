// Group simulation: messages between lives, and the way to the register.
#include <algorithm>

#include "catalog/real_algorithms.hpp"
#include "core/print.hpp"
#include "recovery/proposals.hpp"
#include "sim/describe.hpp"
#include "sim/group_simulation_process.hpp"

namespace conch::sim {

using namespace recovery;
using node::PayloadKind;

// Other lives.

void GroupSimulation::said(const Process& sender, const PeerInstance& to,
                           std::string_view payload) {
  if (trace_ && !is_ring())
    note(sender.life, "-> " + std::to_string(to.id.value) + "  " + describe(payload));
  ++report_.messages;
  sent_[{sender.life, to}].payloads.emplace_back(payload);
}

void GroupSimulation::forgot(const Process& sender, const PeerInstance& other) {
  Sent& sent = sent_[{sender.life, other}];
  sent.beginnings.push_back(sent.payloads.size());
  sent_[{other, sender.life}].may_come_again();
}

void GroupSimulation::Sent::may_come_again() {
  for (std::size_t each = *next.rbegin(); each > 0; --each) next.insert(each - 1);
}

bool GroupSimulation::Sent::take(std::string_view payload) {
  std::set<std::size_t> possible = next;
  for (std::size_t beginning : beginnings)
    if (beginning > *next.begin()) possible.insert(beginning);
  next.clear();
  for (std::size_t each : possible)
    if (each < payloads.size() && payloads[each] == payload) next.insert(each + 1);
  return !next.empty();
}

/// Each payload comes once and in order, or never.
void GroupSimulation::heard(const Process& receiver, const PeerInstance& from,
                            std::string_view payload) {
  if (!sent_[{from, receiver.life}].take(payload))
    return findings_.report(Property::invariant, name_of(receiver.life) + " gets from " +
                                                     name_of(from) +
                                                     " what is not the next: " + describe(payload));
  see_token(receiver, payload);
}

void GroupSimulation::see_token(const Process& receiver, std::string_view payload) {
  const ViewProtocol* part = receiver.view_protocol();
  bool is_new = part && now_ - receiver.epoch_began < 4 * latency_max_;
  if (!is_new || static_cast<PayloadKind>(payload.front()) != PayloadKind::recovery) return;
  Message message;
  if (!read(payload.substr(1), algorithm_of(entry_), message).empty()) return;
  const auto* told = std::get_if<LockMessage>(&message);
  bool is_token = told && told->message && told->message->is_token;
  if (is_token && told->epoch < part->view().epoch) findings_.see(Sighting::token_in_flight);
}

std::string GroupSimulation::describe(std::string_view payload) const {
  auto kind = static_cast<PayloadKind>(payload.front());
  Message message;
  bool is_read = kind == PayloadKind::recovery &&
                 read(payload.substr(1), algorithm_of(entry_), message).empty();
  if (is_read) return sim::describe(entry_, message);
  return std::string(word(kind));
}

// The register.

void GroupSimulation::ask_register(const Process& process, const PeerInstance& asker,
                                   const RegisterRequest& ask) {
  if (trace_) note(asker, "asks the register  " + sim::describe(ask.question));
  if (asker.id != process.id) findings_.see(Sighting::asked_for_another);
  bool reaches = !cut_from_register_.contains(process.id.value) && !chance(loss_);
  if (!reaches) return;
  after(draw_latency() + register_delay_,
        [this, serial = process.serial, asker, ask] { answer(serial, asker, ask); });
}

void GroupSimulation::answer(std::uint64_t serial, const PeerInstance& asker,
                             const RegisterRequest& ask) {
  if (register_away_) return;
  if (register_full_ && !std::holds_alternative<Look>(ask.question))
    return findings_.see(Sighting::disk_full);
  Process* process = find(serial);
  View before = register_.view();
  // Where all members are dead, a stranger would found a group of its own.
  bool is_deserted = dead_members(register_.snapshot()).size() == before.roster.size();
  if (process && process->is_stranger && is_deserted) return;
  std::uint64_t refusals = register_.refusals();
  RegisterAnswer answer = register_.answer(asker, ask, register_clock_.shows(now_));
  if (register_.refusals() > refusals) findings_.see(Sighting::proposal_refused);
  if (std::holds_alternative<RenewDelayed>(ask.question))
    findings_.see(Sighting::lock_delay_counted);
  expire_in_time();
  see_view(before);
  bool comes_back = process && !cut_from_register_.contains(process->id.value) &&
                    !chance(answers_lost_) && !loses_renewal(*process, asker, ask);
  if (!comes_back) return;
  to(serial, draw_latency() + register_delay_, [this, asker, answer](Process& one) {
    call(one, [&](node::Node& node, Time now) { node.answered(asker, answer, now); });
  });
}

/// Loses a renewal's answer even when all is well, but never two in a row: the lease is renewed
/// again in time.
bool GroupSimulation::loses_renewal(Process& process, const PeerInstance& asker,
                                    const RegisterRequest& ask) {
  bool is_renewal = asker == process.life && std::holds_alternative<RenewLease>(ask.question);
  if (!is_well() || !is_renewal) return false;
  process.lost_renewal = !process.lost_renewal && client_dice_.chance(0.2);
  return process.lost_renewal;
}

/// Tells the peers that watch the register, except when the notice is lost.
void GroupSimulation::notify() {
  if (register_away_) return;
  for (const Process* process : living()) {
    bool is_told = process->reaches_register && !chance(answers_lost_) &&
                   !cut_from_register_.contains(process->id.value);
    if (!is_told) continue;
    to(process->serial, draw_latency() + register_delay_, [this](Process& one) {
      call(one, [](node::Node& node, Time now) { node.register_changed(now); });
    });
  }
}

/// Ends a life at the register, so that nobody waits for its lease, if the register can be reached.
void GroupSimulation::end_life(const PeerInstance& life) {
  if (register_away_ || cut_from_register_.contains(life.id.value)) return;
  after(draw_latency(), [this, life] {
    if (register_.end(life)) notify();
  });
}

void GroupSimulation::expire_in_time() {
  std::optional<Time> next = register_.next_expiry();
  if (!next) return;
  std::uint64_t number = ++expiry_;
  at(std::max(now_, register_clock_.when(*next)), [this, number] {
    if (number != expiry_) return;
    if (register_.expire(register_clock_.shows(now_))) notify();
    expire_in_time();
  });
}

void GroupSimulation::see_view(const View& before) {
  const View& view = register_.view();
  if (view.number == before.number) return;
  for (const Member& member : before.roster)
    if (!view.roster.contains(member.life()))
      for (auto& [name, oracle] : oracles_) oracle.gone(member.life());
  note("view " + std::to_string(view.number) + ", epoch " + std::to_string(view.epoch.value) +
       ", roster " + print(view.roster.all()) + ", decider " +
       std::to_string(view.decider.id.value) + ", evicted " + std::to_string(view.evicted.size()));
  notify();
  see_crowd(before, view);
  if (view.epoch == before.epoch) return;
  Process* decider = find(view.decider);
  bool relabelled = std::any_of(before.roster.begin(), before.roster.end(), [&](const Member& old) {
    const Member* member = view.roster.find(old.id);
    return member && member->life() == old.life() && member->cluster != old.cluster;
  });
  if (relabelled) findings_.see(Sighting::relabelled);
  bool same = view.roster.settled() == before.roster.settled() && view.forced == before.forced;
  const ViewProtocol* part = decider ? decider->view_protocol() : nullptr;
  if (same && part && part->is_worn()) findings_.see(Sighting::epoch_worn);
  if (decided_ < before.epoch) findings_.see(Sighting::recovery_overlapped);
  haunt_recovery();
}

void GroupSimulation::see_crowd(const View& before, const View& view) {
  auto has_come = [&](const Member& member) { return !before.roster.contains(member.life()); };
  if (std::count_if(view.roster.begin(), view.roster.end(), has_come) > 1)
    findings_.see(Sighting::joined_together);
  auto has_left = [&](const Member& member) {
    Process* process = view.roster.contains(member.life()) ? nullptr : find(member.life());
    return process && process->node->phase() == node::PeerPhase::leaving;
  };
  if (std::count_if(before.roster.begin(), before.roster.end(), has_left) > 1)
    findings_.see(Sighting::left_together);
}

void GroupSimulation::see_end_of(const PeerInstance& life) {
  const View& view = register_.view();
  if (view.decider == life && decided_ < view.epoch) findings_.see(Sighting::decider_died);
}

}  // namespace conch::sim
