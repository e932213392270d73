#include "check/walker.hpp"

#include <bit>

#include "core/print.hpp"

namespace conch::check {

using sim::Property;

namespace {

/// A fence in a word of a state: no system that is explored has more epochs, or entries in one.
std::uint32_t rank(Fence fence) {
  constexpr std::uint64_t limit = 1 << 16;
  std::uint64_t epoch = fence.epoch().value;
  CONCH_EXPECT(epoch < limit && fence.count() < limit, "a fence that fits into a state");
  return static_cast<std::uint32_t>(epoch * limit + fence.count());
}
Input delivery(Packet packet) {
  return {InputKind::deliver, packet.from(), packet.message().number};
}
Fence fence_of(std::uint32_t rank) { return Fence(Epoch{rank >> 16}, rank & 0xffff); }

}  // namespace

Walker::Walker(Model& model, const Options& options)
    : model_(model), options_(options), known_(model.memory()), traits_(model.memory()) {}

/// The outcome from this thread's table; the model is asked, under its lock, once per thread.
const Outcome& Walker::apply(Node node, LocalId local, const Input& input) {
  std::uint64_t key = std::uint64_t{local.number} << 32 | input.key();
  return known_.get(key, [&]() -> const Outcome& { return model_.apply(node, local, input); });
}

const Walker::Traits& Walker::traits(LocalId local) {
  while (traits_.size() <= local.index()) traits_.push_back({});
  Traits& traits = traits_[local.index()];
  if (!traits.known)
    traits = {true, model_.may_request(local), model_.armed(local), model_.ballot(local)};
  return traits;
}

State Walker::initial() {
  Node nodes = options_.setting.nodes;
  State state(nodes);
  for (Node node = 0; node < nodes; ++node) state.set_local(node, model_.initial(node));
  for (auto [budget, count] : options_.budgets) state.set_left(budget, count);
  state.set_fence(rank(Fence(Epoch{}, 0)));
  Taken taken;
  for (Node node = 0; node < nodes; ++node)
    if (exists(state.local(node).phase())) perform(state, node, Input{}, false, taken);
  return state;
}

void Walker::steps(const State& state, std::vector<Step>& steps) {
  steps.clear();
  for (Node node = 0; node < state.nodes(); ++node)
    elects() ? election_steps(state, node, steps) : local_steps(state, node, steps);
  packet_steps(state, steps);
  if (elects() && may_tick(state)) steps.push_back({StepKind::tick, 0, 0, {}});
}

/// Whether something from or to this node is in flight: its next incarnation must not meet it.
bool Walker::is_concerned(const State& state, Node node) {
  for (std::uint32_t index = 0; index < state.packets(); ++index)
    if (state.packet(index).from() == node || state.packet(index).to() == node) return true;
  return false;
}

/// Whether the last member has left and taken the token along. Others may still be leaving; they
/// can welcome nobody.
bool Walker::has_ended(const State& state) {
  for (Node node = 0; node < state.nodes(); ++node) {
    LocalId local = state.local(node);
    bool stays = exists(local.phase()) && local.phase() != Phase::leaving;
    if (stays || local.token()) return false;
  }
  for (std::uint32_t index = 0; index < state.packets(); ++index)
    if (state.packet(index).message().token()) return false;
  return true;
}

void Walker::local_steps(const State& state, Node node, std::vector<Step>& steps) {
  LocalId local = state.local(node);
  Phase phase = local.phase();
  auto may = [&](Budget budget) { return state.left(budget) > 0; };
  if (phase == Phase::inside) steps.push_back({StepKind::release, node, 0, {}});
  if (phase == Phase::idle && traits(local).may_request)
    steps.push_back({StepKind::request, node, 0, {}});
  if (phase == Phase::waiting && may(Budget::cancel))
    steps.push_back({StepKind::cancel, node, 0, {}});
  if (phase == Phase::idle && may(Budget::leave)) steps.push_back({StepKind::leave, node, 0, {}});
  bool ticking = exists(phase) && (!routed() || may(Budget::timer));
  for (std::uint32_t timer = 0; ticking && traits(local).armed >> timer != 0; ++timer)
    if ((traits(local).armed >> timer & 1) != 0)
      steps.push_back({StepKind::timer, node, timer, {}});
  if (exists(phase) && may(Budget::crash)) steps.push_back({StepKind::crash, node, 0, {}});
  bool may_join =
      phase == Phase::gone && may(Budget::join) && !is_concerned(state, node) && !has_ended(state);
  for (Node other = 0; other < state.nodes(); ++other) {
    Phase its = state.local(other).phase();
    if (other == node) continue;
    bool member = exists(its) && its != Phase::joining;
    if (may_join && member) steps.push_back({StepKind::join, node, other, {}});
    if ((exists(phase) && may(Budget::suspect) && its != Phase::gone) ||
        heeds_crash(state, node, other))
      steps.push_back({StepKind::suspect, node, other, {}});
  }
}

/// Whether a detector has something to tell: the first time, it makes a difference.
bool Walker::heeds_crash(const State& state, Node node, Node other) {
  LocalId local = state.local(node);
  if (!options_.detect || !exists(local.phase()) || state.local(other).phase() != Phase::crashed)
    return false;
  return apply(node, local, {InputKind::suspect, other, 0}).next != local;
}

/// Only the first of a FIFO channel; of equal messages only one.
bool Walker::deliverable(const State& state, std::uint32_t index) const {
  if (index == 0) return true;
  Packet packet = state.packet(index);
  Packet before = state.packet(index - 1);
  return options_.fifo ? packet.channel() != before.channel() : packet != before;
}

void Walker::packet_steps(const State& state, std::vector<Step>& steps) {
  for (std::uint32_t index = 0; index < state.packets(); ++index) {
    if (!deliverable(state, index)) continue;
    Packet packet = state.packet(index);
    steps.push_back({StepKind::deliver, packet.to(), packet.from(), packet});
    if (state.left(Budget::duplicate) > 0)
      steps.push_back({StepKind::duplicate, packet.to(), packet.from(), packet});
    if (state.left(Budget::lose) > 0)
      steps.push_back({StepKind::lose, packet.to(), packet.from(), packet});
  }
}

std::uint32_t Walker::find(const State& state, Packet packet) {
  for (std::uint32_t index = 0; index < state.packets(); ++index)
    if (state.packet(index) == packet) return index;
  invariant_broken("find(packet)", "a step takes a message that is in flight");
}

/// The members, as a set of bits.
std::uint32_t Walker::roster(const State& state) {
  std::uint32_t bits = 0;
  for (Node node = 0; node < state.nodes(); ++node)
    if (state.local(node).phase() != Phase::gone) bits |= 1U << node;
  return bits;
}

Input Walker::input_of(const State& state, const Step& step) const {
  switch (step.kind) {
    case StepKind::request: return {InputKind::request, 0, 0};
    case StepKind::release: return {InputKind::release, 0, 0};
    case StepKind::cancel: return {InputKind::cancel, 0, 0};
    case StepKind::deliver: {
      std::uint32_t age = elects() ? 1 : 0;
      return {InputKind::deliver, step.packet.from(), step.packet.message().number & ~age};
    }
    case StepKind::timer: return {InputKind::timer, 0, step.other};
    case StepKind::leave: return {InputKind::leave, 0, 0};
    case StepKind::join: return {InputKind::join, step.other, roster(state) | 1U << step.node};
    case StepKind::crash: return {InputKind::crash, 0, 0};
    case StepKind::suspect: return {InputKind::suspect, step.other, 0};
    case StepKind::elect: return {InputKind::elect, 0, 1};
    case StepKind::notice: return {InputKind::elect, 0, 0};
    case StepKind::retire: return {InputKind::retire, 0, 0};
    case StepKind::restart: return {InputKind::restart, 0, 0};
    case StepKind::tick:
    case StepKind::duplicate:
    case StepKind::lose: break;
  }
  return {};
}

State Walker::take(const State& state, const Step& step, Taken& taken) {
  State next = state;
  taken = {};
  bool token = false;
  switch (step.kind) {
    case StepKind::duplicate:
      next.spend(Budget::duplicate);
      next.add(step.packet, options_.fifo);
      return next;
    case StepKind::lose:
      next.spend(Budget::lose);
      next.remove(find(next, step.packet));
      return next;
    case StepKind::deliver:
      next.remove(find(next, step.packet));
      if (next.local(step.node).phase() == Phase::gone &&
          !model_.may_be_late(step.packet.message()))
        taken.violation = sim::Violation{Property::addressee,
                                         model_.print(step.packet.message()) + " of " +
                                             std::to_string(step.packet.from()) + " reached " +
                                             std::to_string(step.node) + ", which has left"};
      if (!exists(next.local(step.node).phase())) return next;
      token = !elects() && step.packet.message().token();
      break;
    case StepKind::cancel: next.spend(Budget::cancel); break;
    case StepKind::leave: next.spend(Budget::leave); break;
    case StepKind::join: next.spend(Budget::join); break;
    case StepKind::crash:
      next.spend(Budget::crash);
      if (options_.detect) next.set_version(State::any_version);
      // An election's processes come back: what was on its way to this one is lost with it.
      for (std::uint32_t i = 0; elects() && i < next.packets();)
        next.packet(i).to() == step.node ? next.remove(i) : void(++i);
      break;
    case StepKind::suspect:
      if (!options_.detect) next.spend(Budget::suspect);
      break;
    case StepKind::retire: next.spend(Budget::retire); break;
    case StepKind::restart: next.spend(Budget::restart); break;
    case StepKind::tick: return take_tick(state, taken);
    case StepKind::timer:
      if (routed()) next.spend(Budget::timer);
      break;
    case StepKind::elect:
    case StepKind::notice:
    case StepKind::request:
    case StepKind::release: break;
  }
  perform(next, step.node, input_of(next, step), token, taken);
  if (step.kind == StepKind::join || taken.left) publish_roster(next, taken);
  return next;
}

/// Whoever is on the roster learns who else is.
void Walker::publish_roster(State& state, Taken& taken) {
  const std::vector<Sent>* sent = taken.sent;
  for (Node node = 0; node < state.nodes(); ++node)
    if (exists(state.local(node).phase()))
      perform(state, node, {InputKind::roster, 0, roster(state)}, false, taken);
  taken.sent = sent;
}

void Walker::perform(State& state, Node node, const Input& input, bool token, Taken& taken) {
  LocalId before = state.local(node);
  const Outcome& outcome = apply(node, before, input);
  auto broke = [&](Property property, const std::string& what) {
    if (!taken.violation) taken.violation = sim::Violation{property, what};
  };
  if (!outcome.broken.empty())
    return broke(Property::invariant, std::to_string(node) + ": " + outcome.broken);
  int tokens = int{outcome.next.token()} - int{before.token()} - int{token};
  for (const Sent& sent : outcome.sent) tokens += int{sent.message.token()};
  bool takes_it_along = input.kind == InputKind::crash || outcome.left;
  if (tokens != 0 && !takes_it_along)
    broke(Property::one_token,
          std::to_string(node) + (tokens > 0 ? " made" : " lost") + " a token");
  settle(state, node, outcome, taken);
}

void Walker::settle(State& state, Node node, const Outcome& outcome, Taken& taken) {
  auto broke = [&](Property property, const std::string& what) {
    if (!taken.violation) taken.violation = sim::Violation{property, what};
  };
  LocalId before = state.local(node);
  state.set_local(node, outcome.next);
  if (routed() && before != outcome.next)
    options_.reduce ? clear_away(state, node) : watch_passing(before, state, node, taken);
  taken.sent = &outcome.sent;
  taken.withdrew |= outcome.withdrew;
  taken.joined |= outcome.joined;
  taken.left |= outcome.left;
  taken.stopped |= outcome.stopped;
  taken.handed_on |= outcome.handed_on;
  taken.yielded |= outcome.yielded;
  for (const Sent& sent : outcome.sent) post(state, node, sent, taken);
  if (outcome.released) state.set_version(static_cast<std::uint32_t>(*outcome.released));
  if (!outcome.entered) return;
  taken.entered = true;
  Fence fence(outcome.entered->fence);
  const Setting& setting = options_.setting;
  bool reads = setting.reads(node);
  for (Node other = 0; other < state.nodes(); ++other)
    if (other != node && state.local(other).phase() == Phase::inside &&
        !(reads && setting.reads(other)))
      broke(Property::mutual_exclusion, "two holders: " + std::to_string(node) + " (fence " +
                                            conch::print(fence) + ") entered while " +
                                            std::to_string(other) + " was inside");
  if (reads && rank(fence) != state.fence())
    broke(Property::fences, std::to_string(node) + " entered to read with fence " +
                                conch::print(fence) + ", but the last writer before it had fence " +
                                conch::print(fence_of(state.fence())));
  if (!reads && rank(fence) <= state.fence())
    broke(Property::fences, std::to_string(node) + " entered with fence " + conch::print(fence) +
                                " after fence " + conch::print(fence_of(state.fence())));
  if (state.version() == State::any_version)
    state.set_version(static_cast<std::uint32_t>(outcome.entered->version));
  if (outcome.entered->version != state.version())
    broke(Property::data, std::to_string(node) + " got version " +
                              std::to_string(outcome.entered->version) +
                              " of the data, but version " + std::to_string(state.version()) +
                              " was released before");
  if (!reads) state.set_fence(rank(fence));
}

void Walker::post(State& state, Node node, const Sent& sent, Taken& taken) {
  bool gone = state.local(sent.to).phase() == Phase::gone;
  if (gone && model_.may_be_late(sent.message)) return;
  if (gone && !taken.violation)
    taken.violation = sim::Violation{
        Property::addressee, std::to_string(node) + " sent " + model_.print(sent.message) + " to " +
                                 std::to_string(sent.to) + ", which has left"};
  if (elects() && !exists(state.local(sent.to).phase())) return;
  Packet packet = Packet::make(node, sent.to, sent.message);
  if (routed() && options_.reduce) {
    const Outcome& outcome = apply(sent.to, state.local(sent.to), delivery(packet));
    // On a FIFO channel what is carried on must not overtake what was sent before.
    if (outcome.passes_by && (outcome.sent.empty() || !options_.fifo)) {
      taken.carried_on |= !outcome.sent.empty();
      for (const Sent& further : outcome.sent) post(state, sent.to, further, taken);
      return;
    }
  }
  state.add(packet, options_.fifo);
}

/// What would make no difference to this node, ever, need not be in flight.
void Walker::clear_away(State& state, Node node) {
  for (std::uint32_t i = 0; i < state.packets();) {
    Packet packet = state.packet(i);
    bool needless = false;
    if (packet.to() == node) {
      const Outcome& outcome = apply(node, state.local(node), delivery(packet));
      needless = outcome.passes_by && outcome.sent.empty();
    }
    needless ? state.remove(i) : void(++i);
  }
}

/// What `clear_away` relies on: a message that passed by does so for ever, and is carried on alike.
void Walker::watch_passing(LocalId before, const State& state, Node node, Taken& taken) {
  for (std::uint32_t i = 0; i < state.packets(); ++i) {
    Packet packet = state.packet(i);
    if (packet.to() != node) continue;
    const Outcome& then = apply(node, before, delivery(packet));
    const Outcome& now = apply(node, state.local(node), delivery(packet));
    if (then.passes_by && (!now.passes_by || then.sent != now.sent) && !taken.violation)
      taken.violation = sim::Violation{Property::invariant, model_.print(packet.message()) +
                                                                " passed " + std::to_string(node) +
                                                                " by, and then made a difference"};
  }
}

/// Over an overlay, in a silence: whether somebody enters if the timers go off in turn, and between
/// them everything arrives.
bool Walker::timers_help(State state) {
  constexpr int rounds = 16;
  int deliveries = 10'000;
  Taken taken;
  for (int round = 0; round < rounds; ++round) {
    for (Node node = 0; node < state.nodes(); ++node) {
      std::uint32_t armed = traits(state.local(node)).armed;
      if (armed == 0) continue;
      state.set_left(Budget::timer, 1);
      auto timer = static_cast<Node>(std::countr_zero(armed));
      state = take(state, {StepKind::timer, node, timer, {}}, taken);
      while (!taken.entered && state.packets() > 0) {
        if (--deliveries == 0) return false;  // messages without end
        Packet packet = state.packet(0);
        state = take(state, {StepKind::deliver, packet.to(), packet.from(), packet}, taken);
      }
      if (taken.entered) return true;
    }
  }
  return false;
}

sim::Finding Walker::deadlock(const State& state) {
  std::string waiting;
  bool timers = false;
  for (Node node = 0; node < state.nodes(); ++node) {
    LocalId local = state.local(node);
    switch (local.phase()) {
      case Phase::inside: return {};
      case Phase::waiting:
      case Phase::cancelling:
      case Phase::leaving:
      case Phase::joining:
        waiting += (waiting.empty() ? "" : ", ") + std::to_string(node) + " is " +
                   std::string(word(local.phase()));
        break;
      case Phase::idle:
      case Phase::gone:
      case Phase::crashed: break;
    }
    timers |= exists(local.phase()) && traits(local).armed != 0;
  }
  if (waiting.empty() || state.packets() > 0) return {};
  if (timers && (!routed() || timers_help(state))) return {};
  for (Node node = 0; options_.detect && node < state.nodes(); ++node)
    for (Node other = 0; other < state.nodes(); ++other)
      if (heeds_crash(state, node, other)) return {};
  return "deadlock: " + waiting + ", and nothing can happen";
}

bool Walker::over(const State& state) {
  if (!routed()) return false;
  for (Node node = 0; node < state.nodes(); ++node) {
    LocalId local = state.local(node);
    if (local.phase() != Phase::idle || traits(local).may_request) return false;
  }
  return true;
}

/// A suspicion is remembered, a lost farewell waited for.
bool Walker::faulty() const {
  bool faulty = false;
  for (Budget budget : {Budget::duplicate, Budget::lose, Budget::crash, Budget::suspect})
    faulty |= options_.budget(budget) > 0;
  return faulty;
}

bool Walker::examinable(const State& state) const {
  if (!model_.entry().can.structured || faulty() || state.packets() > 0) return false;
  for (Node node = 0; node < state.nodes(); ++node) {
    Phase phase = state.local(node).phase();
    if (phase == Phase::joining || phase == Phase::leaving) return false;
  }
  return true;
}

sim::Finding Walker::disorder(const State& state) {
  if (!examinable(state)) return {};
  std::vector<LocalId> members;
  for (Node node = 0; node < state.nodes(); ++node)
    if (exists(state.local(node).phase())) members.push_back(state.local(node));
  if (members.empty()) return {};
  return sim::finding_of(model_.disorder(members));
}

sim::Finding Walker::memory(const State& state) {
  // Over an overlay everybody remembers who held the lock.
  if (routed() || faulty() || state.packets() > 0) return {};
  std::size_t remembered = 0;
  for (Node node = 0; node < state.nodes(); ++node) {
    Phase phase = state.local(node).phase();
    if (phase == Phase::gone) continue;
    if (phase != Phase::idle) return {};
    remembered += model_.remembered(state.local(node));
  }
  return sim::memory_at_rest(remembered, model_.remembered_at_start(roster(state)));
}

}  // namespace conch::check
