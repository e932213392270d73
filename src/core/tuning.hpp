// The parameters of algorithms. An algorithm ignores those that it does not know.
#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace conch {

/// How Maekawa's voting sets are built.
enum class VotingSetShape : std::uint8_t { automatic, grid, plane };

/// How ELMP keeps its tree in shape.
enum class Balance : std::uint8_t {
  order,  // always balanced: takes newcomers and replacements where it stays so
  lazy,   // rebuilds a part of the tree when it has become too high (a scapegoat)
};

/// What a restarted bully does.
enum class Manners : std::uint8_t {
  bully,   // begins an election, and wins it if it is the highest
  polite,  // looks for a standing coordinator first
};

/// When a waiter of Sigma sends its request again.
enum class RetryPolicy : std::uint8_t {
  never,
  informed,  // when its turn should have come, by its place in the queue
  always,    // every round, of the length of a critical section
};

/// What End-to-End does when the token goes from one holder to the next.
enum class HandOff : std::uint8_t {
  token,    // T0: passes the token only; replicas and entries learn of it when they ask
  winner,   // T1: the new holder tells the replicas, and every node on the way
  cleanup,  // T2: as T1, and the old holder removes the entries on its own paths
};

/// For a lock whose replicas an overlay finds. Their keys come from the lock's name
/// (overlay/replicas.hpp).
struct Replication {
  std::uint64_t name = 0;
  unsigned replicas = 3;
  /// T_L: a holder that does not renew for this long loses the lock. Zero if no node fails.
  Duration lease{};
  /// T_CS: about how long a critical section takes.
  Duration section = std::chrono::milliseconds(20);
  /// About how long a message takes to a replica and back.
  Duration round_trip = std::chrono::milliseconds(20);
  RetryPolicy retry = RetryPolicy::informed;
  HandOff hand_off = HandOff::winner;
  /// K: this many waiters have a copy of the holder's queue.
  unsigned copies = 2;
  friend bool operator==(const Replication&, const Replication&) = default;
};

/// The decisions of an algorithm where its source is wrong or silent. Each algorithm has a subclass
/// with a function for every such decision. A tuning may name another than the one that ships.
class Policy {
 public:
  constexpr virtual ~Policy() = default;
};

/// The one object of a policy that is only functions.
template <class P>
const P* policy() {
  static constexpr P only{};
  return &only;
}

struct Tuning {
  VotingSetShape voting = VotingSetShape::automatic;
  /// The most children of a node in ELMP's tree, 2 to 8.
  unsigned order = 2;
  Balance balance = Balance::order;
  /// Whether operations wait at a busy node of ELMP; otherwise it refuses them (the rule of
  /// [Hernane 2015]).
  bool queues = true;
  /// About how long a refused requester waits before it tries again.
  Duration back_off = std::chrono::milliseconds(5);
  /// T and T' of a bully, for the simulator's usual latency.
  Duration answer_timeout = std::chrono::microseconds(3001);
  Duration coordinator_timeout = std::chrono::microseconds(6002);
  Manners manners = Manners::bully;
  /// For hierarchical algorithms: how many near requests may overtake distant ones in one visit of
  /// the token to a cluster.
  unsigned eps = 0;
  Replication replication = {};
  /// For an algorithm that has a policy; null for the one that ships.
  const Policy* policy = nullptr;
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// The tuning's policy if it is a P; otherwise the P that ships.
template <class P>
const P* policy_of(const Tuning& tuning) {
  auto* chosen = dynamic_cast<const P*>(tuning.policy);
  return chosen ? chosen : policy<P>();
}

}  // namespace conch
