// Every interleaving of a small system.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/model.hpp"
#include "check/state.hpp"
#include "oracle/oracles.hpp"
#include "sim/population.hpp"

namespace conch::check {

struct Options {
  Setting setting;
  /// How often each thing may happen: cancels, leaves, joins, and faults.
  std::map<Budget, std::uint32_t> budgets;
  bool fifo = false;
  bool exact = false;
  /// Off: independent steps are taken in every order.
  bool reduce = true;
  /// Off: cycles are not looked for.
  bool livelock = true;
  /// Everybody is told of every crash, sooner or later.
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
  notice,  // that its coordinator has crashed
  retire,
  restart,
  tick  // a part of the time that a message takes at most
};

/// One step of a run.
struct Step {
  StepKind kind = StepKind::request;
  Node node = 0;
  /// The contact, the suspected, or the timer.
  Node other = 0;
  Packet packet;
};

/// What a run must have seen to count as one.
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

struct Progress {
  std::uint64_t states = 0;
  std::uint64_t queue = 0;
  std::uint32_t depth = 0;
};

struct Report {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;
  double seconds = 0;
  /// Of looking for cycles, after that.
  double livelock_seconds = 0;
  std::size_t bytes = 0;
  /// Everything within the bounds was explored.
  bool complete = false;
  /// Why not.
  std::string incomplete;
  std::optional<sim::Violation> violation;
  /// The shortest way to the violation.
  std::vector<Step> steps;
  /// Where a livelock's cycle begins, if it is one.
  std::optional<std::size_t> cycle;
  /// Which numbers the messages of the steps.
  std::shared_ptr<Model> model;
  /// Of an election on a ring: that of the violation.
  std::vector<NodeId> ring;
  /// Of those that these bounds should reach: whether they were.
  std::map<Sometimes, bool> sometimes;

  bool interesting() const;
};

using ProgressSink = std::function<void(const Progress&)>;

Report check(const Options& options, const ProgressSink& progress = {});

}  // namespace conch::check
