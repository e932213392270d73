// Dials addresses, and tells which of them are on this machine.
#pragma once

#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "net/descriptor.hpp"
#include "net/private_folder.hpp"
#include "wire/address.hpp"

namespace conch::net {

/// The local machine.
class LocalHost : public wire::HostInfo {
 public:
  /// Counts only the sockets in this folder as local, or all if it is empty. So peers with a state
  /// directory of their own speak TCP with all others, as if they were on another machine.
  explicit LocalHost(std::string folder = {}) : folder_(std::move(folder)) {}
  const std::string& boot() const override;
  /// Looks for the same file name in `folder`, as another process may see the same folder under
  /// another path. No two peers have the same file name.
  std::string path_here(const std::string& path) const override;

 private:
  std::string folder_;
};

/// Parses a Member's address or a plain `host:port`; returns no way if it is neither.
wire::Ways parse_ways(const std::string& address);

/// A socket that is connected or connecting, or why there is none.
struct Dialed {
  Descriptor socket;
  bool connected = false;
  std::string error = {};
  /// Whether it failed because another user listens there, or could.
  bool is_untrusted = false;
};

/// Begins to connect. A Unix socket is refused unless this user owns it and its folder. If a host
/// name has several numbers, each attempt takes the next. The connect itself never blocks, but a
/// name is looked up here and now, which may take as long as the system's resolver takes.
Dialed dial(const wire::Way& way, unsigned attempt);
/// Whether this address leads to this machine. Looks names up, as `dial` does.
bool leads_here(const wire::TcpWay& way);
/// The error of a finished connect; empty if it succeeded.
std::string connection_error(int socket);

/// Describes the other end for people, e.g. "tcp 10.0.0.7:51234".
std::string describe_other_end(int socket);

/// Why not to trust the process at the other end of a Unix socket: it belongs to another user.
/// Empty if it is this user's.
std::string objection_to_process(const ucred& process, uid_t user);
/// Whether the other end of a Unix socket is a process of this user.
bool is_of_same_user(int socket);

}  // namespace conch::net
