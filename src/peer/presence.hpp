// That a peer runs on this machine, told by the kernel alone: whoever has lost the state directory,
// and the sockets in it, is still seen by who would found another register in its place.
//
// Each peer has an abstract Unix socket whose name is made of the user and the path of the state
// directory; nothing is said on it. Any user can take such a name, so one looks which process has
// the socket open. Who is in another network or process namespace is not seen.
#pragma once

#include <string>
#include <vector>

#include "register/directory.hpp"

namespace conch::peer {

/// Seen as long as it lives. Throws Error.
class Presence {
 public:
  explicit Presence(const std::string& state);

 private:
  file::Descriptor socket_;
};

/// Whether somebody says so, whoever it is: this costs less than to find out who.
bool seems_present(const std::string& state);
/// The processes of this user that are present there.
std::vector<int> present(const std::string& state);

}  // namespace conch::peer
