// The handshake of a connection. The dialer says who it is and whom it wants to reach; the other
// side accepts, or refuses with a sentence. Nothing else is read or done before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/fields.hpp"
#include "core/peer_instance.hpp"
#include "core/versions.hpp"
#include "wire/frame.hpp"

namespace conch::wire {

enum class Role : std::uint8_t {
  /// Sends payloads.
  peer,
  /// Asks who this is, and then leaves.
  stranger,
  /// A process of the same machine that is no member.
  client,
  /// A peer that opens a stream, which is outside of all channels.
  stream,
};

struct Hello {
  /// Sent before the rest, which is encoded as in the oldest of these versions.
  Versions speaks = spoken;
  std::string group = {};
  /// Empty for a client, and for a stranger that wants to learn it.
  std::string algorithm = {};
  Role role = Role::stranger;
  /// The life of the dialer. For a peer and a stream.
  PeerInstance self = {};
  /// Where the dialer can be reached. For a peer.
  std::string address = {};
  /// The life that the dialer wants to reach. For a peer and a stream.
  std::optional<PeerInstance> means = {};
  /// The number of the first payload that it still keeps. For a peer.
  std::uint64_t first = 0;
  // As in Accepted, so that the other side may send back over this connection. For a peer.
  bool known = false;
  std::uint64_t received = 0;
  CONCH_FIELDS(Hello, group, algorithm, role, self, address, means, first, known, received)

  bool valid() const;
};

struct HelloAccepted {
  PeerInstance self;
  std::string algorithm;
  std::string address;
  /// Whether this side has accepted the other life before. If it has, and says no, then it has
  /// forgotten what it had received.
  bool known = false;
  /// How many payloads of the other life have come.
  std::uint64_t received = 0;
  /// The protocol version of this connection from here on.
  std::uint32_t version = 0;
  /// The version of the software, for people.
  std::string software = {};
  CONCH_NAMED_FIELDS(HelloAccepted, "Accepted", self, algorithm, address, known, received, version,
                     software)

  bool valid() const;
};

struct HelloRefused {
  std::string why;
  CONCH_NAMED_FIELDS(HelloRefused, "Refused", why)

  bool valid() const { return why.size() <= sentence_bytes_max; }
};

void put_hello(std::string& out, const Hello& hello);
void put_answer(std::string& out, const HelloAccepted& accepted);
/// Cuts a sentence that is too long.
void put_refusal(std::string& out, std::string_view why);

/// The hello of a dialer, or why a peer that speaks `ours` cannot understand it.
std::variant<Hello, HelloRefused> read_hello(const Frame& frame, const Versions& ours = spoken);
/// The acceptance of the side that was dialed; or why there is none, in its words or ours.
std::variant<HelloAccepted, HelloRefused> read_answer(const Frame& frame);

/// The identity of this peer, as far as a handshake needs it.
struct Identity {
  PeerInstance self;
  std::string group;
  std::string algorithm;
  Versions speaks = spoken;
};

/// A local connection came through the Unix socket.
enum class Route : std::uint8_t { local, remote };

/// Why this hello is refused, as a sentence; empty if it is accepted.
std::string objection(const Hello& hello, Route route, const Identity& identity);
/// Why this acceptance does not fit the hello; empty if it does.
std::string objection(const HelloAccepted& accepted, const Hello& hello);

/// For example "peer 7 (life 3)".
std::string describe(const PeerInstance& life);

}  // namespace conch::wire
