// From addresses to sockets.
#pragma once

#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "net/descriptor.hpp"
#include "wire/address.hpp"

namespace conch::net {

/// This machine.
class Here : public wire::Surroundings {
 public:
  /// Only the sockets of this folder count; all if it is empty. Peers with a runtime directory of
  /// their own speak TCP with the rest, as if they were on another machine.
  explicit Here(std::string folder = {}) : folder_(std::move(folder)) {}
  const std::string& boot() const override;
  bool is_socket(const std::string& path) const override;

 private:
  std::string folder_;
};

/// Of a file: where it is.
std::string folder_of(const std::string& path);

/// A Member's address, or a mere `host:port`; none if it is neither.
wire::Ways parse_ways(const std::string& address);

/// A connection that is made, or being made; or why not.
struct Dialed {
  Descriptor socket;
  bool connected = false;
  std::string error = {};
};

/// Begins to connect. A name of several machines, or of one with several numbers, is tried number
/// by number, from attempt to attempt. A number never blocks; a name is looked up here and now,
/// which takes as long as the system's resolver takes.
Dialed dial(const wire::Way& way, unsigned attempt);
/// Whether one would come out on this machine. A name is looked up, as for `dial`.
bool leads_here(const wire::TcpWay& way);
/// What became of a connection that was being made: empty if it is.
std::string connection_error(int socket);

/// Where the other end is, for people: "tcp 10.0.0.7:51234".
std::string describe_other_end(int socket);

/// Whether the other end of a Unix socket is a process of this user.
bool is_of_same_user(int socket);

}  // namespace conch::net
