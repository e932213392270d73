// What came of a command, as its exit status and its output say.
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
  broken,     // a safety property
  stuck,      // a liveness property
  crashed,    // the process, by a signal or in a way that it does not document
  timed_out,  // it did not end
  refused,    // the options: explore drew what the command does not take
  unable,     // it cannot run here, and says why
};
std::string_view word(Ending ending);
/// Whether somebody has to look at it.
inline bool is_found(Ending ending) { return ending != Ending::held && ending != Ending::unable; }

/// A process that is over.
struct Finished {
  int status = 0;
  bool timed_out = false;
  std::string output;
};

struct Outcome {
  Ending ending = Ending::held;
  std::uint64_t runs = 0;
  /// Of a checker, the transitions.
  std::uint64_t messages = 0;
  std::map<std::string, std::uint64_t> sometimes = {};
  std::vector<std::uint64_t> failed_seeds = {};
  /// The line that says what was found, or why it cannot run.
  std::string what = {};
};

enum class Speaker : std::uint8_t { conch, fuzz, chaos };

Outcome read_outcome(Speaker speaker, const Finished& finished, const Seeds& seeds);

/// What two findings have in common that are probably the same: how it ended, and what was broken.
std::string kind_of(const Outcome& outcome);

}  // namespace conch::explore
