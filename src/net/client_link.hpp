// Connections to a peer from processes that are not peers: a stranger that asks who is there, and a
// client on the same machine.
#pragma once

#include <conch/error.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/peer_instance.hpp"
#include "core/types.hpp"
#include "net/clock.hpp"
#include "net/descriptor.hpp"
#include "net/tls.hpp"

namespace conch::net {

/// What a peer tells a stranger about itself.
struct PeerInfo {
  PeerInstance life;
  std::string algorithm;
  std::string address;
  /// Its version of Conch.
  std::string software = {};
};

/// Asks who is at an address, and waits for the answer. `folder`: where Unix sockets are, with a
/// slash at the end; if empty, the address says where. Throws conch::Error, also if `give_up` is
/// requested.
PeerInfo ask_who(const std::string& address, const std::string& group, const Tls& tls,
                 Duration patience, const std::string& folder = {},
                 const std::stop_token& give_up = {});

/// The peer answered and rejected the hello; what() says why.
class RefusedError : public Error {
 public:
  using Error::Error;
};

/// The client's end of a connection to a peer of this machine. One thread at a time may use it.
class ClientLink {
 public:
  /// Throws conch::Error if no peer listens there or answers in time; RefusedError if the peer is
  /// in another group or serves too many clients; Untrusted if another user listens there or could.
  ClientLink(const std::string& socket, const std::string& group, Time until);
  /// Uses the default handshake timeout.
  ClientLink(const std::string& socket, const std::string& group);
  ~ClientLink();
  ClientLink(const ClientLink&) = delete;
  ClientLink& operator=(const ClientLink&) = delete;

  void send(std::string_view payload);
  /// Returns nothing if no message came in time. Throws conch::Error when the peer has gone.
  std::optional<std::string> receive(std::optional<Time> until = std::nullopt);
  /// The descriptors that came with messages since the last call.
  std::vector<Descriptor> take_enclosed();
  int descriptor() const;
  /// The protocol version agreed with the peer.
  std::uint32_t version() const;

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace conch::net
