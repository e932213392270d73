// What can happen in a state.
#include "check/recovery_walker.hpp"

namespace conch::check::group {

void Walker::steps(const State& state, std::vector<Step>& steps) {
  steps.clear();
  for (Slot slot = 0; slot < state.slots(); ++slot) {
    switch (state.status(slot)) {
      case Status::absent:
        if (slot < setting().nodes && state.left(Budget::join) > 0)
          steps.push_back({StepKind::join, slot});
        break;
      case Status::running: steps_of_running(state, slot, steps); break;
      case Status::paused: steps.push_back({StepKind::wake, slot}); break;
      case Status::crashed:
      case Status::gone:
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

void Walker::steps_of_running(const State& state, Slot slot, std::vector<Step>& steps) {
  steps_of_process(state, slot, steps);
  steps_of_register(state, slot, steps);
  faults_of_running(state, slot, steps);
}

void Walker::steps_of_process(const State& state, Slot slot, std::vector<Step>& steps) {
  const Facts& peer = facts(state, slot);
  if (peer.may_request) steps.push_back({StepKind::request, slot});
  if (peer.doing == Doing::inside) steps.push_back({StepKind::release, slot});
  if (peer.doing == Doing::waiting && state.left(Budget::cancel) > 0)
    steps.push_back({StepKind::cancel, slot});
  for (Slot timer = 0; peer.armed >> timer != 0; ++timer)
    if ((peer.armed >> timer & 1) != 0) steps.push_back({StepKind::timer, slot, timer});
}

void Walker::steps_of_register(const State& state, Slot slot, std::vector<Step>& steps) {
  const Facts& peer = facts(state, slot);
  const Outcome& learned = outcome(state.peer(slot), what_the_register_says(state));
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
  bool may_leave = state.left(Budget::leave) > 0 && peer.stage == Stage::working &&
                   peer.doing == Doing::nothing && is_member(state, slot);
  if (may_leave && view(model_.departure(state.peer(slot))).number == view(state).number + 1)
    steps.push_back({StepKind::leave, slot});
}

/// A member that it cannot reach, whether that lives or not.
void Walker::suspicions(const State& state, Slot slot, std::vector<Step>& steps) {
  bool may = state.left(Budget::suspect) > 0 && is_member(state, slot);
  for (Slot other = 0; may && other < state.slots(); ++other) {
    if (other == slot || !is_member(state, other)) continue;
    std::optional<ViewNumber> proposed = model_.eviction_of(state.peer(slot), other);
    if (proposed && view(*proposed).number == view(state).number + 1)
      steps.push_back({StepKind::suspect, slot, other});
  }
}

void Walker::faults_of_running(const State& state, Slot slot, std::vector<Step>& steps) {
  if (state.left(Budget::crash) > 0) steps.push_back({StepKind::crash, slot});
  suspicions(state, slot, steps);
  if (state.left(Budget::pause) > 0) steps.push_back({StepKind::pause, slot});
}

void Walker::steps_of_messages(const State& state, std::vector<Step>& steps) {
  for (std::uint32_t i = 0; i < state.packets(); ++i) {
    if (!state.is_head(i)) continue;
    Packet head = state.packet(i);
    if (state.runs(head.to())) steps.push_back({StepKind::deliver, head.to(), head.from()});
    if (state.status(head.from()) == Status::crashed)
      steps.push_back({StepKind::cut, head.to(), head.from()});
  }
}

/// Only of one that can do nothing with it any more, or sleeps.
bool Walker::may_lapse(const State& state, Slot slot) {
  if (state.has_ended(slot)) return false;
  switch (state.status(slot)) {
    case Status::absent:
    case Status::running: return false;
    case Status::paused: return true;
    case Status::crashed:
    case Status::gone: return concerns(state, slot);
  }
  return false;
}

/// The id starts again as this, if it may and has not yet.
std::optional<Slot> Walker::next_life(const State& state, Slot slot) const {
  Slot next = slot + setting().nodes;
  bool free = next < state.slots() && state.status(next) == Status::absent;
  return free ? std::optional(next) : std::nullopt;
}

/// Whether it is only a matter of time. The others are wishes and faults.
bool Walker::must_happen(const State& state, const Step& step) const {
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
    case StepKind::end: return state.status(step.slot) != Status::paused;
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

sim::Finding Walker::deadlock(const State& state, const std::vector<Step>& steps) {
  for (const Step& step : steps)
    if (must_happen(state, step)) return {};
  for (Slot slot = 0; slot < state.slots(); ++slot) {
    if (!state.runs(slot)) continue;
    const Facts& peer = facts(state, slot);
    if (peer.stage != Stage::working)
      return name(slot) + " stays " + std::string(word(peer.stage)) + " for ever";
    if (peer.doing != Doing::nothing)
      return name(slot) + " is " + std::string(word(peer.doing)) + " for ever";
  }
  return {};
}

}  // namespace conch::check::group
