// The result of a command, read from its exit status and its output.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "explore/task.hpp"

namespace conch::explore {

enum class Ending : std::uint8_t {
  held,
  broken,     // a safety property is broken
  stuck,      // a liveness property is broken
  crashed,    // the process ended by a signal or with an undocumented status
  timed_out,  // it did not end
  refused,    // explore drew options that the command does not take
  unable,     // the command cannot run here, and says why
};
std::string_view word(Ending ending);
/// Whether a developer has to look at it.
inline bool is_found(Ending ending) { return ending != Ending::held && ending != Ending::unable; }

/// A process that has ended.
struct Finished {
  int status = 0;
  bool timed_out = false;
  std::string output;
};

struct TaskResult {
  Ending ending = Ending::held;
  std::uint64_t runs = 0;
  /// Messages; for a checker, transitions.
  std::uint64_t messages = 0;
  std::map<std::string, std::uint64_t> sometimes = {};
  std::vector<std::uint64_t> failed_seeds = {};
  /// The line that says what was found, or why the command cannot run.
  std::string what = {};
};

enum class Speaker : std::uint8_t { conch, fuzz, chaos };

TaskResult read_outcome(Speaker speaker, const Finished& finished, const Seeds& seeds);

/// A name for findings that are probably the same: how the command ended, and what was broken.
std::string kind_of(const TaskResult& outcome);

}  // namespace conch::explore
