// Measures the distances among the peers that were started with `--cluster auto`.
//
// Each of them measures the round-trip times to the others: several times soon after the roster has
// changed, then every few seconds. It reports them to the first of these peers, which groups all of
// them (core/grouping.hpp), and proposes a view with new labels once it finds the same grouping
// twice in a row.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/grouping.hpp"
#include "node/talk.hpp"

namespace conch::node {

class Node;

class LatencyProbe {
 public:
  explicit LatencyProbe(Node& node) : node_(node) {}

  void follow_roster(Time now);
  Time wakes() const { return next_round_; }
  void look_after(Time now);

  // Messages from the others.
  void pinged(const PeerInstance& by, const Ping& m);
  void answered(const PeerInstance& by, const Pong& m, Time now);
  void told(const PeerInstance& by, const Distances& m);

 private:
  /// The members with measured labels, by id; empty if this peer is not one of them.
  std::vector<PeerInstance> company() const;
  /// Whether the first rounds are over and every pair has been measured.
  bool knows_enough() const;
  void regroup(Time now);
  void ping_all(Time now);

  Node& node_;
  std::set<PeerInstance> company_;
  Time next_round_ = Time::max();
  std::uint64_t round_ = 0;
  unsigned quick_rounds_ = 0;
  /// When the last few rounds began.
  std::map<std::uint64_t, Time> begun_;
  /// Measured since the last report.
  std::vector<Distance> found_;

  // Used by the first peer only.
  RoundTrips trips_;
  Labels found_before_;
};

}  // namespace conch::node
