// The model checker for recovery: explores every interleaving of a small group whose peers crash,
// pause, restart, join and leave, with a register, leases, and FIFO links. Used by `conch check
// --recovery`.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "check/recovery_state.hpp"
#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::check::group {

struct Options {
  Setting setting;
  std::map<Budget, std::uint32_t> budgets;
  unsigned threads = 1;
  std::size_t bytes_max = std::size_t{4} << 30;
  /// The search prunes nothing here.
  static constexpr bool reduce = false;
  /// Set from outside to end the run early.
  const std::atomic<bool>* stop = nullptr;

  std::uint32_t budget(Budget budget) const {
    auto found = budgets.find(budget);
    return found == budgets.end() ? 0 : found->second;
  }
};

/// Derives the remaining settings from the budgets. Throws BadText with a sentence if the options
/// cannot be combined.
Options complete(Options options);

enum class StepKind : std::uint8_t {
  request,
  release,
  cancel,
  deliver,
  cut,  // a link breaks: what a crashed peer has sent to this one is lost
  timer,
  watch,    // reads the register
  propose,  // proposes a view without those whose leases have ended
  insist,   // specimen only: goes on as if its refused proposal were accepted
  leave,
  join,
  crash,
  pause,
  wake,
  lapse,  // cannot renew its lease, because it was put out
  end,    // its lease ends
  restart,
  usurp,    // another process starts under the id of a live one
  suspect,  // proposes a view without a peer that may be alive
};

struct Step {
  StepKind kind = StepKind::request;
  InstanceNumber slot = 0;
  /// The sender of the message, the suspected peer, or the timer.
  InstanceNumber other = 0;
};

/// Situations that an exploration must reach if its bounds allow them. One that misses some of them
/// has not checked what it claims to.
enum class Sometimes : std::uint8_t {
  told_at_freeze,
  early,
  refused,
  decider_died,
  overlap,
  late_holder,
  kept,
  released_while_frozen,
  rolled_back,
  joined,
  left,
  withdrawn
};
std::string_view word(Sometimes sometimes);

struct CheckReport : SearchReport<Step> {
  /// For each situation that these bounds should reach, whether it was reached.
  std::map<Sometimes, bool> sometimes;
  std::shared_ptr<Model> model;

  bool interesting() const;
};

CheckReport check(const Options& options, const ProgressSink& progress = {});

/// The numbered steps, each with its consequences.
std::string describe_counterexample(const Options& options, const CheckReport& report);

/// The arguments after `conch` that repeat the run.
std::string command(const Options& options);

/// A system that shows that a rule of the recovery is needed. It is small enough to explore every
/// interleaving: with the rule every property holds, without it the given one breaks.
struct Specimen {
  Rule rule;
  std::string_view algorithm;
  Node nodes;
  std::map<Budget, std::uint32_t> budgets;
  sim::Property caught_by;

  Options options() const;
};
const std::vector<Specimen>& specimens();

}  // namespace conch::check::group
