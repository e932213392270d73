// From addresses to sockets.
#pragma once

#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "net/descriptor.hpp"
#include "net/private_folder.hpp"
#include "wire/address.hpp"

namespace conch::net {

/// This machine.
class Here : public wire::Surroundings {
 public:
  /// Only the sockets of this folder count; all if it is empty. Peers with a state directory of
  /// their own speak TCP with the rest, as if they were on another machine.
  explicit Here(std::string folder = {}) : folder_(std::move(folder)) {}
  const std::string& boot() const override;
  /// By its file's name in the folder, which no two peers have alike: another process may have the
  /// same folder under another path.
  std::string path_here(const std::string& path) const override;

 private:
  std::string folder_;
};

/// A Member's address, or a mere `host:port`; none if it is neither.
wire::Ways parse_ways(const std::string& address);

/// A connection that is made, or being made; or why not.
struct Dialed {
  Descriptor socket;
  bool connected = false;
  std::string error = {};
  /// Whether the error is that another user listens, or could.
  bool is_untrusted = false;
};

/// Begins to connect. A Unix socket is one of this user's, in a folder of this user's, or is
/// refused. A name of several machines, or of one with several numbers, is tried number
/// by number, from attempt to attempt. A number never blocks; a name is looked up here and now,
/// which takes as long as the system's resolver takes.
Dialed dial(const wire::Way& way, unsigned attempt);
/// Whether one would come out on this machine. A name is looked up, as for `dial`.
bool leads_here(const wire::TcpWay& way);
/// What became of a connection that was being made: empty if it is.
std::string connection_error(int socket);

/// Where the other end is, for people: "tcp 10.0.0.7:51234".
std::string describe_other_end(int socket);

/// Why the process at the other end of a Unix socket is not to be believed: it is another user's;
/// empty if it is of this user.
std::string objection_to_process(const ucred& process, uid_t user);
/// Whether the other end of a Unix socket is a process of this user.
bool is_of_same_user(int socket);

}  // namespace conch::net
