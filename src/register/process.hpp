// Says which process a life is, so that others on the machine can tell its death from its silence.
//
// A file, the *mark*, holds two locks. The process has one; the kernel drops it when the process
// dies or execs. A *keeper* has the other. A keeper is a process that must finish something before
// the life may be over, such as killing a command that ran under a lock. The life is over when
// neither lock is held.
//
// A pidfd provides the wake-up. It also proves that the process has gone, provided that it was
// checked while the process lived, because process ids are reused. A forked child closes its copy
// of the lock. Where it could not, a peer that has a pidfd still sees the process as dead, and
// all others wait until its lease runs out. A pidfd says nothing about keepers; for them only
// the lock counts. A stopped process is not dead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch::file {

/// `life.ID.INCARNATION`, the name of the mark or folder of a life.
std::string name_of_life(const PeerInstance& life);
/// Parses such a name; empty if it is not one.
std::optional<PeerInstance> life_named(std::string_view name);

/// Writes the identity of this process into a new file, and locks it for as long as the descriptor
/// is open.
Descriptor mark_as_mine(const Directory& root, const std::string& name);

/// Takes the keepers' lock on a mark of ours. It lasts until every process that has the descriptor
/// has closed it or died.
Descriptor keep(const Descriptor& mark, const std::string& path);

enum class Pulse : std::uint8_t {
  /// There is no mark, so only the time of its lease counts.
  unknown,
  alive,
  /// Its process has gone, but a keeper has not.
  kept,
  gone,
};

/// `seen_dead`: a pidfd of the process that marked the file says that it has ended.
Pulse pulse_of(const Directory& root, const std::string& name, bool seen_dead);

/// Opens a pidfd of the process that marked the file. Empty if the process has gone, or cannot be
/// identified from here because it is in another container.
Descriptor watch_process(const Directory& root, const std::string& name);

/// Whether the process of this pidfd has ended.
bool has_ended(const Descriptor& process);

}  // namespace conch::file
