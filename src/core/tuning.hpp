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
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

}  // namespace conch
