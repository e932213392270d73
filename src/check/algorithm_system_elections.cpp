// Elections. The bully algorithm relies on time, so there is a clock, which ticks twice in the
// longest time that a message takes. A message is delivered in the tick in which it was sent or in
// the next one, and time does not pass while an older message or a due timer waits. An answer
// arrives at most two ticks after the question, so its timeout T is 3. A process that was asked
// announces itself at most 1 + T ticks later, and the announcement arrives one tick after that, so
// its timeout T' is 6.
#include "check/algorithm_system.hpp"
#include "sim/election_oracle.hpp"

namespace conch::check {

namespace {

constexpr std::uint32_t timers_max = 32 / timer_bits;

bool sends(const State& state, Node node) {
  for (std::uint32_t i = 0; i < state.packets(); ++i)
    if (state.packet(i).from() == node) return true;
  return false;
}

}  // namespace

void AlgorithmSystem::election_steps(const State& state, Node node, std::vector<Step>& steps) {
  LocalId local = state.local(node);
  auto may = [&](Budget budget) { return state.left(budget) > 0; };
  auto add = [&](bool possible, StepKind kind, std::uint32_t other = 0) {
    if (possible) steps.push_back({kind, node, other, {}});
  };
  if (!exists(local.phase())) return add(may(Budget::restart), StepKind::restart);
  const Traits its = traits(local);
  add(its.requests_left > 0 && !its.ballot.participant, StepKind::elect);
  add((noticing(state) >> node & 1) != 0, StepKind::notice);
  add(its.ballot.elected == node && may(Budget::retire), StepKind::retire);
  add(may(Budget::crash), StepKind::crash);
  for (std::uint32_t timer = 0; timer < timers_max; ++timer)
    add(ticks_of(its.armed, timer) == 1, StepKind::timer, timer);
}

/// A node cannot notice the crash while a message of its coordinator is in flight.
std::uint32_t AlgorithmSystem::noticing(const State& state) {
  std::uint32_t bits = 0;
  for (Node node = 0; elects_ && node < state.nodes(); ++node) {
    if (!exists(state.local(node).phase())) continue;
    std::optional<Node> elected = traits(state.local(node)).ballot.elected;
    bool gone = elected && !exists(state.local(*elected).phase()) && !sends(state, *elected);
    if (gone) bits |= 1U << node;
  }
  return bits;
}

bool AlgorithmSystem::may_tick(const State& state) {
  for (std::uint32_t i = 0; i < state.packets(); ++i)
    if (state.packet(i).old()) return false;
  bool timed = false;
  for (Node node = 0; node < state.nodes(); ++node) {
    if (!exists(state.local(node).phase())) continue;
    std::uint32_t armed = traits(state.local(node)).armed;
    timed |= armed != 0;
    for (std::uint32_t timer = 0; timer < timers_max; ++timer)
      if (ticks_of(armed, timer) == 1) return false;
  }
  // Without a timer it makes no difference how old a message is.
  return timed;
}

void AlgorithmSystem::take_tick(State& next, StepResult& taken) {
  next.age();
  for (Node node = 0; node < next.nodes(); ++node)
    if (exists(next.local(node).phase()))
      perform(next, node, {InputKind::tick, 0, 0}, false, taken);
  taken.sent = nullptr;
}

bool AlgorithmSystem::anybody_takes_part(const State& state) {
  for (Node node = 0; node < state.nodes(); ++node)
    if (exists(state.local(node).phase()) && traits(state.local(node)).ballot.participant)
      return true;
  return false;
}

std::optional<sim::Violation> AlgorithmSystem::election_end(const State& state) {
  if (state.packets() > 0 || noticing(state) != 0) return {};
  std::vector<sim::Voter> voters;
  bool begun = false;
  for (Node node = 0; node < state.nodes(); ++node) {
    if (!exists(state.local(node).phase())) continue;
    const Traits its = traits(state.local(node));
    if (its.armed != 0) return {};
    std::optional<NodeId> elected;
    if (its.ballot.elected) elected = NodeId{*its.ballot.elected};
    voters.push_back({node, elected, its.ballot.participant, its.ballot.retired});
    begun |= elected || its.ballot.participant;
  }
  // Either no node has begun an election, or those that did crashed before any other heard of it.
  if (!begun) return {};
  sim::Promise promise = sim::promise_of(model_.entry());
  if (sim::Finding finding = sim::wrong_coordinator(voters, promise))
    return sim::Violation{sim::Property::right_coordinator, *finding};
  if (sim::Finding finding = sim::undecided(voters))
    return sim::Violation{sim::Property::all_elect, *finding};
  return {};
}

std::uint32_t AlgorithmSystem::election_sights(const State& state, const Step& step,
                                               const State& next) {
  std::uint32_t seen = 0;
  auto mark = [&](bool is_seen, Sometimes sometimes) { seen |= is_seen ? bit(sometimes) : 0; };
  auto ballot = [&](const State& in) { return traits(in.local(step.node)).ballot; };
  bool coordinator = ballot(state).elected == step.node;
  bool begins = step.kind == StepKind::elect || step.kind == StepKind::restart;
  mark(begins && anybody_takes_part(state), Sometimes::elections_overlap);
  bool crashes = step.kind == StepKind::crash;
  mark(crashes && ballot(state).participant, Sometimes::participant_crashed);
  mark(crashes && coordinator && sends(state, step.node), Sometimes::announcer_crashed);
  bool elected =
      exists(next.local(step.node).phase()) && !coordinator && ballot(next).elected == step.node;
  auto has_spent = [&](Budget budget) { return state.left(budget) < options_.budget(budget); };
  mark(elected && has_spent(Budget::restart), Sometimes::restarted_coordinator);
  mark(elected && has_spent(Budget::retire), Sometimes::replaced);
  return seen;
}

}  // namespace conch::check
