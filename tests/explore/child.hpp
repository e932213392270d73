// A command as a child process, until it ends, or has had its time.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "explore/outcome.hpp"

namespace conch::explore {

struct Patience {
  /// It is asked to end after so long, and killed after so much longer.
  Milliseconds enough;
  /// Of processor time; or four times as much by the clock.
  Milliseconds limit;
};

struct ChildEnd {
  Finished finished;
  /// Because everything ends now: what it says about itself may not mean anything.
  bool was_stopped = false;
};

/// `stop`: everything ends now.
ChildEnd run_child(const std::vector<std::string>& words, const Patience& patience,
                   const std::atomic<bool>& stop);

}  // namespace conch::explore
