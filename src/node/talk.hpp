// What peers say to each other besides recovery messages, and what clients and their peer say to
// each other: plain structs, encoded in MessagePack by their field lists.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/encode.hpp"
#include "core/print.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/view.hpp"
#include "wire/limits.hpp"

namespace conch::node {

/// The type of a payload between peers: its first byte.
enum class PayloadKind : std::uint8_t {
  recovery,         // a recovery::Message, in a group with a register
  register_ask,     // a recovery::RegisterRequest, from a peer that cannot reach the register
  register_answer,  // a recovery::RegisterAnswer
  terms_ask,        // a TermsAsk, from a peer that cannot reach the register
  terms,            // a recovery::LeaseTerms
  status_ask,       // a StatusAsk
  status_part,      // a StatusPart
  outdated,         // an Outdated
  ping,             // a Ping
  pong,             // a Pong
  distances,        // a Distances
  overlay,          // a Letter of the overlay, in a group without a register
  enclosure,        // an Enclosure
  // Since protocol version 2.
  claims_ask,   // a ClaimsAsk
  claims_part,  // a ClaimsPart
  vacate,       // a Vacate
  vacated,      // a Vacated
  hurry,        // a Hurry
  vacates,      // a Vacates
};

constexpr std::string_view word(PayloadKind kind) {
  switch (kind) {
    case PayloadKind::recovery: return "RECOVERY";
    case PayloadKind::register_ask: return "ASK";
    case PayloadKind::register_answer: return "ANSWER";
    case PayloadKind::terms_ask: return "TERMS?";
    case PayloadKind::terms: return "TERMS";
    case PayloadKind::status_ask: return "STATUS?";
    case PayloadKind::status_part: return "STATUS";
    case PayloadKind::outdated: return "OUTDATED";
    case PayloadKind::ping: return "PING";
    case PayloadKind::pong: return "PONG";
    case PayloadKind::distances: return "DISTANCES";
    case PayloadKind::overlay: return "OVERLAY";
    case PayloadKind::enclosure: return "ENCLOSURE";
    case PayloadKind::claims_ask: return "CLAIMS?";
    case PayloadKind::claims_part: return "CLAIMS";
    case PayloadKind::vacate: return "VACATE";
    case PayloadKind::vacated: return "VACATED";
    case PayloadKind::hurry: return "HURRY";
    case PayloadKind::vacates: return "VACATES";
  }
  return "?";
}

inline void put_kind(PayloadKind kind, std::string& out) { out += static_cast<char>(kind); }

template <class T>
std::string packed(PayloadKind kind, const T& value) {
  std::string out;
  put_kind(kind, out);
  encode(out, value);
  return out;
}

/// Empty if the bytes are malformed; `why` says in what way.
template <class T>
std::optional<T> unpacked(std::string_view bytes, std::string& why) {
  Decoder decoder(bytes);
  T value{};
  if (decoder.decode(value) && decoder.finish()) return value;
  why = decoder.error();
  return std::nullopt;
}

struct TermsAsk {
  CONCH_FIELDS(TermsAsk)
};

/// The receiver's data of this version, which it gave to the sender, are no longer the newest.
struct Outdated {
  std::string lock;
  std::uint64_t version = 0;
  CONCH_FIELDS(Outdated, lock, version)
};

/// Data of a lock, sent ahead of it over the same channel, so that its next holder need not fetch
/// them.
struct Enclosure {
  std::string lock;
  std::uint64_t version = 0;
  std::string bytes;
  CONCH_FIELDS(Enclosure, lock, version, bytes)
  bool valid() const {
    return version != 0 && !bytes.empty() && bytes.size() <= wire::enclosure_bytes_max;
  }
};

// Sent before a lock is forced open, and before a member is evicted.

/// Asks the receiver to end the commands that run under this lock.
struct Vacate {
  std::uint64_t number = 0;
  std::string lock;
  CONCH_FIELDS(Vacate, number, lock)
};
/// The commands have been asked to end, and are gone after `most` at the latest. That includes the
/// sender's lock delay.
struct Vacates {
  std::uint64_t number = 0;
  Duration most{};
  CONCH_FIELDS(Vacates, number, most)
};
/// The commands have ended, or there were none.
struct Vacated {
  std::uint64_t number = 0;
  /// How many commands have ended.
  std::uint64_t ended = 0;
  /// The process itself holds the lock, and keeps it.
  bool holds = false;
  CONCH_FIELDS(Vacated, number, ended, holds)
};
/// The receiver is being evicted, and the group does not wait for its commands.
struct Hurry {
  CONCH_FIELDS(Hurry)
};

// Distances: see latency_probe.hpp.

struct Ping {
  std::uint64_t round = 0;
  CONCH_FIELDS(Ping, round)
};
struct Pong {
  std::uint64_t round = 0;
  CONCH_FIELDS(Pong, round)
};
/// The round-trip time of a message to `to`.
struct Distance {
  NodeId to;
  Duration round_trip{};
  CONCH_FIELDS(Distance, to, round_trip)
};
struct Distances {
  std::vector<Distance> found;
  CONCH_FIELDS(Distances, found)
};

// Status.

/// One lock, as one peer sees it.
struct LockPart {
  std::string lock;
  bool holds = false;
  bool reads = false;
  /// The fence of the holder.
  std::uint64_t fence = 0;
  /// How long it has held the lock, or waited for it.
  Duration since{};
  bool waits = false;
  /// How many threads and clients of this peer are in line.
  std::uint64_t in_line = 0;
  bool token = false;
  CONCH_FIELDS(LockPart, lock, holds, reads, fence, since, waits, in_line, token)
};

struct Counts {
  std::uint64_t entries = 0;
  /// Entries for which the lock came from another peer, or was handed out anew by an epoch.
  std::uint64_t handovers = 0;
  std::uint64_t losses = 0;
  std::uint64_t epochs = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t connections_refused = 0;
  CONCH_FIELDS(Counts, entries, handovers, losses, epochs, messages_sent, messages_received,
               bytes_sent, bytes_received, connections_refused)
};

struct StatusAsk {
  std::uint64_t number = 0;
  CONCH_FIELDS(StatusAsk, number)
};

/// What one peer knows about itself.
struct StatusPart {
  std::uint64_t number = 0;
  PeerInstance life;
  std::uint64_t process = 0;
  Duration age{};
  /// The time until its lease ends; empty if it has none.
  std::optional<Duration> lease;
  std::uint64_t clients = 0;
  std::vector<LockPart> locks;
  Counts counts;
  CONCH_FIELDS(StatusPart, number, life, process, age, lease, clients, locks, counts)
};

/// What a peer knows about its group: the view, and the parts of the members that answered in time.
struct Status {
  std::string group;
  PeerInstance self;
  recovery::View view;
  std::vector<NodeId> dead;
  std::vector<StatusPart> parts;
  CONCH_FIELDS(Status, group, self, view, dead, parts)
};

// Claims: the processes that hold locks or wait for them. Since protocol version 2.

/// The claim of one process on one lock.
struct ClaimPart {
  std::string lock;
  /// If false, it waits.
  bool holds = false;
  bool reads = false;
  /// How long it has held the lock, or waited for it.
  Duration since{};
  CONCH_FIELDS(ClaimPart, lock, holds, reads, since)
};

/// A process that uses a peer: the peer's own, or a client of it.
struct ProcessPart {
  /// 0 if its peer cannot see the process id.
  std::uint64_t process = 0;
  std::uint32_t user = 0;
  /// What it runs, in printable form.
  std::string command = {};
  std::vector<ClaimPart> claims = {};
  CONCH_FIELDS(ProcessPart, process, user, command, claims)
};

struct ClaimsAsk {
  std::uint64_t number = 0;
  /// Empty asks about all locks.
  std::string lock;
  CONCH_FIELDS(ClaimsAsk, number, lock)
};

/// The processes of one peer that hold a lock or wait for it.
struct ClaimsPart {
  std::uint64_t number = 0;
  PeerInstance life;
  std::string host;
  std::vector<ProcessPart> processes;
  CONCH_FIELDS(ClaimsPart, number, life, host, processes)
};

/// What all members have said about their processes.
struct Claims {
  std::vector<ClaimsPart> parts;
  /// Members that did not answer in time, or whose version does not know the question.
  std::vector<NodeId> silent;
  CONCH_FIELDS(Claims, parts, silent)
};

// Clients. A client numbers its claims, and every answer carries the number of its claim.

struct Acquire {
  std::uint64_t claim = 0;
  std::string lock;
  bool shared = false;
  /// How long to wait; without it, for ever.
  std::optional<Duration> patience;
  /// Waits for one answer only, as try_lock does.
  bool once = false;
  CONCH_FIELDS(Acquire, claim, lock, shared, patience, once)
};
/// Leaves the lock, or the queue. There is no answer.
struct GiveUp {
  std::uint64_t claim = 0;
  CONCH_FIELDS(GiveUp, claim)
};
struct AskStatus {
  CONCH_FIELDS(AskStatus)
};
struct Evict {
  NodeId member;
  CONCH_FIELDS(Evict, member)
};
struct ForceOpen {
  std::string lock;
  CONCH_FIELDS(ForceOpen, lock)
};
/// What the client runs under the locks that it asks for from here on. There is no answer. This and
/// the following requests exist since protocol version 2.
struct Describe {
  std::string command;
  CONCH_FIELDS(Describe, command)
};
/// The answer is Claims.
struct AskClaims {
  /// Empty asks about all locks.
  std::string lock;
  /// How long to wait for the other members; the peer limits it.
  Duration patience{};
  CONCH_FIELDS(AskClaims, lock, patience)
};
/// Sent before Acquire: nobody else may enter until so long after the client's peer has vanished.
struct LockDelay {
  Duration length{};
  CONCH_FIELDS(LockDelay, length)
  bool valid() const { return length <= recovery::lock_delay_max; }
};
// Like Evict and ForceOpen, but without waiting for the commands of the victim.
struct EvictNow {
  NodeId member;
  CONCH_FIELDS(EvictNow, member)
};
struct ForceOpenNow {
  std::string lock;
  CONCH_FIELDS(ForceOpenNow, lock)
};
using ClientMessage = std::variant<Acquire, GiveUp, AskStatus, Evict, ForceOpen, Describe,
                                   AskClaims, LockDelay, EvictNow, ForceOpenNow>;

struct Entered {
  std::uint64_t claim = 0;
  Fence fence;
  CONCH_FIELDS(Entered, claim, fence)
};
/// The reason in NotEntered when the lock did not become free in time.
inline constexpr std::string_view not_free = "it was not free in time";
/// Why a peer that is between two lives evicts nobody and forces no lock open.
inline constexpr std::string_view not_in_group =
    "this peer is not in the group at the moment: try again, or ask another peer";
struct NotEntered {
  std::uint64_t claim = 0;
  std::string why;
  /// The peer is leaving the group; another peer may let the client in.
  bool leaves = false;
  CONCH_FIELDS(NotEntered, claim, why, leaves)
};
struct LostLock {
  std::uint64_t claim = 0;
  CONCH_FIELDS(LostLock, claim)
};
/// The eviction or the forced opening is done: the member is out, the lock is open.
struct Done {
  CONCH_FIELDS(Done)
};
struct Failed {
  std::string why;
  CONCH_FIELDS(Failed, why)
};
/// The peer waits for the commands of the victim to end, for `most` at the longest; then Done or
/// Failed follows. It is sent again if a victim needs longer.
struct Underway {
  Duration most{};
  CONCH_FIELDS(Underway, most)
};
using ClientReply =
    std::variant<Entered, NotEntered, LostLock, Status, Done, Failed, Claims, Underway>;

}  // namespace conch::node
