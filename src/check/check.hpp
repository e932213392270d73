// The model checker: explores every interleaving of a lock or an election among a few nodes, within
// bounds on what may happen, and reports a shortest run that breaks a property. Used by `conch
// check`.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/model.hpp"
#include "check/report.hpp"
#include "check/state.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::check {

struct Options {
  Setting setting;
  /// How often each kind of event may happen in a run: cancels, leaves, joins and faults.
  std::map<Budget, std::uint32_t> budgets;
  bool fifo = false;
  /// Prunes needless steps and messages. If false, independent steps are taken in every order.
  bool reduce = true;
  /// Looks for livelocks (cycles) after the search.
  bool livelock = true;
  /// A failure detector tells every node of every crash, sooner or later.
  bool detect = false;
  unsigned threads = 1;
  std::size_t bytes_max = std::size_t{4} << 30;
  /// Set from outside to end the run early.
  const std::atomic<bool>* stop = nullptr;

  std::uint32_t budget(Budget budget) const {
    auto found = budgets.find(budget);
    return found == budgets.end() ? 0 : found->second;
  }
};

/// Throws BadText with a sentence if the options cannot be combined.
void validate(const Options& options);

enum class StepKind : std::uint8_t {
  request,
  release,
  cancel,
  deliver,
  timer,
  leave,
  join,
  duplicate,
  lose,
  crash,
  suspect,
  elect,
  notice,  // a node notices that its coordinator has crashed
  retire,
  restart,
  tick  // half of the longest message delay passes
};

/// One step of a run.
struct Step {
  StepKind kind = StepKind::request;
  Node node = 0;
  /// The contact of a join, the suspected node, the sender of a message, or the timer.
  Node other = 0;
  PackedMessage packet;
};

/// Situations that an exploration must reach if its bounds allow them. One that misses some of them
/// has not checked what it claims to.
enum class Sometimes : std::uint8_t {
  two_wait,
  waits_while_inside,
  readers_together,
  token_and_request_in_flight,
  cancel_meets_message,
  withdrawn,
  joined,
  left,
  examined,
  fault,
  elections_overlap,
  participant_crashed,
  announcer_crashed,
  restarted_coordinator,
  replaced,
  stopped,
  handed_on,
  timer,
  yielded
};
std::string_view word(Sometimes sometimes);

struct CheckReport : SearchReport<Step> {
  /// How long the cycle search took, after the main search.
  double livelock_seconds = 0;
  /// The index in `steps` at which a livelock's cycle begins; empty for other violations.
  std::optional<std::size_t> cycle;
  /// Resolves the message numbers in `steps`.
  std::shared_ptr<Model> model;
  /// Elections on a ring: the order of the ring in which the violation occurs.
  std::vector<NodeId> ring;
  /// For each situation that these bounds should reach, whether it was reached.
  std::map<Sometimes, bool> sometimes;

  bool interesting() const;
};

CheckReport check(const Options& options, const ProgressSink& progress = {});

}  // namespace conch::check
