// Which process a life is, so that others on the machine know its death from its silence.
//
// A file says it, the *mark*, in which two things are locked. The process locks one; the kernel
// drops that when it dies or execs. A *keeper* locks the other: somebody who does for the process
// what must be done before its life is over, such as to kill the command that it ran under a lock.
// The life is over when neither is locked.
//
// A pidfd is what wakes us. It is also proof that the process has gone, if it was seen to be the
// right one while that lived, for numbers of processes are used again. A forked child closes its
// copy of the lock; where it could not, the process is dead all the same for who has a pidfd, and
// others wait until its lease runs out by time. A pidfd says nothing about keepers, for whom the
// lock alone speaks. A process that is stopped is not dead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch::file {

/// `life.ID.INCARNATION`: of what belongs to it.
std::string name_of_life(const recovery::Life& life);
/// Whose that is; none if it is no such name.
std::optional<recovery::Life> life_named(std::string_view name);

/// Writes who we are into a new file and locks it, for as long as the descriptor is open.
Descriptor mark_as_mine(const Directory& root, const std::string& name);

/// For a keeper: a lock on a mark of ours that lasts until all who have the descriptor closed it or
/// died.
Descriptor keep(const Descriptor& mark, const std::string& path);

enum class Pulse : std::uint8_t {
  /// Nobody marked the file: it is for who speaks for it to say.
  unknown,
  alive,
  /// Its process has gone, a keeper has not.
  kept,
  gone,
};

/// `seen_dead`: a pidfd of the process that marked it says so.
Pulse pulse_of(const Directory& root, const std::string& name, bool seen_dead);

/// A pidfd of the process that marked the file, or nothing if there is none, or none that can be
/// told from another: it has gone, or lives in another container.
Descriptor watch_process(const Directory& root, const std::string& name);

/// Whether the process of a pidfd has ended.
bool has_ended(const Descriptor& process);

}  // namespace conch::file
