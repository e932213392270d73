// Where a group's state and sockets are on this machine. All functions throw Error with a sentence
// that says what to do.
//
// Both are private to the user: anybody who can reach a socket can take a lock, and anybody who can
// write the state can forge a view. The sockets are kept with the state, so that all peers that
// share a register find each other, whatever else differs in their environments.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace conch::peer {

struct Directories {
  /// The directory of the register.
  std::string state;
  /// `sockets/BOOT` in the state directory, for what does not outlive a boot. Another machine that
  /// shares the state directory, e.g. by NFS, has another boot and so another folder.
  std::string sockets;
};

/// The state is in `chosen`/GROUP; if `chosen` is empty, in $XDG_STATE_HOME/conch/GROUP, else in
/// $HOME/.local/state/conch/GROUP, or below the home directory that the user database names.
/// Ignores relative paths in the environment, as XDG demands. Makes nothing.
Directories directories_of(std::string_view group, const std::string& chosen = {});

/// Makes the directories, readable by their user alone, and removes what former boots of this
/// machine left. Throws net::Untrusted as `check_directories` does.
Directories make_directories(std::string_view group, const std::string& chosen = {});

/// Checks the directories and the existing part of the way to them. Throws net::Untrusted for one
/// that is another user's, open to others, or not a directory. Makes nothing.
void check_directories(std::string_view group, const std::string& chosen = {});

/// Removes the folders beside `sockets` whose file `machine` has this content: they are of former
/// boots of the same machine.
void remove_former_boots(const std::string& sockets, const std::string& machine);

// A machine whose peers joined through other machines has no register of its own. If one were
// founded here while none of them runs, there would be two groups of the same name, and two
// holders.

/// Records in the state directory how to reach the register: these options of `conch peer`.
void note_elsewhere(const std::string& state, const std::vector<std::string>& words);
/// The recorded options; empty if there are none.
std::string elsewhere(const std::string& state);

/// What a socket is for.
enum class SocketRole : std::uint8_t {
  /// A long-lived peer that also serves the `conch lock` commands of this machine: `host.ID.sock`.
  host,
  /// A peer that serves only other peers: `peer.ID.sock`.
  peer,
};

struct PeerSocket {
  SocketRole role = SocketRole::peer;
  NodeId id{};

  auto operator<=>(const PeerSocket&) const = default;
};

/// The path of a socket in the folder of sockets.
std::string socket_path(const std::string& folder, const PeerSocket& socket);
/// The sockets in the folder, hosts first. Some may be stale: connecting shows whether a peer still
/// listens.
std::vector<PeerSocket> sockets_in(const std::string& folder);
/// Removes the sockets of processes that were killed.
void remove_abandoned_sockets(const std::string& folder);
/// Looks at a few sockets, drawn at random. A peer that starts adds one; if it looks at more than
/// that, abandoned ones do not pile up, and its start costs the same in a folder of a thousand.
void remove_some_abandoned_sockets(const std::string& folder);

}  // namespace conch::peer
