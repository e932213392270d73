// A client's connection to a server on this machine, which counts what passes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "process.hpp"

namespace conch::bench {

enum class Transport : std::uint8_t { tcp, unix_sockets };

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
/// Throws if nobody listens there, as `connect_to` does.
File connect_to(const std::filesystem::path& unix_socket);
/// Two ends of one connection.
struct Ends {
  File ours;
  File theirs;
};
Ends connected(Transport transport);
/// A socket that listens on a port of the system's choice.
File listen_anywhere();
/// The next who connects.
File accept_without_delay(int listener);
std::uint16_t port_of(const File& socket);
/// A port that was free a moment ago.
std::uint16_t free_port();

class Connection {
 public:
  explicit Connection(File socket) : socket_(std::move(socket)) {}

  /// One message.
  void send(std::string_view message);
  /// One message in three parts, of which the middle one may be large.
  void send(std::string_view head, std::string_view middle, std::string_view tail);

  // To read one message in parts. What they return is good until the next call of either.

  /// Up to, and without, "\r\n".
  std::string_view line();
  std::string_view exactly(std::size_t size);
  /// Fills all of it, without a copy in between.
  void read_into(std::span<char> bytes);
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
