// Runs a command as a child process until it ends or its time is over.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "explore/outcome.hpp"

namespace conch::explore {

struct Patience {
  /// The time after which the command is asked to end; never if zero.
  Milliseconds enough;
  /// The processor time that the command may use after it is asked to end (or after its start, if
  /// it is never asked) before it is killed. By the clock, it may take four times as much.
  Milliseconds limit;
};

struct ChildEnd {
  Finished finished;
  /// It was interrupted because the whole program ends; its output may mean nothing.
  bool was_stopped = false;
};

/// `stop` is set when the whole program ends.
ChildEnd run_child(const std::vector<std::string>& words, const Patience& patience,
                   const std::atomic<bool>& stop);

}  // namespace conch::explore
