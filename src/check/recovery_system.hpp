// A group that recovers, as the search sees it: which steps a state allows, which state each leads
// to, and whether it breaks a property.
#pragma once

#include <vector>

#include "check/known_outcomes.hpp"
#include "check/recovery_check.hpp"
#include "check/transition_system.hpp"

namespace conch::check::group {

/// What a step did, besides the next state.
struct StepResult {
  std::optional<sim::Violation> violation;
  /// The `Sometimes` that were seen, as a set of bits.
  std::uint32_t seen = 0;
  /// If not null, gets a line for each consequence of the step, for a reader.
  std::vector<std::string>* lines = nullptr;
};

constexpr std::uint32_t bit(Sometimes sometimes) { return 1U << static_cast<unsigned>(sometimes); }

/// Belongs to one thread.
class GroupSystem {
 public:
  using State = group::State;
  using Step = group::Step;
  using StepResult = group::StepResult;
  struct Note {};

  GroupSystem(Model& model, const Options& options) : model_(model), options_(options) {}

  Cut cut() const {
    InstanceNumber slots = setting().slots();
    return {State::first + slots / 2, slots / 2, State::first + slots};
  }
  State state(std::span<const std::uint32_t> words) const {
    return State(setting().slots(), words);
  }
  /// The founders are working, and no peer has requested anything yet.
  State initial();
  void steps(const State& state, std::vector<Step>& steps);
  void take(const State& state, const Step& step, State& next, StepResult& taken);

  Note note(const Step&, const StepResult&) const { return {}; }
  bool needless(const Note&, const Step&) const { return false; }
  bool is_over(const State&) const { return false; }
  std::uint32_t sights(const State&) const { return 0; }
  std::optional<sim::Violation> judge(const State&) const { return {}; }
  std::optional<sim::Violation> judge(const State& state, const std::vector<Step>& steps);

  std::string name(InstanceNumber slot) const;
  std::string headline(const State& state, const Step& step);

 private:
  struct ViewFacts {
    Epoch epoch{0};
    std::uint64_t number = 0;
    InstanceSet roster = 0;
    /// The slots whose leases matter, and those among them that keep their leases.
    InstanceSet concerned = 0;
    InstanceSet tenants = 0;
  };

  const Setting& setting() const { return options_.setting; }
  const Facts& facts(PeerNumber peer);
  const Facts& facts(const State& state, InstanceNumber slot) { return facts(state.peer(slot)); }
  const ViewFacts& view(ViewNumber view);
  const ViewFacts& view(const State& state) { return view(state.view()); }
  const InputOutcome& outcome(PeerNumber peer, const PackedInput& input);
  bool concerns(const State& state, InstanceNumber slot);
  bool is_member(const State& state, InstanceNumber slot) {
    return (view(state).roster >> slot & 1) != 0;
  }
  bool was_put_out(const State& state, InstanceNumber slot) {
    return ((view(state).concerned & ~view(state).tenants) >> slot & 1) != 0;
  }
  bool counts_as_inside(const State& state, InstanceNumber slot);
  PackedInput what_the_register_says(const State& state);
  std::optional<InstanceNumber> next_life(const State& state, InstanceNumber slot) const;

  void steps_of_running(const State& state, InstanceNumber slot, std::vector<Step>& steps);
  void steps_of_process(const State& state, InstanceNumber slot, std::vector<Step>& steps);
  void steps_of_register(const State& state, InstanceNumber slot, std::vector<Step>& steps);
  void suspicions(const State& state, InstanceNumber slot, std::vector<Step>& steps);
  void faults_of_running(const State& state, InstanceNumber slot, std::vector<Step>& steps);
  void steps_of_messages(const State& state, std::vector<Step>& steps);
  bool may_lapse(const State& state, InstanceNumber slot);
  bool must_happen(const State& state, const Step& step) const;
  /// Finds a state in which nothing has to happen any more and a peer is stuck.
  sim::Finding deadlock(const State& state, const std::vector<Step>& steps);

  void perform(State& state, const Step& step, StepResult& taken);
  void apply(State& state, InstanceNumber slot, const PackedInput& input, StepResult& taken);
  void granted(State& state, InstanceNumber slot, const Grant& grant, StepResult& taken);
  void fetch(State& state, InstanceNumber slot, const Grant& grant, StepResult& taken);
  void accept(State& state, ViewNumber view, StepResult& taken);
  void leave(State& state, InstanceNumber slot, StepResult& taken);
  void start(State& state, InstanceNumber slot, StepResult& taken);
  void crash(State& state, InstanceNumber slot, StepResult& taken);
  void wake(State& state, InstanceNumber slot, StepResult& taken);
  void forget_the_dead(State& state);
  void judge_holders(const State& state, StepResult& taken);
  void notice(const State& before, const State& after, InstanceNumber slot, StepResult& taken);

  static void found(StepResult& taken, sim::Property property, const std::string& what) {
    if (!taken.violation) taken.violation = sim::Violation{property, what};
  }
  static void say(StepResult& taken, const std::string& line) {
    if (taken.lines != nullptr) taken.lines->push_back(line);
  }

  Model& model_;
  const Options& options_;
  // Caches of the model's answers.
  Blocks<const Facts*> facts_{model_.memory()};
  Blocks<std::optional<ViewFacts>> views_{model_.memory()};
  KnownOutcomes<InputOutcome> known_{model_.memory()};
};

}  // namespace conch::check::group
