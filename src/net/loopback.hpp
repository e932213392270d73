// Ports of this machine for code that must name a port before anything listens there, e.g. in an
// address that it passes to another program.
#pragma once

#include <cstdint>
#include <string>

#include "net/descriptor.hpp"

namespace conch::net {

/// A TCP port of 127.0.0.1 that the system gives to nobody else. A program that sets SO_REUSEADDR,
/// as servers do, can listen there nevertheless; so can the owner, on the socket itself.
class ReservedPort {
 public:
  /// Throws std::system_error.
  ReservedPort();

  /// Bound, and does not block.
  const Descriptor& socket() const { return socket_; }
  std::uint16_t number() const { return number_; }
  /// HOST:PORT.
  std::string address() const { return "127.0.0.1:" + std::to_string(number_); }

 private:
  Descriptor socket_;
  std::uint16_t number_ = 0;
};

}  // namespace conch::net
