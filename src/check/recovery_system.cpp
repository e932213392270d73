#include "check/recovery_system.hpp"

#include "core/print.hpp"

namespace conch::check::group {

using sim::Property;

std::string GroupSystem::name(InstanceNumber slot) const {
  return std::to_string(slot % setting().nodes) + std::string(slot / setting().nodes, '\'');
}

const Facts& GroupSystem::facts(PeerNumber peer) {
  while (peer >= facts_.size()) facts_.push_back(nullptr);
  if (facts_[peer] == nullptr) facts_[peer] = &model_.facts(peer);
  return *facts_[peer];
}

const GroupSystem::ViewFacts& GroupSystem::view(ViewNumber number) {
  while (number >= views_.size()) views_.push_back({});
  std::optional<ViewFacts>& known = views_[number];
  if (known) return *known;
  const View& view = model_.view(number);
  known = ViewFacts{view.epoch, view.number, 0, 0, 0};
  for (const recovery::Member& member : view.roster)
    known->roster |= 1U << setting().slot(member.life());
  for (const PeerInstance& life : view.lives()) {
    known->concerned |= 1U << setting().slot(life);
    if (view.has_tenant(life)) known->tenants |= 1U << setting().slot(life);
  }
  return *known;
}

const InputOutcome& GroupSystem::outcome(PeerNumber peer, const PackedInput& input) {
  return known_.get(input.key(peer),
                    [&]() -> const InputOutcome& { return model_.apply(peer, input); });
}

/// Whether a peer still needs to know if this slot's lease has ended.
bool GroupSystem::concerns(const State& state, InstanceNumber slot) {
  return (view(state).concerned >> slot & 1) != 0;
}

/// A paused holder whose lease has ended does not count: when it wakes, it learns that it has lost
/// the lock before it does anything else.
bool GroupSystem::counts_as_inside(const State& state, InstanceNumber slot) {
  bool late = state.status(slot) == PeerStatus::paused && state.has_ended(slot);
  return state.lives(slot) && !late && facts(state, slot).doing == Doing::inside;
}

PackedInput GroupSystem::what_the_register_says(const State& state) {
  return PackedInput::learn(state.view(), state.ended() & view(state).concerned);
}

State GroupSystem::initial() {
  const Setting& setting = this->setting();
  State state(setting.slots());
  for (auto [budget, count] : options_.budgets) state.set_left(budget, count);
  View founded;
  std::vector<recovery::Member> founders;
  for (InstanceNumber slot = 0; slot < setting.nodes - setting.newcomers; ++slot) {
    founders.push_back(setting.member(slot));
    state.set(slot, PeerStatus::running, model_.newborn(slot));
  }
  if (!founders.empty())
    founded = {1,  Epoch{1}, setting.algorithm, founders[0].life(), recovery::Roster(founders),
               {}, {},       setting.tuning.eps};
  state.set_view(model_.number(founded));
  StepResult taken;
  for (InstanceNumber slot = 0; slot < founders.size(); ++slot)
    apply(state, slot, what_the_register_says(state), taken);
  while (state.packets() > 0) {
    PackedMessage packet = state.packet(0);
    perform(state, {StepKind::deliver, packet.to(), packet.from()}, taken);
  }
  return state;
}

void GroupSystem::take(const State& state, const Step& step, State& next, StepResult& taken) {
  next = state;
  perform(next, step, taken);
  forget_the_dead(next);
  judge_holders(next, taken);
  for (InstanceNumber slot = 0; slot < state.slots(); ++slot)
    if (state.lives(slot) && next.lives(slot)) notice(state, next, slot, taken);
}

void GroupSystem::perform(State& state, const Step& step, StepResult& taken) {
  InstanceNumber slot = step.slot;
  switch (step.kind) {
    case StepKind::request: return apply(state, slot, {InputKind::request}, taken);
    case StepKind::release:
      if (facts(state, slot).stage == ViewStage::frozen)
        taken.seen |= bit(Sometimes::released_while_frozen);
      return apply(state, slot, {InputKind::release}, taken);
    case StepKind::cancel:
      state.spend(Budget::cancel);
      return apply(state, slot, {InputKind::cancel}, taken);
    case StepKind::deliver: {
      PackedMessage packet = state.take(step.other, slot);
      return apply(state, slot, {InputKind::receive, step.other, packet.message()}, taken);
    }
    case StepKind::cut:
      return state.drop([&](PackedMessage packet) {
        return packet.channel() == PackedMessage::channel(step.other, slot);
      });
    case StepKind::timer: return apply(state, slot, {InputKind::timer, 0, step.other}, taken);
    case StepKind::watch: {
      const Facts& peer = facts(state, slot);
      if (peer.eviction && view(*peer.eviction).number <= view(state).number)
        taken.seen |= bit(Sometimes::refused);
      return apply(state, slot, what_the_register_says(state), taken);
    }
    case StepKind::propose: return accept(state, *facts(state, slot).eviction, taken);
    case StepKind::insist:
      return apply(state, slot, PackedInput::learn(*facts(state, slot).eviction, 0), taken);
    case StepKind::leave: return leave(state, slot, taken);
    case StepKind::join: state.spend(Budget::join); return start(state, slot, taken);
    case StepKind::crash: state.spend(Budget::crash); return crash(state, slot, taken);
    case StepKind::pause:
      state.spend(Budget::pause);
      return state.set(slot, PeerStatus::paused, state.peer(slot));
    case StepKind::wake: return wake(state, slot, taken);
    case StepKind::lapse: return apply(state, slot, {InputKind::lapse}, taken);
    case StepKind::end: return state.end(slot);
    case StepKind::restart:
      state.spend(Budget::restart);
      return start(state, *next_life(state, slot), taken);
    case StepKind::usurp:
      state.spend(Budget::usurp);
      return start(state, *next_life(state, slot), taken);
    case StepKind::suspect:
      state.spend(Budget::suspect);
      return accept(state, *model_.eviction_of(state.peer(slot), step.other), taken);
  }
}

void GroupSystem::apply(State& state, InstanceNumber slot, const PackedInput& input,
                        StepResult& taken) {
  const InputOutcome& outcome = this->outcome(state.peer(slot), input);
  if (!outcome.broken.empty()) return found(taken, Property::invariant, outcome.broken);
  if (taken.lines != nullptr)
    if (std::string changed = model_.difference(state.peer(slot), outcome.next); !changed.empty())
      say(taken, name(slot) + ": " + changed);
  state.set(slot, PeerStatus::running, outcome.next);
  for (const Sent& sent : outcome.sent)
    if (state.lives(sent.to)) state.add(PackedMessage::make(slot, sent.to, sent.message));
  for (const Grant& grant : outcome.grants) granted(state, slot, grant, taken);
  bool out = facts(state, slot).stage == ViewStage::out;
  if (outcome.lost) say(taken, name(slot) + " loses the lock, or its place in the queue");
  if (outcome.lost && !out)
    found(taken, Property::invariant, name(slot) + " is a member and loses what it held");
  if (outcome.withdrew) taken.seen |= bit(Sometimes::withdrawn);
  if (outcome.departed) taken.seen |= bit(Sometimes::left);
  bool newcomer = slot >= setting().nodes - setting().newcomers && slot < setting().nodes;
  if (outcome.admitted && newcomer) taken.seen |= bit(Sometimes::joined);
  if (!out) return;
  say(taken, name(slot) + " is out");
  state.set(slot, PeerStatus::gone);
  state.drop([&](PackedMessage packet) { return packet.to() == slot; });
}

void GroupSystem::granted(State& state, InstanceNumber slot, const Grant& grant,
                          StepResult& taken) {
  std::string what = name(slot) + " enters with fence " + print(grant.baton.fence);
  say(taken, what + ", data version " + std::to_string(grant.baton.data.version) +
                 (grant.rolled_back ? ", rolled back" : ""));
  if (grant.rolled_back) taken.seen |= bit(Sometimes::rolled_back);
  if (grant.baton.fence <= state.newest())
    return found(taken, Property::fences,
                 what + " after somebody entered with " + print(state.newest()));
  state.set_newest(grant.baton.fence);
  for (InstanceNumber other = 0; other < state.slots(); ++other) {
    if (!state.lives(other) || state.has_ended(other) || !is_member(state, other)) continue;
    const Facts& member = facts(state, other);
    if (member.copy > grant.write())
      found(taken, Property::data,
            what + " and data version " + std::to_string(grant.baton.data.version) + ", and " +
                name(other) + " has newer data");
    if (member.seen > grant.write() && !grant.rolled_back)
      found(taken, Property::data,
            what + " and data version " + std::to_string(grant.baton.data.version) +
                ", is not told that newer data are lost, and " + name(other) + " has seen them");
  }
  fetch(state, slot, grant, taken);
}

/// Fetches the data from where the baton says, if a live peer there still has them.
void GroupSystem::fetch(State& state, InstanceNumber slot, const Grant& grant, StepResult& taken) {
  if (!grant.baton.data.location) return;
  for (InstanceNumber other = 0; other < state.slots(); ++other) {
    bool there = NodeId{other % setting().nodes} == *grant.baton.data.location;
    if (there && state.lives(other) && facts(state, other).copy == grant.write())
      return apply(state, slot, {InputKind::fetch}, taken);
  }
  say(taken, "nobody is there to fetch the data from");
}

/// Sets the register to the proposed view, which must follow the current one.
void GroupSystem::accept(State& state, ViewNumber proposed, StepResult& taken) {
  ViewFacts before = view(state);
  const ViewFacts& after = view(proposed);
  bool same = after.epoch == before.epoch && (before.roster & ~after.roster) == 0;
  bool next = after.epoch.value == before.epoch.value + 1;
  bool chained = after.number == before.number + 1 && (same || next);
  if (!chained) found(taken, Property::invariant, "a view that does not follow the one before it");
  state.set_view(proposed);
  const View& accepted = model_.view(proposed);
  say(taken, "view " + std::to_string(accepted.number) + ": epoch " +
                 std::to_string(accepted.epoch.value) + ", members " +
                 print(accepted.roster.all()));
}

void GroupSystem::leave(State& state, InstanceNumber slot, StepResult& taken) {
  state.spend(Budget::leave);
  ViewNumber departure = model_.departure(state.peer(slot));
  apply(state, slot, {InputKind::will_leave}, taken);
  accept(state, departure, taken);
}

/// Starts a process and admits it. In the specimen without the rule `roster`, the register is not
/// told, and the process only learns the current view.
void GroupSystem::start(State& state, InstanceNumber slot, StepResult& taken) {
  PeerNumber peer = model_.newborn(slot);
  state.set(slot, PeerStatus::running, peer);
  if (setting().without == Rule::roster && view(state).roster != 0)
    return apply(state, slot, what_the_register_says(state), taken);
  InstanceSet ended = state.ended() & view(state).concerned;
  accept(state, model_.admission(peer, state.view(), ended), taken);
}

void GroupSystem::crash(State& state, InstanceNumber slot, StepResult& taken) {
  if (facts(state, slot).decides) taken.seen |= bit(Sometimes::decider_died);
  state.set(slot, PeerStatus::crashed);
  state.drop([&](PackedMessage packet) { return packet.to() == slot; });
}

void GroupSystem::wake(State& state, InstanceNumber slot, StepResult& taken) {
  const Facts& before = facts(state, slot);
  state.set(slot, PeerStatus::running, state.peer(slot));
  if (!state.has_ended(slot)) return;
  if (before.doing == Doing::inside && !is_member(state, slot))
    taken.seen |= bit(Sometimes::late_holder);
  if (setting().without == Rule::lease) return;
  bool had = before.doing != Doing::nothing;
  bool told = outcome(state.peer(slot), {InputKind::lapse}).lost;
  apply(state, slot, {InputKind::lapse}, taken);
  if (had != told || state.runs(slot))
    found(taken, Property::invariant, name(slot) + " is not told that its lease has ended");
}

/// Ends the leases of dead peers that no view mentions any more, since no peer asks for them. This
/// makes equal situations equal states.
void GroupSystem::forget_the_dead(State& state) {
  for (InstanceNumber slot = 0; slot < state.slots(); ++slot) {
    bool dead = state.status(slot) == PeerStatus::crashed || state.status(slot) == PeerStatus::gone;
    if (dead && !concerns(state, slot)) state.end(slot);
  }
}

void GroupSystem::judge_holders(const State& state, StepResult& taken) {
  std::optional<InstanceNumber> inside;
  for (InstanceNumber slot = 0; slot < state.slots(); ++slot) {
    if (!counts_as_inside(state, slot)) continue;
    if (inside)
      found(taken, Property::mutual_exclusion,
            "two holders: " + name(*inside) + " (fence " + print(facts(state, *inside).held) +
                ") and " + name(slot) + " (fence " + print(facts(state, slot).held) + ")");
    inside = slot;
  }
}

void GroupSystem::notice(const State& before, const State& after, InstanceNumber slot,
                         StepResult& taken) {
  const Facts& was = facts(before, slot);
  const Facts& is = facts(after, slot);
  if (is.early > 0) taken.seen |= bit(Sometimes::early);
  bool frozen = is.stage == ViewStage::frozen;
  if (frozen && view(after).epoch.value >= is.epoch.value + 2)
    taken.seen |= bit(Sometimes::overlap);
  bool both_inside = was.doing == Doing::inside && is.doing == Doing::inside;
  if (both_inside && was.epoch < is.epoch) taken.seen |= bit(Sometimes::kept);
  if (!frozen || was.stage == ViewStage::frozen) return;
  for (std::uint32_t i = 0; i < after.packets(); ++i)
    if (auto epoch = model_.message(after.packet(i).message()).told;
        epoch && *epoch < view(after).epoch)
      taken.seen |= bit(Sometimes::told_at_freeze);
}

std::string GroupSystem::headline(const State& state, const Step& step) {
  std::string who = name(step.slot);
  auto message = [&] {
    State copy = state;
    return name(step.other) + " -> " + who + " " +
           model_.print(copy.take(step.other, step.slot).message());
  };
  switch (step.kind) {
    case StepKind::request: return who + " requests";
    case StepKind::release: return who + " releases";
    case StepKind::cancel: return who + " cancels";
    case StepKind::deliver: return message();
    case StepKind::cut: return message() + " and all that follows is lost";
    case StepKind::timer: return who + "'s timer " + std::to_string(step.other) + " fires";
    case StepKind::watch: return who + " reads the register";
    case StepKind::propose: return who + " proposes to go on without the dead: accepted";
    case StepKind::insist: return who + " proposes the same, is refused, and goes on nevertheless";
    case StepKind::leave: return who + " leaves";
    case StepKind::join: return who + " comes";
    case StepKind::crash: return who + " crashes";
    case StepKind::pause: return who + " pauses";
    case StepKind::wake: return who + " wakes";
    case StepKind::lapse: return who + " cannot prolong its lease";
    case StepKind::end: return who + "'s lease ends";
    case StepKind::restart: return who + " starts again";
    case StepKind::usurp: return "another process starts as " + who;
    case StepKind::suspect: return who + " cannot reach " + name(step.other) + " and puts it out";
  }
  return "?";
}

}  // namespace conch::check::group
