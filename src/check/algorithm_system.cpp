#include "check/algorithm_system.hpp"

#include <bit>

#include "core/print.hpp"

namespace conch::check {

using sim::Property;

namespace {

PackedInput delivery(PackedMessage packet) {
  return {InputKind::deliver, packet.from(), packet.message().number};
}

/// Whether a message from or to this node is in flight. The node's next incarnation must not
/// receive it.
bool is_concerned(const State& state, Node node) {
  for (std::uint32_t index = 0; index < state.packets(); ++index)
    if (state.packet(index).from() == node || state.packet(index).to() == node) return true;
  return false;
}

/// Whether the last member has left and taken the token along. Other members may still be leaving,
/// but they cannot admit a newcomer.
bool has_ended(const State& state) {
  for (Node node = 0; node < state.nodes(); ++node) {
    LocalId local = state.local(node);
    bool stays = exists(local.phase()) && local.phase() != Phase::leaving;
    if (stays || local.token()) return false;
  }
  for (std::uint32_t index = 0; index < state.packets(); ++index)
    if (state.packet(index).message().token()) return false;
  return true;
}

std::uint32_t find(const State& state, PackedMessage packet) {
  for (std::uint32_t index = 0; index < state.packets(); ++index)
    if (state.packet(index) == packet) return index;
  invariant_broken("find(packet)", "a step takes a message that is in flight");
}

/// The members, as a set of bits.
std::uint32_t roster(const State& state) {
  std::uint32_t bits = 0;
  for (Node node = 0; node < state.nodes(); ++node)
    if (state.local(node).phase() != Phase::gone) bits |= 1U << node;
  return bits;
}

}  // namespace

AlgorithmSystem::AlgorithmSystem(Model& model, const Options& options)
    : model_(model),
      options_(options),
      elects_(model.entry().can.elects),
      routed_(model.entry().can.routed),
      structured_(model.entry().can.structured),
      heeds_others_(options.detect || options.budget(Budget::join) > 0 ||
                    options.budget(Budget::suspect) > 0),
      faulty_(false),
      stays_(options.budget(Budget::leave) + options.budget(Budget::join) == 0),
      known_(model.memory()),
      traits_(model.memory()) {
  for (Budget budget : {Budget::duplicate, Budget::lose, Budget::crash, Budget::suspect})
    faulty_ |= options.budget(budget) > 0;
}

/// Looks up the outcome in this thread's table. The model, which locks, is asked once per thread.
const InputOutcome& AlgorithmSystem::apply(Node node, LocalId local, const PackedInput& input) {
  std::uint64_t key = std::uint64_t{local.number} << 32 | input.key();
  return known_.get(key, [&]() -> const InputOutcome& { return model_.apply(node, local, input); });
}

const AlgorithmSystem::Traits& AlgorithmSystem::traits(LocalId local) {
  while (traits_.size() <= local.index()) traits_.push_back({});
  Traits& traits = traits_[local.index()];
  if (!traits.known)
    traits = {true, model_.requests_left(local), model_.armed(local), model_.remembered(local),
              model_.ballot(local)};
  return traits;
}

State AlgorithmSystem::initial() {
  Node nodes = options_.setting.nodes;
  State state(nodes);
  for (Node node = 0; node < nodes; ++node) state.set_local(node, model_.initial(node));
  for (auto [budget, count] : options_.budgets) state.set_left(budget, count);
  state.set_fence(rank(Fence(Epoch{}, 0)));
  StepResult taken;
  for (Node node = 0; node < nodes; ++node)
    if (exists(state.local(node).phase())) perform(state, node, PackedInput{}, false, taken);
  return state;
}

void AlgorithmSystem::steps(const State& state, std::vector<Step>& steps) {
  steps.clear();
  for (Node node = 0; node < state.nodes(); ++node)
    elects_ ? election_steps(state, node, steps) : local_steps(state, node, steps);
  packet_steps(state, steps);
  if (elects_ && may_tick(state)) steps.push_back({StepKind::tick, 0, 0, {}});
}

void AlgorithmSystem::local_steps(const State& state, Node node, std::vector<Step>& steps) {
  LocalId local = state.local(node);
  Phase phase = local.phase();
  auto may = [&](Budget budget) { return state.left(budget) > 0; };
  if (phase == Phase::inside) steps.push_back({StepKind::release, node, 0, {}});
  if (phase == Phase::idle && traits(local).requests_left > 0)
    steps.push_back({StepKind::request, node, 0, {}});
  if (phase == Phase::waiting && may(Budget::cancel))
    steps.push_back({StepKind::cancel, node, 0, {}});
  if (phase == Phase::idle && may(Budget::leave)) steps.push_back({StepKind::leave, node, 0, {}});
  bool ticking = exists(phase) && (!routed_ || may(Budget::timer));
  std::uint32_t armed = ticking ? traits(local).armed : 0;
  for (std::uint32_t timer = 0; armed >> timer != 0; ++timer)
    if ((armed >> timer & 1) != 0) steps.push_back({StepKind::timer, node, timer, {}});
  if (exists(phase) && may(Budget::crash)) steps.push_back({StepKind::crash, node, 0, {}});
  if (heeds_others_) steps_with_others(state, node, steps);
}

void AlgorithmSystem::steps_with_others(const State& state, Node node, std::vector<Step>& steps) {
  Phase phase = state.local(node).phase();
  bool may_join = phase == Phase::gone && state.left(Budget::join) > 0 &&
                  !is_concerned(state, node) && !has_ended(state);
  bool may_suspect = exists(phase) && state.left(Budget::suspect) > 0;
  for (Node other = 0; other < state.nodes(); ++other) {
    Phase its = state.local(other).phase();
    if (other == node) continue;
    bool member = exists(its) && its != Phase::joining;
    if (may_join && member) steps.push_back({StepKind::join, node, other, {}});
    if ((may_suspect && its != Phase::gone) || heeds_crash(state, node, other))
      steps.push_back({StepKind::suspect, node, other, {}});
  }
}

/// Whether telling the node of the crash would change its state. Once it knows, it does not.
bool AlgorithmSystem::heeds_crash(const State& state, Node node, Node other) {
  LocalId local = state.local(node);
  if (!options_.detect || !exists(local.phase()) || state.local(other).phase() != Phase::crashed)
    return false;
  return apply(node, local, {InputKind::suspect, other, 0}).next != local;
}

/// Whether a message can arrive now. FIFO channels offer only their first message, and equal
/// messages are offered once.
bool AlgorithmSystem::deliverable(const State& state, std::uint32_t index) const {
  if (index == 0) return true;
  PackedMessage packet = state.packet(index);
  PackedMessage before = state.packet(index - 1);
  return options_.fifo ? packet.channel() != before.channel() : packet != before;
}

void AlgorithmSystem::packet_steps(const State& state, std::vector<Step>& steps) {
  for (std::uint32_t index = 0; index < state.packets(); ++index) {
    if (!deliverable(state, index)) continue;
    PackedMessage packet = state.packet(index);
    steps.push_back({StepKind::deliver, packet.to(), packet.from(), packet});
    if (state.left(Budget::duplicate) > 0)
      steps.push_back({StepKind::duplicate, packet.to(), packet.from(), packet});
    if (state.left(Budget::lose) > 0)
      steps.push_back({StepKind::lose, packet.to(), packet.from(), packet});
  }
}

PackedInput AlgorithmSystem::input_of(const State& state, const Step& step) const {
  switch (step.kind) {
    case StepKind::request: return {InputKind::request, 0, 0};
    case StepKind::release: return {InputKind::release, 0, 0};
    case StepKind::cancel: return {InputKind::cancel, 0, 0};
    case StepKind::deliver: {
      std::uint32_t age = elects_ ? 1 : 0;
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

void AlgorithmSystem::take(const State& state, const Step& step, State& next, StepResult& taken) {
  next = state;
  if (std::optional<bool> token = prepare(next, step, taken)) {
    perform(next, step.node, input_of(next, step), *token, taken);
    if (step.kind == StepKind::join || taken.left) publish_roster(next, taken);
  }
  taken.seen |= sights(state, step, taken);
  if (elects_) taken.seen |= election_sights(state, step, next);
}

std::optional<bool> AlgorithmSystem::prepare(State& next, const Step& step, StepResult& taken) {
  switch (step.kind) {
    case StepKind::duplicate:
      next.spend(Budget::duplicate);
      next.add(step.packet, options_.fifo);
      return {};
    case StepKind::lose:
      next.spend(Budget::lose);
      next.remove(find(next, step.packet));
      return {};
    case StepKind::deliver:
      next.remove(find(next, step.packet));
      if (exists(next.local(step.node).phase())) return !elects_ && step.packet.message().token();
      if (next.local(step.node).phase() == Phase::gone &&
          !model_.may_be_late(step.packet.message()))
        taken.violation = sim::Violation{Property::addressee,
                                         model_.print(step.packet.message()) + " of " +
                                             std::to_string(step.packet.from()) + " reached " +
                                             std::to_string(step.node) + ", which has left"};
      return {};
    case StepKind::cancel: next.spend(Budget::cancel); break;
    case StepKind::leave: next.spend(Budget::leave); break;
    case StepKind::join: next.spend(Budget::join); break;
    case StepKind::crash:
      next.spend(Budget::crash);
      if (options_.detect) next.set_version(State::any_version);
      // In an election, messages to a crashed process are lost: it may restart, and must not get
      // them then.
      for (std::uint32_t i = 0; elects_ && i < next.packets();)
        next.packet(i).to() == step.node ? next.remove(i) : void(++i);
      break;
    case StepKind::suspect:
      if (!options_.detect) next.spend(Budget::suspect);
      break;
    case StepKind::retire: next.spend(Budget::retire); break;
    case StepKind::restart: next.spend(Budget::restart); break;
    case StepKind::tick: take_tick(next, taken); return {};
    case StepKind::timer:
      if (routed_) next.spend(Budget::timer);
      break;
    case StepKind::elect:
    case StepKind::notice:
    case StepKind::request:
    case StepKind::release: break;
  }
  return false;
}

/// Tells every existing node the new roster.
void AlgorithmSystem::publish_roster(State& state, StepResult& taken) {
  const std::vector<Sent>* sent = taken.sent;
  for (Node node = 0; node < state.nodes(); ++node)
    if (exists(state.local(node).phase()))
      perform(state, node, {InputKind::roster, 0, roster(state)}, false, taken);
  taken.sent = sent;
}

void AlgorithmSystem::perform(State& state, Node node, const PackedInput& input, bool token,
                              StepResult& taken) {
  LocalId before = state.local(node);
  const InputOutcome& outcome = apply(node, before, input);
  auto broke = [&](Property property, const std::string& what) {
    if (!taken.violation) taken.violation = sim::Violation{property, what};
  };
  if (outcome.broken)
    return broke(Property::invariant, std::to_string(node) + ": " + *outcome.broken);
  int tokens = int{outcome.next.token()} - int{before.token()} - int{token};
  for (const Sent& sent : outcome.sent) tokens += int{sent.message.token()};
  bool takes_it_along = input.kind == InputKind::crash || outcome.left;
  if (tokens != 0 && !takes_it_along)
    broke(Property::one_token,
          std::to_string(node) + (tokens > 0 ? " made" : " lost") + " a token");
  settle(state, node, outcome, taken);
}

void AlgorithmSystem::settle(State& state, Node node, const InputOutcome& outcome,
                             StepResult& taken) {
  LocalId before = state.local(node);
  state.set_local(node, outcome.next);
  if (routed_ && before != outcome.next)
    options_.reduce ? clear_away(state, node) : watch_passing(before, state, node, taken);
  taken.sent = &outcome.sent;
  taken.withdrew |= outcome.withdrew;
  taken.joined |= outcome.joined;
  taken.left |= outcome.left;
  auto mark = [&](bool seen, Sometimes sometimes) { taken.seen |= seen ? bit(sometimes) : 0; };
  mark(outcome.stopped, Sometimes::stopped);
  mark(outcome.handed_on, Sometimes::handed_on);
  mark(outcome.yielded, Sometimes::yielded);
  for (const Sent& sent : outcome.sent) post(state, node, sent, taken);
  if (outcome.has_released) state.set_version(outcome.released);
  if (outcome.has_entered) enter(state, node, outcome.entered, taken);
}

void AlgorithmSystem::enter(State& state, Node node, const Entry& entered,
                            StepResult& taken) const {
  auto broke = [&](Property property, const std::string& what) {
    if (!taken.violation) taken.violation = sim::Violation{property, what};
  };
  taken.entered = true;
  Fence fence = fence_of(entered.fence);
  const Setting& setting = options_.setting;
  bool reads = setting.reads(node);
  for (Node other = 0; other < state.nodes(); ++other)
    if (other != node && state.local(other).phase() == Phase::inside &&
        !(reads && setting.reads(other)))
      broke(Property::mutual_exclusion, "two holders: " + std::to_string(node) + " (fence " +
                                            conch::print(fence) + ") entered while " +
                                            std::to_string(other) + " was inside");
  if (reads && entered.fence != state.fence())
    broke(Property::fences, std::to_string(node) + " entered to read with fence " +
                                conch::print(fence) + ", but the last writer before it had fence " +
                                conch::print(fence_of(state.fence())));
  if (!reads && entered.fence <= state.fence())
    broke(Property::fences, std::to_string(node) + " entered with fence " + conch::print(fence) +
                                " after fence " + conch::print(fence_of(state.fence())));
  if (state.version() == State::any_version) state.set_version(entered.version);
  if (entered.version != state.version())
    broke(Property::data, std::to_string(node) + " got version " + std::to_string(entered.version) +
                              " of the data, but version " + std::to_string(state.version()) +
                              " was released before");
  if (!reads) state.set_fence(entered.fence);
}

void AlgorithmSystem::post(State& state, Node node, const Sent& sent, StepResult& taken) {
  bool gone = state.local(sent.to).phase() == Phase::gone;
  if (gone && model_.may_be_late(sent.message)) return;
  if (gone && !taken.violation)
    taken.violation = sim::Violation{
        Property::addressee, std::to_string(node) + " sent " + model_.print(sent.message) + " to " +
                                 std::to_string(sent.to) + ", which has left"};
  if (elects_ && !exists(state.local(sent.to).phase())) return;
  PackedMessage packet = PackedMessage::make(node, sent.to, sent.message);
  if (routed_ && options_.reduce) {
    const InputOutcome& outcome = apply(sent.to, state.local(sent.to), delivery(packet));
    // On a FIFO channel, a message that is passed on must not overtake what was sent before.
    if (outcome.passes_by && (outcome.sent.empty() || !options_.fifo)) {
      taken.carried_on |= !outcome.sent.empty();
      for (const Sent& further : outcome.sent) post(state, sent.to, further, taken);
      return;
    }
  }
  state.add(packet, options_.fifo);
}

/// Removes the messages to this node that will never make a difference to it.
void AlgorithmSystem::clear_away(State& state, Node node) {
  for (std::uint32_t i = 0; i < state.packets();) {
    PackedMessage packet = state.packet(i);
    bool needless = false;
    if (packet.to() == node) {
      const InputOutcome& outcome = apply(node, state.local(node), delivery(packet));
      needless = outcome.passes_by && outcome.sent.empty();
    }
    needless ? state.remove(i) : void(++i);
  }
}

/// Checks what `clear_away` and `post` rely on: a message that makes no difference now never will,
/// and it is always passed on in the same way.
void AlgorithmSystem::watch_passing(LocalId before, const State& state, Node node,
                                    StepResult& taken) {
  for (std::uint32_t i = 0; i < state.packets(); ++i) {
    PackedMessage packet = state.packet(i);
    if (packet.to() != node) continue;
    const InputOutcome& then = apply(node, before, delivery(packet));
    const InputOutcome& now = apply(node, state.local(node), delivery(packet));
    if (then.passes_by && (!now.passes_by || then.sent != now.sent) && !taken.violation)
      taken.violation = sim::Violation{Property::invariant, model_.print(packet.message()) +
                                                                " passed " + std::to_string(node) +
                                                                " by, and then made a difference"};
  }
}

/// Protocols over an overlay, with nothing in flight: whether a node enters if the timers fire in
/// turn and every message arrives in between.
bool AlgorithmSystem::timers_help(State state) {
  constexpr int rounds = 16;
  int deliveries = 10'000;
  StepResult taken;
  auto advance = [&](const Step& step) {
    State before = state;
    taken = {};
    take(before, step, state, taken);
  };
  for (int round = 0; round < rounds; ++round) {
    for (Node node = 0; node < state.nodes(); ++node) {
      std::uint32_t armed = traits(state.local(node)).armed;
      if (armed == 0) continue;
      state.set_left(Budget::timer, 1);
      auto timer = static_cast<Node>(std::countr_zero(armed));
      advance({StepKind::timer, node, timer, {}});
      while (!taken.entered && state.packets() > 0) {
        if (--deliveries == 0) return false;  // messages without end
        PackedMessage packet = state.packet(0);
        advance({StepKind::deliver, packet.to(), packet.from(), packet});
      }
      if (taken.entered) return true;
    }
  }
  return false;
}

sim::Finding AlgorithmSystem::deadlock(const State& state) {
  if (state.packets() > 0) return {};
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
  if (waiting.empty()) return {};
  if (timers && (!routed_ || timers_help(state))) return {};
  for (Node node = 0; options_.detect && node < state.nodes(); ++node)
    for (Node other = 0; other < state.nodes(); ++other)
      if (heeds_crash(state, node, other)) return {};
  return "deadlock: " + waiting + ", and nothing can happen";
}

bool AlgorithmSystem::nobody_will_ask(const State& state) {
  for (Node node = 0; node < state.nodes(); ++node) {
    LocalId local = state.local(node);
    if (local.phase() != Phase::idle || traits(local).requests_left > 0) return false;
  }
  return true;
}

bool AlgorithmSystem::examinable(const State& state) const {
  if (!structured_ || faulty_ || state.packets() > 0) return false;
  for (Node node = 0; node < state.nodes(); ++node) {
    Phase phase = state.local(node).phase();
    if (phase == Phase::joining || phase == Phase::leaving) return false;
  }
  return true;
}

sim::Finding AlgorithmSystem::disorder(const State& state) {
  if (!examinable(state)) return {};
  std::vector<LocalId> members;
  for (Node node = 0; node < state.nodes(); ++node)
    if (exists(state.local(node).phase())) members.push_back(state.local(node));
  if (members.empty()) return {};
  return sim::finding_of(model_.disorder(members));
}

sim::Finding AlgorithmSystem::memory(const State& state) {
  // Over an overlay, all nodes remember who held the lock.
  if (routed_ || faulty_ || state.packets() > 0) return {};
  std::size_t remembered = 0;
  for (Node node = 0; node < state.nodes(); ++node) {
    Phase phase = state.local(node).phase();
    if (phase == Phase::gone) continue;
    if (phase != Phase::idle) return {};
    remembered += traits(state.local(node)).remembered;
  }
  return sim::memory_at_rest(remembered, model_.remembered_at_start(roster(state)));
}

}  // namespace conch::check
