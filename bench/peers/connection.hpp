// A client's TCP connection to a server on this machine, which counts what passes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "process.hpp"

namespace conch::bench {

/// Messages, each counted once, and the bytes they have above TCP.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  Traffic& operator+=(const Traffic& more) {
    messages += more.messages;
    bytes += more.bytes;
    return *this;
  }
  Traffic operator-(const Traffic& less) const {
    return {messages - less.messages, bytes - less.bytes};
  }
};

/// A TCP socket of this machine that does not wait to fill packets.
File connect_to(std::uint16_t port);
/// A socket that listens on a port of the system's choice.
File listen_anywhere();
/// The next who connects.
File accept_without_delay(int listener);
std::uint16_t port_of(const File& socket);
/// A port that was free a moment ago.
std::uint16_t free_port();

class Connection {
 public:
  explicit Connection(std::uint16_t port) : socket_(connect_to(port)) {}

  /// One message.
  void send(std::string_view message);

  // To read one message in parts. What they return is good until the next call of either.

  /// Up to, and without, "\r\n".
  std::string_view line();
  std::string_view exactly(std::size_t size);
  /// The message was read.
  void count_received() { ++traffic_.messages; }

  const Traffic& traffic() const { return traffic_; }

 private:
  void receive();
  std::string_view take(std::size_t size);

  File socket_;
  std::string buffer_;
  std::size_t taken_ = 0;
  Traffic traffic_;
};

}  // namespace conch::bench
