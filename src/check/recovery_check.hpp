// Every interleaving of a small group that recovers: peers that crash, pause, start again, come and
// go, with a register, leases, and links that deliver in order.
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
#include "sim/population.hpp"

namespace conch::check::group {

struct Options {
  Setting setting;
  std::map<Budget, std::uint32_t> budgets;
  unsigned threads = 1;
  std::size_t bytes_max = std::size_t{4} << 30;
  /// Set from outside to end the run early.
  const std::atomic<bool>* stop = nullptr;

  std::uint32_t budget(Budget budget) const {
    auto found = budgets.find(budget);
    return found == budgets.end() ? 0 : found->second;
  }
};

/// Fills in what follows from the budgets. Throws BadText with a sentence if the options
/// cannot be combined.
Options complete(Options options);

enum class StepKind : std::uint8_t {
  request,
  release,
  cancel,
  deliver,
  cut,  // nothing more arrives of what a crashed peer has sent to another
  timer,
  watch,    // it reads the register
  propose,  // to go on without those whose leases have ended
  insist,   // of a specimen: its proposal was refused, and it goes on as if it were not
  leave,
  join,
  crash,
  pause,
  wake,
  lapse,  // its lease is not prolonged any more, because it was put out
  end,    // of a lease
  restart,
  usurp,    // another process starts under the id of one that runs
  suspect,  // one proposes to go on without another, which may live
};

struct Step {
  StepKind kind = StepKind::request;
  Slot slot = 0;
  /// Who sent the message or is suspected, or the timer.
  Slot other = 0;
};

/// What a run must have seen to count as one.
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

struct Report {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;
  double seconds = 0;
  std::size_t bytes = 0;
  /// Everything within the bounds was explored.
  bool complete = false;
  /// Why not.
  std::string incomplete;
  std::optional<sim::Violation> violation;
  /// The shortest way to the violation.
  std::vector<Step> steps;
  /// Of those that these bounds should reach: whether they were.
  std::map<Sometimes, bool> sometimes;
  std::shared_ptr<Model> model;

  bool interesting() const;
};

Report check(const Options& options, const ProgressSink& progress = {});

/// The steps, with what came of each.
std::string tell_story(const Options& options, const Report& report);

/// The arguments after `conch` that repeat the run.
std::string command(const Options& options);

/// A system, small enough that every interleaving is explored, in which it shows that a rule of the
/// recovery is needed: with the rule everything holds, without it the property breaks.
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
