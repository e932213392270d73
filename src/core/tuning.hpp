// The parameters of single algorithms. One that does not know a parameter ignores it.
#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace conch {

/// How Maekawa's voting sets are built.
enum class Voting : std::uint8_t { automatic, grid, plane };

/// How ELMP keeps its tree in shape.
enum class Balance : std::uint8_t {
  order,  // always: newcomers and replacements are taken where the tree stays balanced
  lazy,   // rebuilds a part of the tree when it has become too high (a scapegoat)
};

/// What a bully does that restarts.
enum class Manners : std::uint8_t {
  bully,   // begins an election, and wins it if it is the highest
  polite,  // looks for a standing coordinator first
};

/// A rule that a specimen does without: of ELMP, with the fault of the printed text that it
/// corrects, and of elections.
enum class Without : std::uint8_t {
  nothing,
  queue,          // F11, F12: a busy node refuses, and the asker tries again later
  retry,          // F1, F2: it does not try again
  track_back,     // F2, F9: what it has locked stays locked
  handover,       // F3: the requester's children are lost
  adjacency,      // F4: a requester that is a child of the root
  idle_token,     // F5: an idle root keeps the token
  announcement,   // F6: a child whose parent changed does not repeat its request
  last_member,    // F7: the last one waits for neighbours
  told_children,  // F8: the children of a leaver are not told of their new parent
  leave_lock,     // F10: a leaver does not lock its path
  degree,         // F13: newcomers gather at one node
  heaviest_leaf,  // F14: a leaver is replaced from its own subtree
  confirmation,   // F15: the root goes on before its path is unlocked
  early_token,    // F16: a token that overtakes the exchange is not kept
  replacement,    // F18: a replacement leaf leaves its own request where it is
  node_weight,    // F19: a weight counts leaves
  splicing,       // F20: a cancelled waiter stays in the list, and may leave nevertheless
  // Of the hierarchical algorithms, with the fault of RR-5177 that the rule corrects.
  elected,       // F2: a proxy asks itself first
  own_owner,     // F3: a node asks its proxy each time
  idle_owner,    // F1: an idle holder that gives the token away points nowhere
  local_owner,   // F4: the root points at a remote request that it queues, and at the last when it
                 // goes
  queued_owner,  // F4b: the root does not point at a local request that it queues
  stored_queue,  // F5: a queue that comes is not kept
  following,     // F6: a queue that comes too late is kept by somebody who does not wait
  reset,         // F7: counts of one visit are kept for the next
  set_owner,     // F8: an owner within the cluster is replaced when the token leaves it
  larger_count,  // F9: an older count replaces a newer one
  full_queue,    // F10: empty queues are sent
  sent_queue,    // F11: the queue waits for the token behind a local next
  tail,          // F12: whom to ask behind a queue that was overtaken is not remembered
  remote_next,   // F12: a remote next that came before the queue is forgotten
  // Of elections: see chang_roberts.hpp and bully.hpp.
  participant,      // forwards a smaller identifier though it takes part already
  second_election,  // waits for ever for a coordinator that is not announced
  listening,        // begins, or asks, at once when it restarts
  election_round,   // begins another election for an ELECTION that comes late
  // Of the protocols over an overlay: see docs/p2p.md.
  vote_generation,   // F1: votes of several generations are added up
  kept_lock,         // F2: who hands the token on frees the replicas, too
  told_holder,       // F3: a locked replica does not tell the holder of a request
  late_enqueue,      // F4: who has left the critical section drops what is queued with it
  least_generation,  // F6: entries of past generations intercept for ever
  vote_version,      // F7: a vote that was yielded counts when a copy of it comes
  patience,          // F8: votes are yielded only when all replicas have answered
  token_once,        // F9: a second copy of a token is a second token
  pass_through,      // F10: a token for a request that is over is dropped
  bounce,            // F11, N4, S3: a vote for a request that is over is kept
  early_enqueue,     // F12: what is queued with a holder before its token comes is dropped
  retry_generation,  // F13: who knows a newer generation does not try again
  bounce_guard,      // F14: a vote of the generation that was won is given back
  overridden,        // F15: who was voted for when somebody else won is forgotten
  sent_token,        // F17: a token whose receiver is suspected is taken back
  vote_life,         // F18: votes count though they may have run out
  release_route,     // N3: a release that has no Next goes nowhere
  forced_request,    // N5: a request that is intercepted stays where it is
  voted_release,     // N6: a release is stopped where its request waits, though the replica voted
  quarantine,        // C1: who has forgotten its vote, or is a new root, votes at once
  lease,             // C2: who has crashed holds for ever
  back_off,          // S4: yields again at once
  majority,          // D1: every replica must grant
  stored_fence,      // a fence is not stored before the entry
  self_fence,        // a holder does not notice that its lease runs out
  recall,            // who has forgotten the last fence does not ask the others
  named_holder,      // a root in quarantine confirms whoever says that it is inside
  fence_clock,       // if everybody has forgotten a lock, its fences begin anew
  root_lease,        // a root acts for its keys whether or not its neighbours still answer it
};

/// When a waiter of Sigma sends its request again.
enum class Retry : std::uint8_t {
  never,
  informed,  // when its turn should have come, by its place in the queue
  always,    // every round, of the length of a critical section
};

/// What End-to-End does when the token goes from one holder to the next.
enum class HandOff : std::uint8_t {
  token,    // T0: nothing else; replicas and entries learn it when they ask
  winner,   // T1: the new holder tells the replicas, and everybody on the way
  cleanup,  // T2: the old one, besides, takes the entries of its own ways back
};

/// Of a lock whose replicas are found by an overlay. The keys of its replicas come from its name
/// (overlay/replicas.hpp).
struct Replication {
  std::uint64_t name = 0;
  unsigned replicas = 3;
  /// T_L: who does not renew for so long has lost what it held. Zero: nobody fails.
  Duration lease{};
  /// T_CS: about how long a critical section takes.
  Duration section = std::chrono::milliseconds(20);
  /// About how long a message takes to a replica and back.
  Duration round_trip = std::chrono::milliseconds(20);
  Retry retry = Retry::informed;
  HandOff hand_off = HandOff::winner;
  /// K: so many waiters have a copy of the holder's queue.
  unsigned copies = 2;
  friend bool operator==(const Replication&, const Replication&) = default;
};

struct Tuning {
  Voting voting = Voting::automatic;
  /// Of ELMP's tree: the most children a node has, 2 to 8.
  unsigned order = 2;
  Balance balance = Balance::order;
  /// How long, about, an ELMP without its queue waits before it tries again.
  Duration back_off = std::chrono::milliseconds(5);
  Without without = Without::nothing;
  /// T and T' of a bully; those of the simulator's usual latency.
  Duration answer_timeout = std::chrono::microseconds(3001);
  Duration coordinator_timeout = std::chrono::microseconds(6002);
  Manners manners = Manners::bully;
  /// Of the hierarchical algorithms: so many near requests may overtake distant ones in one visit
  /// of the token to a cluster.
  unsigned eps = 0;
  Replication replication = {};
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

}  // namespace conch
