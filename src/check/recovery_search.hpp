// The states of a small group that recovers, and what is looked for in each.
#pragma once

#include "check/breadth_first.hpp"
#include "check/recovery_check.hpp"
#include "check/recovery_walker.hpp"

namespace conch::check::group {

struct Exploration {
  using Walker = group::Walker;
  using Step = group::Step;

  struct Record {
    std::uint32_t parent = 0;
    Step taken;
    const Step& step() const { return taken; }
  };
  struct Note {};
};

class Search : BreadthFirst<Exploration> {
 public:
  Search(Model& model, const Options& options, const ProgressSink& progress)
      : BreadthFirst(model, options, progress, false), options_(options) {}
  /// Fills everything but the model.
  Report run();

 private:
  void begin(Worker& worker) override;
  void expand(Worker& worker, Words words, const Item& item) override;
  void arrive(Worker& worker, const State& state, Id parent, const Step& step);

  const Options& options_;
};

/// Of all that these bounds should reach: whether it is among the bits.
std::map<Sometimes, bool> expected(const Options& options, std::uint32_t seen);

}  // namespace conch::check::group
