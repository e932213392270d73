// What peers say to each other besides recovery, and what a client of the machine says to its peer:
// plain structs, in MessagePack by their fields.
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

/// What a payload from peer to peer is: its first byte.
enum class PayloadKind : std::uint8_t {
  recovery,         // a recovery::Message of the group's algorithm
  register_ask,     // a recovery::Ask, from a machine that does not have the register
  register_answer,  // a recovery::Answer
  terms_ask,        // TermsAsk: from a stranger who wants to join
  terms,            // recovery::LeaseTerms
  status_ask,       // a StatusAsk
  status_part,      // a StatusPart
  outdated,         // an Outdated
  ping,             // a Ping
  pong,             // a Pong
  distances,        // a Distances
  overlay,          // a Letter of the group's algorithm, where there is no register
  enclosure,        // an Enclosure
  // Since version 2.
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

/// Nothing, and why, if it makes no sense.
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

/// Somebody has written newer data than these, which the receiver had given it.
struct Outdated {
  std::string lock;
  std::uint64_t version = 0;
  CONCH_FIELDS(Outdated, lock, version)
};

/// Data of a lock that follows on the same way: who gets both need not fetch them.
struct Enclosure {
  std::string lock;
  std::uint64_t version = 0;
  std::string bytes;
  CONCH_FIELDS(Enclosure, lock, version, bytes)
  bool valid() const {
    return version != 0 && !bytes.empty() && bytes.size() <= wire::enclosure_bytes_max;
  }
};

// Before a lock is forced open, and before a member is put out.

/// Commands that run under this lock at the receiver are to end.
struct Vacate {
  std::uint64_t number = 0;
  std::string lock;
  CONCH_FIELDS(Vacate, number, lock)
};
/// They have been asked to, and are gone after so long at most: the receiver's lock delay counts.
struct Vacates {
  std::uint64_t number = 0;
  Duration most{};
  CONCH_FIELDS(Vacates, number, most)
};
/// They have; or there were none.
struct Vacated {
  std::uint64_t number = 0;
  /// So many commands have ended.
  std::uint64_t ended = 0;
  /// The process itself holds the lock, and goes on.
  bool holds = false;
  CONCH_FIELDS(Vacated, number, ended, holds)
};
/// The receiver is put out, and its commands are not waited for.
struct Hurry {
  CONCH_FIELDS(Hurry)
};

// Distances: see rangefinder.hpp.

struct Ping {
  std::uint64_t round = 0;
  CONCH_FIELDS(Ping, round)
};
struct Pong {
  std::uint64_t round = 0;
  CONCH_FIELDS(Pong, round)
};
/// How long a message takes to this one and back.
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
  /// Of the holder.
  std::uint64_t fence = 0;
  /// How long it has held the lock, or waited for it.
  Duration since{};
  bool waits = false;
  /// Threads and clients of this peer in line.
  std::uint64_t in_line = 0;
  bool token = false;
  CONCH_FIELDS(LockPart, lock, holds, reads, fence, since, waits, in_line, token)
};

struct Counts {
  std::uint64_t entries = 0;
  /// Entries for which the lock came from another peer, or anew from an epoch.
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

/// What one peer knows of itself.
struct StatusPart {
  std::uint64_t number = 0;
  recovery::Life life;
  std::uint64_t process = 0;
  Duration age{};
  /// How long its lease runs; nothing if it has none.
  std::optional<Duration> lease;
  std::uint64_t clients = 0;
  std::vector<LockPart> locks;
  Counts counts;
  CONCH_FIELDS(StatusPart, number, life, process, age, lease, clients, locks, counts)
};

/// What a peer knows of its group: the view, and the parts of those that answered in time.
struct Status {
  std::string group;
  recovery::Life self;
  recovery::View view;
  std::vector<NodeId> dead;
  std::vector<StatusPart> parts;
  CONCH_FIELDS(Status, group, self, view, dead, parts)
};

// Claims: the processes that hold locks or wait for them. Since version 2 of the protocol.

/// What one process has at one lock.
struct ClaimPart {
  std::string lock;
  /// Else it waits.
  bool holds = false;
  bool reads = false;
  /// How long it has held the lock, or waited for it.
  Duration since{};
  CONCH_FIELDS(ClaimPart, lock, holds, reads, since)
};

/// A process that uses a peer: the peer's own, or a client of it.
struct ProcessPart {
  /// 0: it cannot be seen from where its peer runs.
  std::uint64_t process = 0;
  std::uint32_t user = 0;
  /// What it runs, as one can print it.
  std::string command = {};
  std::vector<ClaimPart> claims = {};
  CONCH_FIELDS(ProcessPart, process, user, command, claims)
};

struct ClaimsAsk {
  std::uint64_t number = 0;
  /// Empty: of all locks.
  std::string lock;
  CONCH_FIELDS(ClaimsAsk, number, lock)
};

/// Those of one peer who hold or wait.
struct ClaimsPart {
  std::uint64_t number = 0;
  recovery::Life life;
  std::string host;
  std::vector<ProcessPart> processes;
  CONCH_FIELDS(ClaimsPart, number, life, host, processes)
};

/// What the members have said of their processes.
struct Claims {
  std::vector<ClaimsPart> parts;
  /// Members that did not say in time, or are of a version that does not.
  std::vector<NodeId> silent;
  CONCH_FIELDS(Claims, parts, silent)
};

// Clients. A client numbers its claims; everything is answered under that number.

struct Acquire {
  std::uint64_t claim = 0;
  std::string lock;
  bool shared = false;
  /// How long it waits; for ever without.
  std::optional<Duration> patience;
  /// Waits only for one answer, as try_lock does.
  bool once = false;
  CONCH_FIELDS(Acquire, claim, lock, shared, patience, once)
};
/// Leaves, or gives up its place; answered by nothing.
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
/// What the client runs under the locks that it asks for from here on; answered by nothing. Since
/// version 2, as the next.
struct Describe {
  std::string command;
  CONCH_FIELDS(Describe, command)
};
/// Answered by Claims.
struct AskClaims {
  /// Empty: of all locks.
  std::string lock;
  /// How long the other members have to say; bounded by the peer.
  Duration patience{};
  CONCH_FIELDS(AskClaims, lock, patience)
};
/// Before it acquires: nobody else may enter for so long after its peer has vanished.
struct LockDelay {
  Duration length{};
  CONCH_FIELDS(LockDelay, length)
  bool valid() const { return length <= recovery::lock_delay_max; }
};
// The same without waiting for the commands of the victim.
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
/// Why, if it is for no other reason.
inline constexpr std::string_view not_free = "it was not free in time";
/// Why nobody is evicted, and no lock forced open, through a peer between two of its lives.
inline constexpr std::string_view not_in_group =
    "this peer is not in the group at the moment: try again, or ask another one";
struct NotEntered {
  std::uint64_t claim = 0;
  std::string why;
  /// The peer goes; another may let one in.
  bool leaves = false;
  CONCH_FIELDS(NotEntered, claim, why, leaves)
};
struct LostLock {
  std::uint64_t claim = 0;
  CONCH_FIELDS(LostLock, claim)
};
/// An eviction, or a lock forced open: the register has accepted it, and the view is this.
struct Done {
  CONCH_FIELDS(Done)
};
struct Failed {
  std::string why;
  CONCH_FIELDS(Failed, why)
};
/// The commands of the victim are waited for, so long at most; then comes one of the two. It comes
/// again if a victim needs longer.
struct Underway {
  Duration most{};
  CONCH_FIELDS(Underway, most)
};
using ClientReply =
    std::variant<Entered, NotEntered, LostLock, Status, Done, Failed, Claims, Underway>;

}  // namespace conch::node
