// What those say to a peer who are none: a stranger who asks, a client of the same machine.
#pragma once

#include <conch/error.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "net/clock.hpp"
#include "net/descriptor.hpp"
#include "net/tls.hpp"
#include "recovery/view.hpp"

namespace conch::net {

using recovery::Life;

/// What somebody says of itself who is asked by a stranger.
struct Acquaintance {
  Life life;
  std::string algorithm;
  std::string address;
  /// The version of its Conch.
  std::string software = {};
};

/// Asks who is at an address, and waits for the answer. `folder`: where Unix sockets are, with a
/// slash at the end; if empty, where the address says. Throws conch::Error, also when it is told to
/// give up.
Acquaintance ask_who(const std::string& address, const std::string& group, const Tls& tls,
                     Duration patience, const std::string& folder = {},
                     const std::stop_token& give_up = {});

/// A peer has answered, and will not have us: it says why.
class Refused : public Error {
 public:
  using Error::Error;
};

/// A client's side of its connection to a peer of this machine. Used by one thread at a time.
class ClientLink {
 public:
  /// Throws conch::Error: nobody listens there, or answers by then; Refused: it is of another
  /// group, or serves too many; Untrusted: another user listens there, or could.
  ClientLink(const std::string& socket, const std::string& group, Time until);
  /// By when a living peer has long answered.
  ClientLink(const std::string& socket, const std::string& group);
  ~ClientLink();
  ClientLink(const ClientLink&) = delete;
  ClientLink& operator=(const ClientLink&) = delete;

  void send(std::string_view payload);
  /// Nothing if none came in time. Throws conch::Error when the peer has gone.
  std::optional<std::string> receive(std::optional<Time> until = std::nullopt);
  /// What has come along since the last time.
  std::vector<Descriptor> take_enclosed();
  int descriptor() const;
  /// The protocol version agreed with the peer.
  std::uint32_t version() const;

 private:
  class Line;
  std::unique_ptr<Line> line_;
};

}  // namespace conch::net
