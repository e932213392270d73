// Detects a `conch lock` that runs under another one that holds the same lock: it would wait for
// ever.
//
// Every `conch lock` adds a line to $CONCH_HELD for its command, with its process id, its start
// time and the lock. The line alone proves nothing, as the variable outlives the process, and
// process ids are reused. It counts only if /proc shows the same process among the ancestors of
// this one. Such a process holds the lock, or its command would not run.
#pragma once

#include "cli/borrowed_lock.hpp"

namespace conch::cli {

/// Throws std::invalid_argument if an ancestor holds the lock, unless both share it.
void expect_no_ancestor_holds(const LockWish& wish);

/// Adds this `conch lock` to $CONCH_HELD for all processes started from here on.
void note_for_descendants(const LockWish& wish);

}  // namespace conch::cli
