// One thread's view of the system: which steps a state allows, and where a step leads.
#pragma once

#include <optional>
#include <vector>

#include "check/check.hpp"
#include "check/known_outcomes.hpp"

namespace conch::check {

/// What a step did, beside leading to another state.
struct Taken {
  std::optional<sim::Violation> violation;
  bool entered = false;
  bool withdrew = false;
  bool joined = false;
  bool left = false;
  bool stopped = false;
  bool handed_on = false;
  bool yielded = false;
  /// Something that it sent went on, at once, from another node.
  bool carried_on = false;
  /// What the node that took the step sent; nothing of those it told of a new roster.
  const std::vector<Sent>* sent = nullptr;
};

class Walker {
 public:
  Walker(Model& model, const Options& options);

  State initial();
  void steps(const State& state, std::vector<Step>& steps);
  State take(const State& state, const Step& step, Taken& taken);

  /// Somebody wants something and nothing but new wishes can happen.
  sim::Finding deadlock(const State& state);
  /// Over an overlay: nobody wants anything, or ever will.
  bool over(const State& state);
  /// At rest the nodes remember no more than at the start.
  sim::Finding memory(const State& state);
  /// Whether the algorithm's structure can be examined: nothing is in flight, nobody comes or goes.
  bool examinable(const State& state) const;
  sim::Finding disorder(const State& state);

  // Of an election.
  /// E1 and E2, if nothing can happen any more but new elections, crashes and retirements.
  std::optional<sim::Violation> election_end(const State& state);
  /// What of interest a step showed.
  std::vector<Sometimes> election_sights(const State& state, const Step& step, const State& next);
  /// Who could notice that its coordinator has crashed, as a set of bits.
  std::uint32_t noticing(const State& state);
  bool anybody_takes_part(const State& state);

  Model& model() { return model_; }

 private:
  struct Traits {
    bool known = false;
    bool may_request = false;
    std::uint32_t armed = 0;
    Ballot ballot;
  };

  const Outcome& apply(Node node, LocalId local, const Input& input);
  const Traits& traits(LocalId local);
  void local_steps(const State& state, Node node, std::vector<Step>& steps);
  void packet_steps(const State& state, std::vector<Step>& steps);
  void election_steps(const State& state, Node node, std::vector<Step>& steps);
  bool may_tick(const State& state);
  State take_tick(const State& state, Taken& taken);
  bool elects() const { return model_.entry().can.elects; }
  bool routed() const { return model_.entry().can.routed; }
  bool faulty() const;
  bool timers_help(State state);
  bool heeds_crash(const State& state, Node node, Node other);
  bool deliverable(const State& state, std::uint32_t index) const;
  void perform(State& state, Node node, const Input& input, bool token, Taken& taken);
  void settle(State& state, Node node, const Outcome& outcome, Taken& taken);
  void post(State& state, Node node, const Sent& sent, Taken& taken);
  void clear_away(State& state, Node node);
  void watch_passing(LocalId before, const State& state, Node node, Taken& taken);
  void publish_roster(State& state, Taken& taken);
  static std::uint32_t roster(const State& state);
  static bool is_concerned(const State& state, Node node);
  static bool has_ended(const State& state);
  static std::uint32_t find(const State& state, Packet packet);
  Input input_of(const State& state, const Step& step) const;

  Model& model_;
  const Options& options_;
  KnownOutcomes<Outcome> known_;
  Blocks<Traits> traits_;
};

/// A process that exists: it receives, and may be asked to do something.
inline bool exists(Phase phase) { return phase != Phase::gone && phase != Phase::crashed; }

}  // namespace conch::check
