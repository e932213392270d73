// Connections that break the protocol, and a relay that breaks connections.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/testing/dice.hpp"
#include "net/descriptor.hpp"
#include "net/dial.hpp"
#include "wire/frame.hpp"
#include "wire/handshake.hpp"

namespace conch::net::testing {

inline std::string frame_of(wire::FrameKind kind, std::string_view body) {
  std::string bytes;
  wire::put_frame(bytes, kind, body);
  return bytes;
}
inline std::string frame_of(const wire::Hello& hello) {
  std::string bytes;
  wire::put_hello(bytes, hello);
  return bytes;
}

/// A stream socket that sends whatever the test says.
class Raw {
 public:
  explicit Raw(Descriptor socket) : socket_(std::move(socket)) {}
  static Raw to(const std::string& address) {
    return Raw(dial(parse_ways(address).front(), 0).socket);
  }

  void say(std::string_view bytes) const {
    // Ignore failure: the test itself checks whether the other side still listens.
    [[maybe_unused]] ssize_t sent =
        ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  /// Whether the other side has hung up; keeps what it sent before.
  bool has_ended() {
    std::array<char, 4096> bytes;
    for (;;) {
      ssize_t got = ::recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got > 0) {
        heard_.append(bytes.data(), static_cast<std::size_t>(got));
      } else {
        return got == 0 || (errno != EAGAIN && errno != ENOTCONN);
      }
    }
  }
  const std::string& heard() {
    has_ended();
    return heard_;
  }
  /// The first frame that it received.
  std::optional<wire::Frame> answer() {
    wire::FrameReader reader;
    reader.feed(heard());
    return reader.next();
  }
  std::string refusal() {
    std::optional<wire::Frame> frame = answer();
    if (!frame || frame->kind != wire::FrameKind::refused) return "";
    return std::get<wire::HelloRefused>(wire::read_answer(*frame)).why;
  }

 private:
  Descriptor socket_;
  std::string heard_;
};

/// Listens on a TCP port chosen by the system.
class RawListener {
 public:
  RawListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    bool listens = ::bind(socket_.number(), reinterpret_cast<sockaddr*>(&name), size) == 0 &&
                   ::listen(socket_.number(), 16) == 0;
    if (!listens) throw std::runtime_error("cannot listen");
    ::getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&name), &size);
    port_ = ntohs(name.sin_port);
  }
  std::string address() const { return "tcp:127.0.0.1:" + std::to_string(port_); }
  /// Readable when there is a connection to accept.
  int number() const { return socket_.number(); }
  std::optional<Raw> accept() const {
    Descriptor socket(::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return std::nullopt;
    return Raw(std::move(socket));
  }
  Descriptor accept_descriptor() const {
    return Descriptor(::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  }

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

/// Relays bytes in chunks of random size, and now and then cuts the connection and loses what is in
/// transit.
class Relay {
 public:
  Relay(std::string target, std::uint64_t seed) : target_(std::move(target)), dice_(seed) {}

  std::string address() const { return listener_.address(); }
  int cuts() const { return cuts_; }
  void pump() {
    if (Descriptor near = listener_.accept_descriptor())
      pairs_.push_back({std::move(near), dial(parse_ways(target_).front(), 0).socket});
    for (Pair& pair : pairs_) {
      pass(pair.near, pair.far);
      pass(pair.far, pair.near);
    }
  }
  void cut() {
    cuts_ += pairs_.empty() ? 0 : 1;
    pairs_.clear();
  }

 private:
  struct Pair {
    Descriptor near;
    Descriptor far;
  };
  void pass(const Descriptor& from, const Descriptor& to) {
    std::array<char, 5000> bytes;
    std::size_t part = 1 + dice_.below(bytes.size());
    ssize_t got = ::recv(from.number(), bytes.data(), part, MSG_DONTWAIT);
    if (got <= 0) return;
    // A break loses some of these bytes, or none.
    auto kept = static_cast<std::size_t>(got);
    bool breaks = dice_.percent(2);
    if (breaks) kept = dice_.below(kept + 1);
    [[maybe_unused]] ssize_t sent =
        ::send(to.number(), bytes.data(), kept, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!breaks) return;
    ++cuts_;
    ::shutdown(from.number(), SHUT_RDWR);
    ::shutdown(to.number(), SHUT_RDWR);
  }

  RawListener listener_;
  std::string target_;
  Dice dice_;
  std::vector<Pair> pairs_;
  int cuts_ = 0;
};

}  // namespace conch::net::testing
