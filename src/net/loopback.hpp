// Ports on this machine for those that have to name one before anybody listens there, as in an
// address that is passed to another program.
#pragma once

#include <cstdint>
#include <string>

#include "net/descriptor.hpp"

namespace conch::net {

/// A loopback address of this caller alone, such as 127.93.7.211. A port that is free there stays
/// free, while one of 127.0.0.1 may be taken at any moment by somebody's connection.
std::string own_loopback_host();

struct BoundSocket {
  Descriptor socket;
  std::uint16_t port = 0;
};
/// A TCP socket at some free port of this IPv4 address. Throws std::system_error.
BoundSocket bind_to_free_port(const std::string& host);

}  // namespace conch::net
