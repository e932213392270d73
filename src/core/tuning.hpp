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

/// What an algorithm decides where its source was wrong or said nothing: each has its own, with a
/// function for every such decision. A tuning may name another than the one that ships.
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
  Voting voting = Voting::automatic;
  /// Of ELMP's tree: the most children a node has, 2 to 8.
  unsigned order = 2;
  Balance balance = Balance::order;
  /// Whether those who come to a busy ELMP wait there; it refuses them otherwise (the rule of
  /// [Hernane 2015]).
  bool queues = true;
  /// How long, about, who is refused waits before it tries again.
  Duration back_off = std::chrono::milliseconds(5);
  /// T and T' of a bully; those of the simulator's usual latency.
  Duration answer_timeout = std::chrono::microseconds(3001);
  Duration coordinator_timeout = std::chrono::microseconds(6002);
  Manners manners = Manners::bully;
  /// Of the hierarchical algorithms: so many near requests may overtake distant ones in one visit
  /// of the token to a cluster.
  unsigned eps = 0;
  Replication replication = {};
  /// That of an algorithm that has one; the one that ships if it is nobody's.
  const Policy* policy = nullptr;
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// The tuning's, if it is of this kind.
template <class P>
const P* policy_of(const Tuning& tuning) {
  auto* chosen = dynamic_cast<const P*>(tuning.policy);
  return chosen ? chosen : policy<P>();
}

}  // namespace conch
