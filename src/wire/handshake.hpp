// How a connection begins: who dials says who it is and whom it means; the other accepts or refuses
// with a sentence. Nothing else is read or done before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/fields.hpp"
#include "recovery/versions.hpp"
#include "recovery/view.hpp"
#include "wire/frame.hpp"

namespace conch::wire {

using recovery::Life;
using recovery::Versions;

enum class Role : std::uint8_t {
  /// Will send payloads.
  peer,
  /// Asks who this is, and goes.
  stranger,
  /// A process of the same machine that is no member.
  client,
  /// A peer that opens a stream: what follows is of no channel.
  stream,
};

struct Hello {
  /// Said before the rest, which is encoded as in the oldest of them.
  Versions speaks = recovery::spoken();
  std::string group = {};
  /// Empty from a stranger who wants to know, and from a client.
  std::string algorithm = {};
  Role role = Role::stranger;
  /// Of a peer and of a stream: who it is.
  Life self = {};
  /// Of a peer: where it can be reached.
  std::string address = {};
  /// Of a peer and of a stream: for whom it is.
  std::optional<Life> means = {};
  /// Of a peer: the number of the first payload that it still has.
  std::uint64_t first = 0;
  // Of a peer, so that the other side may send its own payloads back over this connection: as in
  // Accepted.
  bool known = false;
  std::uint64_t received = 0;
  CONCH_FIELDS(Hello, group, algorithm, role, self, address, means, first, known, received)

  bool valid() const;
};

struct Accepted {
  Life self;
  std::string algorithm;
  std::string address;
  /// Whether payloads of the other life could have come before; if they could and this says no,
  /// then this side has forgotten them.
  bool known = false;
  /// How many payloads of that life have come.
  std::uint64_t received = 0;
  /// What is spoken from here on.
  std::uint32_t version = 0;
  /// The Conch that is there: for people.
  std::string software = {};
  CONCH_FIELDS(Accepted, self, algorithm, address, known, received, version, software)

  bool valid() const;
};

struct Refused {
  std::string why;
  CONCH_FIELDS(Refused, why)

  bool valid() const { return why.size() <= sentence_bytes_max; }
};

void put_hello(std::string& out, const Hello& hello);
void put_answer(std::string& out, const Accepted& accepted);
/// A sentence that is too long is cut.
void put_refusal(std::string& out, std::string_view why);

/// What somebody says who dials; or why that is not understood by who speaks `ours`.
std::variant<Hello, Refused> read_hello(const Frame& frame,
                                        const Versions& ours = recovery::spoken());
/// What the one says who was dialed; or why not, in its words or ours.
std::variant<Accepted, Refused> read_answer(const Frame& frame);

/// Who we are, as far as it matters for a handshake.
struct Identity {
  Life self;
  std::string group;
  std::string algorithm;
};

/// Whether it came through the Unix socket.
enum class Route : std::uint8_t { local, remote };

/// Why this hello is refused, in a sentence; empty if it is not.
std::string objection(const Hello& hello, Route route, const Identity& identity);
/// Why an acceptance is none: it is not whom the hello meant.
std::string objection(const Accepted& accepted, const Hello& hello);

/// "peer 7 (life 3)".
std::string describe(const Life& life);

}  // namespace conch::wire
