// Where a group's sockets and its state are on this machine. Everything here throws Error with a
// sentence that says what to do.
//
// Both directories are private to the user: who can reach a socket can take a lock, and who can
// write the state can forge a view.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace conch::peer {

/// Where to look instead of where the environment says; empty: there. The group's name is added.
struct DirectoryChoice {
  std::string runtime;
  std::string state;
};

struct Directories {
  /// The sockets; empty after a reboot, or when everybody has left.
  std::string runtime;
  /// The register.
  std::string state;
};

/// runtime: $XDG_RUNTIME_DIR/conch/GROUP, else /tmp/conch-UID/GROUP;
/// state: $XDG_STATE_HOME/conch/GROUP, else $HOME/.local/state/conch/GROUP.
/// Makes nothing. A relative path in the environment counts as none, as XDG has it.
Directories directories_of(std::string_view group, const DirectoryChoice& choice = {});

/// Makes them, readable by their user alone. Refuses what is another user's, open to others, or
/// not a directory; who would only look finds out the same way.
Directories make_directories(std::string_view group, const DirectoryChoice& choice = {});

// A machine whose peers have joined from elsewhere has no register of its own. Were one made when
// none of them runs, there would be two groups of one name, and two holders.

/// Notes in the state directory that the register is where these words of `conch peer` lead.
void note_elsewhere(const std::string& state, const std::vector<std::string>& words);
/// What was noted; empty: nothing.
std::string elsewhere(const std::string& state);

/// What a socket in the runtime directory is good for.
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

/// Its path in the runtime directory. The kernel takes 107 bytes: what is longer is refused.
std::string socket_path(const std::string& runtime, const Socket& socket);
/// Those that are there, hosts first. Whether anybody still listens is found out by connecting.
std::vector<Socket> sockets_in(const std::string& runtime);
/// The paths of those behind which a process listens, be it stopped.
std::vector<std::string> living_sockets(const std::string& runtime);
/// Removes the sockets of those who were killed.
void remove_abandoned_sockets(const std::string& runtime);

}  // namespace conch::peer
