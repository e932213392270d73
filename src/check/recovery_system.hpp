// A group that recovers, as the search sees it: which steps a state allows, which state each leads
// to, and whether it breaks a property.
#pragma once

#include <vector>

#include "check/known_outcomes.hpp"
#include "check/recovery_check.hpp"
#include "check/transition_system.hpp"

namespace conch::check::group {

/// What a step did, besides the next state.
struct Taken {
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
  using Taken = group::Taken;
  struct Note {};

  GroupSystem(Model& model, const Options& options) : model_(model), options_(options) {}

  Cut cut() const {
    Slot slots = setting().slots();
    return {State::first + slots / 2, slots / 2, State::first + slots};
  }
  State state(std::span<const std::uint32_t> words) const {
    return State(setting().slots(), words);
  }
  /// The founders are working, and nobody has requested anything yet.
  State initial();
  void steps(const State& state, std::vector<Step>& steps);
  void take(const State& state, const Step& step, State& next, Taken& taken);

  Note note(const Step&, const Taken&) const { return {}; }
  bool needless(const Note&, const Step&) const { return false; }
  bool is_over(const State&) const { return false; }
  std::uint32_t sights(const State&) const { return 0; }
  std::optional<sim::Violation> judge(const State&) const { return {}; }
  std::optional<sim::Violation> judge(const State& state, const std::vector<Step>& steps);

  std::string name(Slot slot) const;
  std::string headline(const State& state, const Step& step);

 private:
  struct ViewFacts {
    Epoch epoch{0};
    std::uint64_t number = 0;
    Slots roster = 0;
    /// The slots whose leases matter, and those of them that keep theirs.
    Slots concerned = 0;
    Slots tenants = 0;
  };

  const Setting& setting() const { return options_.setting; }
  const Facts& facts(PeerNumber peer);
  const Facts& facts(const State& state, Slot slot) { return facts(state.peer(slot)); }
  const ViewFacts& view(ViewNumber view);
  const ViewFacts& view(const State& state) { return view(state.view()); }
  const Outcome& outcome(PeerNumber peer, const Input& input);
  bool concerns(const State& state, Slot slot);
  bool is_member(const State& state, Slot slot) { return (view(state).roster >> slot & 1) != 0; }
  bool was_put_out(const State& state, Slot slot) {
    return ((view(state).concerned & ~view(state).tenants) >> slot & 1) != 0;
  }
  bool counts_as_inside(const State& state, Slot slot);
  Input what_the_register_says(const State& state);
  std::optional<Slot> next_life(const State& state, Slot slot) const;

  void steps_of_running(const State& state, Slot slot, std::vector<Step>& steps);
  void steps_of_process(const State& state, Slot slot, std::vector<Step>& steps);
  void steps_of_register(const State& state, Slot slot, std::vector<Step>& steps);
  void suspicions(const State& state, Slot slot, std::vector<Step>& steps);
  void faults_of_running(const State& state, Slot slot, std::vector<Step>& steps);
  void steps_of_messages(const State& state, std::vector<Step>& steps);
  bool may_lapse(const State& state, Slot slot);
  bool must_happen(const State& state, const Step& step) const;
  /// Finds a state in which nothing has to happen any more and somebody is stuck.
  sim::Finding deadlock(const State& state, const std::vector<Step>& steps);

  void perform(State& state, const Step& step, Taken& taken);
  void apply(State& state, Slot slot, const Input& input, Taken& taken);
  void granted(State& state, Slot slot, const Grant& grant, Taken& taken);
  void fetch(State& state, Slot slot, const Grant& grant, Taken& taken);
  void accept(State& state, ViewNumber view, Taken& taken);
  void leave(State& state, Slot slot, Taken& taken);
  void start(State& state, Slot slot, Taken& taken);
  void crash(State& state, Slot slot, Taken& taken);
  void wake(State& state, Slot slot, Taken& taken);
  void forget_the_dead(State& state);
  void judge_holders(const State& state, Taken& taken);
  void notice(const State& before, const State& after, Slot slot, Taken& taken);

  static void found(Taken& taken, sim::Property property, const std::string& what) {
    if (!taken.violation) taken.violation = sim::Violation{property, what};
  }
  static void say(Taken& taken, const std::string& line) {
    if (taken.lines != nullptr) taken.lines->push_back(line);
  }

  Model& model_;
  const Options& options_;
  // Caches of the model's answers.
  Blocks<const Facts*> facts_{model_.memory()};
  Blocks<std::optional<ViewFacts>> views_{model_.memory()};
  KnownOutcomes<Outcome> known_{model_.memory()};
};

}  // namespace conch::check::group
