// Clusters from measured round-trip times: who is near whom, found instead of told.
//
// A cluster is a set of at least two peers that are clearly nearer to one another than to anybody
// else: its distinctness is the shortest mean round trip of somebody outside to it, over the
// longest that a member has to three quarters of the others. Clusters may lie in one another, as
// racks in a site. Peers that are all equally near, or all equally far, cannot be told apart and
// are one cluster.
//
// What stands is kept: a new cluster must be distinct by a factor of three, and one that was there
// before stays until it is less than one and a half. Not everybody must measure everybody, but a
// new cluster has measured everybody else, by one of its members at least; who was not measured
// stays where it was. Times below half a millisecond are all the same, because that much a busy
// process adds by itself.
//
// A pure function of the measurements and of the grouping before, in whatever order they are given:
// all who agree on these agree on the labels.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace conch {

/// What was measured lately. Single measurements jitter, so that of a pair is the median of its
/// last five, whichever of the two made them; a peer that has moved is seen after three.
class RoundTrips {
 public:
  void measured(NodeId a, NodeId b, Duration time);
  /// Who has left is no longer measured.
  void forget(NodeId peer);
  /// Nothing if nobody measured it.
  std::optional<Duration> between(NodeId a, NodeId b) const;

 private:
  struct Recent {
    std::array<Duration, 5> times{};
    std::size_t count = 0;
  };
  std::map<std::pair<NodeId, NodeId>, Recent> pairs_;
};

using Labels = std::map<NodeId, std::string>;

/// The label of each peer, as `Clusters` reads it, or none at all if there is only one cluster. A
/// cluster is called by its first member; who is in none is alone. `before` is what this function
/// returned the last time, perhaps for other peers.
Labels group_by_round_trips(std::vector<NodeId> peers, const RoundTrips& trips,
                            const Labels& before = {});

}  // namespace conch
