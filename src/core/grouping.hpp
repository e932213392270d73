// Finds clusters from measured round-trip times.
//
// A cluster is a set of at least two peers that are clearly nearer to one another than to any other
// peer. Its distinctness is the shortest mean round trip from it to a peer outside, divided by the
// longest round trip within which one of its members reaches three quarters of the others. Clusters
// may lie in one another, as racks in a site. Peers that are all equally near, or all equally far,
// cannot be told apart and are one cluster.
//
// A new cluster needs a distinctness of three; one that existed before stays as long as it has one
// and a half. Not every pair must be measured. But each peer outside a new cluster was measured
// with at least one of its members, and a peer that was not measured stays where it was. Times
// below half a millisecond count as equal, because a busy process alone adds that much.
//
// The labels are a pure function of the measurements and of the grouping before, in whatever order
// they are given: peers that agree on these agree on the labels.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace conch {

/// The recent measurements. Single ones jitter, so a pair's round trip is the median of its last
/// five, whichever of the two made them. A move shows after three.
class RoundTrips {
 public:
  void measured(NodeId a, NodeId b, Duration time);
  /// Drops the measurements of a peer that has left.
  void forget(NodeId peer);
  /// Empty if neither has measured it.
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
/// cluster is named after its first member; a peer in no cluster is alone. `before` is the previous
/// result of this function, perhaps for other peers.
Labels group_by_round_trips(std::vector<NodeId> peers, const RoundTrips& trips,
                            const Labels& before = {});

}  // namespace conch
