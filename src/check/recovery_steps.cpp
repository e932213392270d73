// Which steps a state of a group allows, and when it is a deadlock.
#include "check/recovery_system.hpp"

namespace conch::check::group {

void GroupSystem::steps(const State& state, std::vector<Step>& steps) {
  steps.clear();
  for (InstanceNumber slot = 0; slot < state.slots(); ++slot) {
    switch (state.status(slot)) {
      case PeerStatus::absent:
        if (slot < setting().nodes && state.left(Budget::join) > 0)
          steps.push_back({StepKind::join, slot});
        break;
      case PeerStatus::running: steps_of_running(state, slot, steps); break;
      case PeerStatus::paused: steps.push_back({StepKind::wake, slot}); break;
      case PeerStatus::crashed:
      case PeerStatus::gone:
        if (state.left(Budget::restart) > 0 && next_life(state, slot))
          steps.push_back({StepKind::restart, slot});
        break;
    }
    if (may_lapse(state, slot)) steps.push_back({StepKind::end, slot});
    if (state.lives(slot) && state.left(Budget::usurp) > 0 && next_life(state, slot))
      steps.push_back({StepKind::usurp, slot});
  }
  steps_of_messages(state, steps);
}

void GroupSystem::steps_of_running(const State& state, InstanceNumber slot,
                                   std::vector<Step>& steps) {
  steps_of_process(state, slot, steps);
  steps_of_register(state, slot, steps);
  faults_of_running(state, slot, steps);
}

void GroupSystem::steps_of_process(const State& state, InstanceNumber slot,
                                   std::vector<Step>& steps) {
  const Facts& peer = facts(state, slot);
  if (peer.may_request) steps.push_back({StepKind::request, slot});
  if (peer.doing == Doing::inside) steps.push_back({StepKind::release, slot});
  if (peer.doing == Doing::waiting && state.left(Budget::cancel) > 0)
    steps.push_back({StepKind::cancel, slot});
  for (InstanceNumber timer = 0; peer.armed >> timer != 0; ++timer)
    if ((peer.armed >> timer & 1) != 0) steps.push_back({StepKind::timer, slot, timer});
}

void GroupSystem::steps_of_register(const State& state, InstanceNumber slot,
                                    std::vector<Step>& steps) {
  const Facts& peer = facts(state, slot);
  const InputOutcome& learned = outcome(state.peer(slot), what_the_register_says(state));
  bool news = learned.next != state.peer(slot) || !learned.sent.empty() || !learned.broken.empty();
  if (news) steps.push_back({StepKind::watch, slot});
  if (peer.eviction) {
    bool accepted = view(*peer.eviction).number == view(state).number + 1;
    if (accepted) steps.push_back({StepKind::propose, slot});
    if (!accepted && setting().without == Rule::acceptance)
      steps.push_back({StepKind::insist, slot});
  }
  if (was_put_out(state, slot) && setting().without != Rule::lease)
    steps.push_back({StepKind::lapse, slot});
  bool may_leave = state.left(Budget::leave) > 0 && peer.stage == ViewStage::working &&
                   peer.doing == Doing::nothing && is_member(state, slot);
  if (may_leave && view(model_.departure(state.peer(slot))).number == view(state).number + 1)
    steps.push_back({StepKind::leave, slot});
}

/// Suspicions of other members. The suspected member may be dead or alive.
void GroupSystem::suspicions(const State& state, InstanceNumber slot, std::vector<Step>& steps) {
  bool may = state.left(Budget::suspect) > 0 && is_member(state, slot);
  for (InstanceNumber other = 0; may && other < state.slots(); ++other) {
    if (other == slot || !is_member(state, other)) continue;
    std::optional<ViewNumber> proposed = model_.eviction_of(state.peer(slot), other);
    if (proposed && view(*proposed).number == view(state).number + 1)
      steps.push_back({StepKind::suspect, slot, other});
  }
}

void GroupSystem::faults_of_running(const State& state, InstanceNumber slot,
                                    std::vector<Step>& steps) {
  if (state.left(Budget::crash) > 0) steps.push_back({StepKind::crash, slot});
  suspicions(state, slot, steps);
  if (state.left(Budget::pause) > 0) steps.push_back({StepKind::pause, slot});
}

void GroupSystem::steps_of_messages(const State& state, std::vector<Step>& steps) {
  for (std::uint32_t i = 0; i < state.packets(); ++i) {
    if (!state.is_head(i)) continue;
    PackedMessage head = state.packet(i);
    if (state.runs(head.to())) steps.push_back({StepKind::deliver, head.to(), head.from()});
    if (state.status(head.from()) == PeerStatus::crashed)
      steps.push_back({StepKind::cut, head.to(), head.from()});
  }
}

/// A lease may end only if its peer is dead, out of the group or paused.
bool GroupSystem::may_lapse(const State& state, InstanceNumber slot) {
  if (state.has_ended(slot)) return false;
  switch (state.status(slot)) {
    case PeerStatus::absent:
    case PeerStatus::running: return false;
    case PeerStatus::paused: return true;
    case PeerStatus::crashed:
    case PeerStatus::gone: return concerns(state, slot);
  }
  return false;
}

/// The slot of the peer's next incarnation, if it may start again and has not yet.
std::optional<InstanceNumber> GroupSystem::next_life(const State& state,
                                                     InstanceNumber slot) const {
  InstanceNumber next = slot + setting().nodes;
  bool free = next < state.slots() && state.status(next) == PeerStatus::absent;
  return free ? std::optional(next) : std::nullopt;
}

/// Whether the step must happen sooner or later. All others are requests or faults.
bool GroupSystem::must_happen(const State& state, const Step& step) const {
  switch (step.kind) {
    case StepKind::release:
    case StepKind::deliver:
    case StepKind::cut:
    case StepKind::timer:
    case StepKind::watch:
    case StepKind::propose:
    case StepKind::insist:
    case StepKind::lapse:
    case StepKind::wake: return true;
    case StepKind::end: return state.status(step.slot) != PeerStatus::paused;
    case StepKind::request:
    case StepKind::cancel:
    case StepKind::leave:
    case StepKind::join:
    case StepKind::crash:
    case StepKind::pause:
    case StepKind::restart:
    case StepKind::usurp:
    case StepKind::suspect: return false;
  }
  return false;
}

std::optional<sim::Violation> GroupSystem::judge(const State& state,
                                                 const std::vector<Step>& steps) {
  sim::Finding finding = deadlock(state, steps);
  if (!finding) return {};
  return sim::Violation{sim::Property::progress, *finding};
}

sim::Finding GroupSystem::deadlock(const State& state, const std::vector<Step>& steps) {
  for (const Step& step : steps)
    if (must_happen(state, step)) return {};
  for (InstanceNumber slot = 0; slot < state.slots(); ++slot) {
    if (!state.runs(slot)) continue;
    const Facts& peer = facts(state, slot);
    if (peer.stage != ViewStage::working)
      return name(slot) + " stays " + std::string(word(peer.stage)) + " for ever";
    if (peer.doing != Doing::nothing)
      return name(slot) + " is " + std::string(word(peer.doing)) + " for ever";
  }
  return {};
}

}  // namespace conch::check::group
