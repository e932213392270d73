// Notices a `conch lock` inside of one that holds the same lock: it would wait for ever.
//
// Every `conch lock` adds a line to $CONCH_HELD for its command: which process it is, since when,
// and what it locks. That alone proves nothing, for the variable outlives the process, and numbers
// are used again: the line counts if /proc shows that very process above this one. Such a process
// has the lock, or its command would not run.
#pragma once

#include "cli/borrowed_lock.hpp"

namespace conch::cli {

/// Throws std::invalid_argument if one has it; two that share it do not disturb each other.
void expect_no_ancestor_holds(const LockWish& wish);

/// What this process starts from here on knows of it.
void note_for_descendants(const LockWish& wish);

}  // namespace conch::cli
