// Announces through the kernel that a peer runs on this machine. So a peer is noticed even if its
// state directory is lost with the sockets in it, and nobody founds another register in its place.
//
// Each peer binds an abstract Unix socket whose name is made of the user and the path of the state
// directory; nothing is sent over it. Any user can take such a name, so `present` checks which
// process has the socket open. A peer in another network or process namespace is not noticed.
#pragma once

#include <string>
#include <vector>

#include "register/directory.hpp"

namespace conch::peer {

/// Announces a peer while it exists. Throws Error.
class Presence {
 public:
  explicit Presence(const std::string& state);

 private:
  net::Descriptor socket_;
};

/// Whether any process has such a socket, whoever owns it. Cheaper than `present`.
bool seems_present(const std::string& state);
/// The processes of this user that have announced themselves for this state directory.
std::vector<int> present(const std::string& state);

}  // namespace conch::peer
