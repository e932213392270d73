// A lock or an election among a few nodes, as the search sees it: which steps a state allows, and
// which state each step leads to.
#pragma once

#include <optional>
#include <vector>

#include "check/check.hpp"
#include "check/known_outcomes.hpp"
#include "check/transition_system.hpp"

namespace conch::check {

/// Belongs to one thread.
class AlgorithmSystem {
 public:
  using State = check::State;
  using Step = check::Step;

  /// What a step did, besides leading to another state.
  struct StepResult {
    std::optional<sim::Violation> violation;
    /// The `Sometimes` that were seen, as a set of bits.
    std::uint32_t seen = 0;
    bool entered = false;
    bool withdrew = false;
    bool joined = false;
    bool left = false;
    /// Another node at once passed on a message that the step sent (see `post`).
    bool carried_on = false;
    /// What the node of the step sent, without what other nodes sent when they learned a new
    /// roster.
    const std::vector<Sent>* sent = nullptr;
  };
  /// The step that first reached a state: which node took it, whether it commutes with other nodes'
  /// steps, and what it sent.
  struct Note {
    const std::vector<Sent>* sent = nullptr;
    std::uint16_t last = 0;
    bool plain = false;
  };

  AlgorithmSystem(Model& model, const Options& options);

  Cut cut() const {
    Node nodes = options_.setting.nodes;
    return {(nodes + 1) / 2, (nodes + 1) / 2, nodes + 3};
  }
  State state(std::span<const std::uint32_t> words) const {
    return State(options_.setting.nodes, words);
  }
  State initial();
  void steps(const State& state, std::vector<Step>& steps);
  void take(const State& state, const Step& step, State& next, StepResult& taken);

  Note note(const Step& step, const StepResult& taken) const;
  bool needless(const Note& note, const Step& step) const;
  /// Protocols over an overlay only: no node wants the lock now, and none will request it again.
  bool is_over(const State& state) { return routed_ && nobody_will_ask(state); }

  std::optional<sim::Violation> judge(const State& state);
  std::optional<sim::Violation> judge(const State&, const std::vector<Step>&) const { return {}; }
  std::uint32_t sights(const State& state) const;

  // For the cycle search. Requests are bounded, so a cycle consists of deliveries, timers, ticks,
  // suspicions and noticed crashes only.
  std::uint64_t generation(const State& state);
  bool may_recur(const Step& step) const;
  bool somebody_waits(const State& state);
  /// What must happen sooner or later: messages arrive, holders release, and crashes are noticed.
  void duties(const State& state, std::vector<std::uint32_t>& duties);
  std::optional<std::uint32_t> duty_of(const Step& step) const;

 private:
  struct Traits {
    bool known = false;
    std::uint32_t requests_left = 0;
    std::uint32_t armed = 0;
    std::size_t remembered = 0;
    Ballot ballot;
  };

  const InputOutcome& apply(Node node, LocalId local, const PackedInput& input);
  const Traits& traits(LocalId local);
  void local_steps(const State& state, Node node, std::vector<Step>& steps);
  void steps_with_others(const State& state, Node node, std::vector<Step>& steps);
  void packet_steps(const State& state, std::vector<Step>& steps);
  void election_steps(const State& state, Node node, std::vector<Step>& steps);
  bool may_tick(const State& state);
  void take_tick(State& next, StepResult& taken);
  bool nobody_will_ask(const State& state);
  bool timers_help(State state);
  bool heeds_crash(const State& state, Node node, Node other);
  bool deliverable(const State& state, std::uint32_t index) const;
  /// Does what the step changes besides its node: budgets, messages and the clock. Returns nothing
  /// if that is the whole step, else whether a token arrives with the node's input.
  std::optional<bool> prepare(State& next, const Step& step, StepResult& taken);
  void perform(State& state, Node node, const PackedInput& input, bool token, StepResult& taken);
  void settle(State& state, Node node, const InputOutcome& outcome, StepResult& taken);
  void enter(State& state, Node node, const Entry& entered, StepResult& taken) const;
  void post(State& state, Node node, const Sent& sent, StepResult& taken);
  void clear_away(State& state, Node node);
  void watch_passing(LocalId before, const State& state, Node node, StepResult& taken);
  void publish_roster(State& state, StepResult& taken);
  PackedInput input_of(const State& state, const Step& step) const;

  /// Finds a state in which a node waits and nothing but new requests can happen.
  sim::Finding deadlock(const State& state);
  /// Checks that, at rest, the nodes remember no more than at the start.
  sim::Finding memory(const State& state);
  /// Whether the algorithm's structure can be examined: no faults are allowed, nothing is in
  /// flight, and no node is joining or leaving.
  bool examinable(const State& state) const;
  sim::Finding disorder(const State& state);
  std::uint32_t sights(const State& state, const Step& step, const StepResult& taken) const;

  // Elections only.
  /// Checks E1 and E2 once nothing can happen but new elections, crashes and retirements.
  std::optional<sim::Violation> election_end(const State& state);
  std::uint32_t election_sights(const State& state, const Step& step, const State& next);
  /// The nodes that could notice that their coordinator has crashed, as a set of bits.
  std::uint32_t noticing(const State& state);
  bool anybody_takes_part(const State& state);

  Model& model_;
  const Options& options_;
  // Constants that follow from the algorithm and the options.
  bool elects_;
  bool routed_;
  bool structured_;
  /// Some steps name another node: a node may join, suspect another, or be told of a crash.
  bool heeds_others_;
  /// Faults are allowed. They leave traces, such as a remembered suspicion or a wait for a lost
  /// message, so the structure and the memory at rest are not checked.
  bool faulty_;
  /// No node joins or leaves, so no step tells all nodes of a new roster.
  bool stays_;
  KnownOutcomes<InputOutcome> known_;
  Blocks<Traits> traits_;
};

/// Whether the process exists: it receives messages and may be asked to do something.
inline bool exists(Phase phase) { return phase != Phase::gone && phase != Phase::crashed; }

constexpr std::uint32_t bit(Sometimes sometimes) { return 1U << static_cast<unsigned>(sometimes); }

}  // namespace conch::check
