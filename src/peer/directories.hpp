// Where a group's state and its sockets are on this machine. Everything here throws Error with a
// sentence that says what to do.
//
// Both are private to the user: who can reach a socket can take a lock, and who can write the state
// can forge a view. The sockets are with the state, so that all who share a register find each
// other, whatever else is in their environments.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace conch::peer {

struct Directories {
  /// The register.
  std::string state;
  /// In it, `sockets/BOOT`: whatever does not outlive a boot. Another machine that shares the state
  /// directory, as by NFS, has another boot and so another folder.
  std::string sockets;
};

/// The state is in `chosen`/GROUP; if nothing was chosen, in $XDG_STATE_HOME/conch/GROUP, else in
/// $HOME/.local/state/conch/GROUP, or below the home that the user database has. Makes nothing. A
/// relative path in the environment counts as none, as XDG has it.
Directories directories_of(std::string_view group, const std::string& chosen = {});

/// Makes them, readable by their user alone, and removes what former boots of this machine left.
/// Throws net::Untrusted as `check_directories` does.
Directories make_directories(std::string_view group, const std::string& chosen = {});

/// Throws net::Untrusted for what is another user's, open to others, or not a directory: they
/// themselves, and the way to them as far as it is there. Makes nothing.
void check_directories(std::string_view group, const std::string& chosen = {});

/// Removes the folders beside this one that have the same `machine` noted in them: of a former
/// boot.
void remove_former_boots(const std::string& sockets, const std::string& machine);

// A machine whose peers have joined from elsewhere has no register of its own. Were one made when
// none of them runs, there would be two groups of one name, and two holders.

/// Notes in the state directory that the register is where these words of `conch peer` lead.
void note_elsewhere(const std::string& state, const std::vector<std::string>& words);
/// What was noted; empty: nothing.
std::string elsewhere(const std::string& state);

/// What a socket is good for.
enum class Role : std::uint8_t {
  /// A peer that stays and serves the `conch lock` of this machine: `host.ID.sock`.
  host,
  /// One that serves nobody but other peers: `peer.ID.sock`.
  peer,
};

struct Socket {
  Role role = Role::peer;
  NodeId id{};

  auto operator<=>(const Socket&) const = default;
};

/// Its path in the folder of sockets.
std::string socket_path(const std::string& folder, const Socket& socket);
/// Those that are there, hosts first. Whether anybody still listens is found out by connecting.
std::vector<Socket> sockets_in(const std::string& folder);
/// Removes the sockets of those who were killed.
void remove_abandoned_sockets(const std::string& folder);

}  // namespace conch::peer
