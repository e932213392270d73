// Survival: channels between lives over a network that delays, parts and breaks; and the way to the
// register.
#include <algorithm>

#include "catalog/real_algorithms.hpp"
#include "core/print.hpp"
#include "sim/describe.hpp"
#include "sim/survival_process.hpp"

namespace conch::sim {

using namespace recovery;
using node::PayloadKind;

// Other lives.

bool Survival::send(Process& from, const Life& to, std::string_view payload) {
  Channel& channel = channels_[{from.life, to}];
  if (!from.known.contains(to) || channel.is_broken) return false;
  if (trace_ && !is_ring())
    note(from.life, "-> " + std::to_string(to.id.value) + "  " + describe(payload));
  ++report_.messages;
  Time arrival = now_ + draw_latency();
  // A connection breaks, and what was on its way is said again on the next.
  if (chance(loss_)) arrival += draw({}, options_.lease.length / 4);
  channel.last_arrival = std::max(channel.last_arrival, arrival);
  channel.letters.push_back({std::string(payload), now_, from.epoch});
  channel.unacknowledged.push_back(now_);
  at(channel.last_arrival, [this, life = from.life, to] { arrive(life, to); });
  return true;
}

void Survival::arrive(const Life& from, const Life& to) {
  auto found = channels_.find({from, to});
  Process* receiver = find(to);
  if (found == channels_.end() || found->second.letters.empty() || !receiver) return;
  if (is_cut(from.id, to.id)) return after(latency_max_, [this, from, to] { arrive(from, to); });
  if (receiver->stopped)
    return receiver->missed.push_back([this, from, to](Process&) { arrive(from, to); });
  if (found->second.is_torn)
    return break_channel(from, to, "one of the two has forgotten the other");
  found->second.was_used = true;
  Channel::Letter letter = std::move(found->second.letters.front());
  found->second.letters.pop_front();
  receiver->known.insert(from);
  see_token(*receiver, letter);
  after(draw_latency(), [this, from, to] { acknowledge(from, to); });
  call(*receiver, [&](node::Node& node, Time now) { node.delivered(from, letter.payload, now); });
}

void Survival::acknowledge(const Life& from, const Life& to) {
  if (is_cut(to.id, from.id))
    return after(latency_max_, [this, from, to] { acknowledge(from, to); });
  auto found = channels_.find({from, to});
  if (found != channels_.end() && !found->second.unacknowledged.empty())
    found->second.unacknowledged.pop_front();
}

std::vector<std::pair<recovery::Life, Duration>> Survival::Process::unacknowledged(Time) const {
  std::vector<std::pair<Life, Duration>> silent;
  for (auto it = w_.channels_.lower_bound({life, Life{}}); it != w_.channels_.end(); ++it) {
    if (it->first.first != life) break;
    const std::deque<Time>& sent = it->second.unacknowledged;
    if (!sent.empty()) silent.emplace_back(it->first.second, w_.now_ - sent.front());
  }
  return silent;
}

/// Nothing more goes from one to the other, and the one is told.
void Survival::break_channel(const Life& from, const Life& to, const std::string& why) {
  Channel& channel = channels_[{from, to}];
  channel.is_broken = true;
  channel.letters.clear();
  channel.unacknowledged.clear();
  const Process* sender = find(from);
  if (!sender) return;
  this->to(sender->serial, draw_latency(), [this, from, to, why](Process& one) {
    if (one.life != from) return;
    call(one, [&](node::Node& node, Time now) { node.broken(to, why, now); });
  });
}

void Survival::Process::forget(const Life& other) {
  known.erase(other);
  if (auto found = w_.channels_.find({life, other}); found != w_.channels_.end()) {
    found->second.letters.clear();
    found->second.unacknowledged.clear();
    found->second.is_torn = found->second.was_used;
  }
  if (auto found = w_.channels_.find({other, life}); found != w_.channels_.end())
    found->second.is_torn = found->second.was_used;
}

/// Until somebody is there.
void Survival::contact(std::uint64_t serial, const std::string& address) {
  if (!find(serial)->contacting.insert(address).second) return;
  to(serial, draw_latency(), [this, address](Process& one) {
    one.contacting.erase(address);
    Process* there = newest(NodeId{std::stoull(address)});
    bool answers = there && there != &one && !there->stopped && !is_cut(one.id, there->id) &&
                   !is_cut(there->id, one.id);
    if (!answers) {
      one.contacting.insert(address);
      return to(one.serial, options_.lease.length / 8, [this, address](Process& again) {
        again.contacting.erase(address);
        contact(again.serial, address);
      });
    }
    Life life = there->life;
    one.known.insert(life);
    call(one, [&](node::Node& node, Time) { node.contacted(life); });
  });
}

void Survival::see_token(const Process& receiver, const Channel::Letter& letter) {
  const Participant* part = receiver.participant();
  bool is_old = part && letter.epoch < part->view().epoch;
  if (!is_old || static_cast<PayloadKind>(letter.payload.front()) != PayloadKind::recovery) return;
  Message message;
  if (!read(std::string_view(letter.payload).substr(1), algorithm_of(entry_), message).empty())
    return;
  const auto* told = std::get_if<Told>(&message);
  bool is_token = told && told->message && told->message->is_token;
  if (is_token && told->epoch < part->view().epoch) findings_.see(Sighting::token_in_flight);
}

std::string Survival::describe(std::string_view payload) const {
  auto kind = static_cast<PayloadKind>(payload.front());
  Message message;
  bool is_read = kind == PayloadKind::recovery &&
                 read(payload.substr(1), algorithm_of(entry_), message).empty();
  if (is_read) return sim::describe(entry_, message);
  return std::string(word(kind));
}

// The register.

void Survival::ask_register(const Process& process, const Life& asker, const Ask& ask) {
  if (trace_) note(asker, "asks the register  " + sim::describe(ask.question));
  if (asker.id != process.id) findings_.see(Sighting::asked_for_another);
  bool reaches = !cut_from_register_.contains(process.id.value) && !chance(loss_);
  if (!reaches) return;
  after(draw_latency() + register_delay_,
        [this, serial = process.serial, asker, ask] { answer(serial, asker, ask); });
}

void Survival::answer(std::uint64_t serial, const Life& asker, const Ask& ask) {
  if (register_away_) return;
  if (register_full_ && !std::holds_alternative<Look>(ask.question))
    return findings_.see(Sighting::disk_full);
  View before = register_.view();
  std::uint64_t refusals = register_.refusals();
  Answer answer = register_.answer(ask, register_clock_.shows(now_));
  if (register_.refusals() > refusals) findings_.see(Sighting::proposal_refused);
  if (std::holds_alternative<RenewDelayed>(ask.question))
    findings_.see(Sighting::lock_delay_counted);
  expire_in_time();
  see_view(before);
  const Process* process = find(serial);
  bool comes_back =
      process && !cut_from_register_.contains(process->id.value) && !chance(answers_lost_);
  if (!comes_back) return;
  to(serial, draw_latency() + register_delay_, [this, asker, answer](Process& one) {
    call(one, [&](node::Node& node, Time now) { node.answered(asker, answer, now); });
  });
}

/// Everybody who watches is told, usually.
void Survival::notify() {
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

/// Nobody need wait for its lease. Who cannot tell the register does not.
void Survival::end_life(const Life& life) {
  if (register_away_ || cut_from_register_.contains(life.id.value)) return;
  after(draw_latency(), [this, life] {
    if (register_.end(life)) notify();
  });
}

void Survival::expire_in_time() {
  std::optional<Time> next = register_.next_expiry();
  if (!next) return;
  std::uint64_t number = ++expiry_;
  at(std::max(now_, register_clock_.when(*next)), [this, number] {
    if (number != expiry_) return;
    if (register_.expire(register_clock_.shows(now_))) notify();
    expire_in_time();
  });
}

void Survival::see_view(const View& before) {
  const View& view = register_.view();
  if (view.number == before.number) return;
  for (const Member& member : before.roster)
    if (!view.roster.contains(member.life()))
      for (auto& [name, oracle] : oracles_) oracle.gone(member.life());
  note("view " + std::to_string(view.number) + ", epoch " + std::to_string(view.epoch.value) +
       ", roster " + print(view.roster.all()) + ", decider " +
       std::to_string(view.decider.id.value) + ", evicted " + std::to_string(view.evicted.size()));
  notify();
  if (view.epoch == before.epoch) return;
  Process* decider = find(view.decider);
  bool relabelled = std::any_of(before.roster.begin(), before.roster.end(), [&](const Member& old) {
    const Member* member = view.roster.find(old.id);
    return member && member->life() == old.life() && member->cluster != old.cluster;
  });
  if (relabelled) findings_.see(Sighting::relabelled);
  bool same = view.roster.settled() == before.roster.settled() && view.forced == before.forced;
  const Participant* part = decider ? decider->participant() : nullptr;
  if (same && part && part->is_worn()) findings_.see(Sighting::epoch_worn);
  if (decided_ < before.epoch) findings_.see(Sighting::recovery_overlapped);
  haunt_recovery();
}

void Survival::see_end_of(const Life& life) {
  const View& view = register_.view();
  if (view.decider == life && decided_ < view.epoch) findings_.see(Sighting::decider_died);
}

}  // namespace conch::sim
