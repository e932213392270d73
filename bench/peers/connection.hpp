// A client's connection to a server on this machine, which counts messages and bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "process.hpp"

namespace conch::bench {

enum class Transport : std::uint8_t { tcp, unix_sockets };

/// Messages, each counted once, and their bytes above TCP.
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

/// A TCP connection to this machine that sends at once (TCP_NODELAY).
Descriptor connect_to(std::uint16_t port);
/// Throws if nobody listens there, as the other `connect_to` does.
Descriptor connect_to(const std::filesystem::path& unix_socket);
/// The two ends of one connection.
struct Ends {
  Descriptor ours;
  Descriptor theirs;
};
Ends connected(Transport transport);
/// A socket that listens on a port that the system chooses.
Descriptor listen_anywhere();
/// Accepts the next connection.
Descriptor accept_without_delay(int listener);
std::uint16_t port_of(const Descriptor& socket);

class Connection {
 public:
  explicit Connection(Descriptor socket) : socket_(std::move(socket)) {}

  /// Sends one message.
  void send(std::string_view message);
  /// Sends one message in three parts, of which the middle one may be large.
  void send(std::string_view head, std::string_view middle, std::string_view tail);

  // These read a message in parts. A result is valid until the next of these calls.

  /// Reads a line, and returns it without its "\r\n".
  std::string_view line();
  std::string_view exactly(std::size_t size);
  /// Fills the span directly, without a copy in between.
  void read_into(std::span<char> bytes);
  /// Counts a message that was read completely.
  void count_received() { ++traffic_.messages; }

  const Traffic& traffic() const { return traffic_; }

 private:
  void receive();
  std::string_view take(std::size_t size);

  Descriptor socket_;
  std::string buffer_;
  std::size_t taken_ = 0;
  Traffic traffic_;
};

}  // namespace conch::bench
