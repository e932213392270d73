// From one state of a group to the next: what can happen, what comes of it, and whether it may.
#pragma once

#include <vector>

#include "check/known_outcomes.hpp"
#include "check/recovery_check.hpp"

namespace conch::check::group {

/// What a step did, besides the next state.
struct Taken {
  std::optional<sim::Violation> violation;
  /// Sometimes, as a set of bits.
  std::uint32_t seen = 0;
  /// If somebody wants to read it: a line for each thing that came of it.
  std::vector<std::string>* story = nullptr;
};

constexpr std::uint32_t bit(Sometimes sometimes) { return 1U << static_cast<unsigned>(sometimes); }

/// Belongs to one thread.
class Walker {
 public:
  Walker(Model& model, const Options& options) : model_(model), options_(options) {}

  /// The founders at work, and nothing asked for yet.
  State initial();
  void steps(const State& state, std::vector<Step>& steps);
  State take(const State& state, const Step& step, Taken& taken);
  /// Of a state in which these steps can be taken: nothing has to happen any more, and somebody
  /// waits for it.
  sim::Finding deadlock(const State& state, const std::vector<Step>& steps);

  std::string name(Slot slot) const;
  std::string headline(const State& state, const Step& step);

 private:
  struct ViewFacts {
    Epoch epoch{0};
    std::uint64_t number = 0;
    Slots roster = 0;
    /// Whose leases matter, and who of them keeps one.
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
  void judge(const State& state, Taken& taken);
  void notice(const State& before, const State& after, Slot slot, Taken& taken);

  static void found(Taken& taken, sim::Property property, const std::string& what) {
    if (!taken.violation) taken.violation = sim::Violation{property, what};
  }
  static void say(Taken& taken, const std::string& line) {
    if (taken.story != nullptr) taken.story->push_back(line);
  }

  Model& model_;
  const Options& options_;
  // What the model has said before, so that it is not asked again.
  Blocks<const Facts*> facts_{model_.memory()};
  Blocks<std::optional<ViewFacts>> views_{model_.memory()};
  KnownOutcomes<Outcome> known_{model_.memory()};
};

}  // namespace conch::check::group
