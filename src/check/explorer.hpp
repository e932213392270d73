// The states of a small system, and what is looked for in each.
#pragma once

#include "check/breadth_first.hpp"
#include "check/walker.hpp"

namespace conch::check {

struct Exploration {
  using Walker = check::Walker;
  using Step = check::Step;

  struct Record {
    std::uint32_t parent = 0;
    std::uint32_t packet = 0;
    std::uint32_t packed = 0;

    Record() = default;
    Record(std::uint32_t from, const Step& step)
        : parent(from),
          packet(step.packet.word),
          packed(static_cast<std::uint32_t>(step.kind) << 16 | step.node << 8 | step.other) {}
    Step step() const {
      return {static_cast<StepKind>(packed >> 16), packed >> 8 & 255, packed & 255, Packet{packet}};
    }
  };
  /// What the last step was decides which steps need not be taken: see `needless`.
  struct Note {
    std::uint16_t last = 0;
    bool plain = false;
    const std::vector<Sent>* sent = nullptr;
  };
};

class Explorer : BreadthFirst<Exploration> {
 public:
  Explorer(Model& model, const Options& options, const ProgressSink& progress);

  /// Fills everything but livelocks.
  Report run();
  /// The shortest way to a state with this fingerprint, if there is room to find it; for a cycle
  /// that was found otherwise.
  std::optional<std::vector<Step>> way_to(Fingerprint target);

 private:
  void begin(Worker& worker) override;
  void expand(Worker& worker, Words words, const Item& item) override;
  void arrive(Worker& worker, const State& state, Id from, const Step& step, const Taken& taken);
  bool needless(const Note& note, const Step& step) const;
  void see(Worker& worker, const State& state, const Taken& taken) const;
  std::map<Sometimes, bool> sometimes() const;

  Model& model_;
  const Options& options_;
  std::optional<Fingerprint> target_;
};

}  // namespace conch::check
