// Which process a life is, so that others on the machine know its death from its silence.
//
// A file that the living process keeps locked says it: the kernel drops the lock when the process
// dies or execs. The lock is the proof of death; a pidfd is what wakes us, and proof only if it was
// seen to be the right process while that lived, for numbers of processes are used again. A process
// that forked keeps its lock in the child: if the pidfd does not tell, its lease runs out by time.
// A process that is stopped is not dead.
#pragma once

#include <string>

#include "register/directory.hpp"

namespace conch::file {

/// Writes who we are into a new file and locks it, for as long as the descriptor is open.
Descriptor mark_as_mine(const Directory& root, const std::string& name);

/// Whether somebody marked this file, and that process has gone.
bool is_abandoned(const Directory& root, const std::string& name);

/// A pidfd of the process that marked the file, or nothing if there is none, or none that can be
/// told from another: it has gone, or lives in another container.
Descriptor watch_process(const Directory& root, const std::string& name);

/// Whether the process of a pidfd has ended.
bool has_ended(const Descriptor& process);

}  // namespace conch::file
