// Loopback ports for code that must name a port before anything listens there, e.g. in an address
// that it passes to another program.
#pragma once

#include <cstdint>
#include <string>

#include "net/descriptor.hpp"

namespace conch::net {

/// A random loopback address for this caller alone, such as 127.93.7.211. A free port there stays
/// free, while any outgoing connection may take a port of 127.0.0.1.
std::string own_loopback_host();

struct BoundSocket {
  Descriptor socket;
  std::uint16_t port = 0;
};
/// A TCP socket at some free port of this IPv4 address. Throws std::system_error.
BoundSocket bind_to_free_port(const std::string& host);

}  // namespace conch::net
