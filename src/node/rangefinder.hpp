// How far the others are, among the peers that were started with `--cluster auto`.
//
// Each of them measures how long a message takes to the others and back: some times soon after the
// roster has changed, then now and then. What it has found it tells the first of them, who groups
// them all (core/grouping.hpp) and proposes a view with other labels, if it finds the same grouping
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

class Rangefinder {
 public:
  explicit Rangefinder(Node& node) : node_(node) {}

  void follow_roster(Time now);
  Time wakes() const { return next_round_; }
  void look_after(Time now);

  // What the others say.
  void pinged(const recovery::Life& by, const Ping& m);
  void answered(const recovery::Life& by, const Pong& m, Time now);
  void told(const recovery::Life& by, const Distances& m);

 private:
  /// Adaptive members, this one among them, by id; empty if it is not one.
  std::vector<recovery::Life> company() const;
  /// Everybody has been measured, and some times.
  bool knows_enough() const;
  void regroup(Time now);
  void ping_all(Time now);

  Node& node_;
  std::set<recovery::Life> company_;
  Time next_round_ = Time::max();
  std::uint64_t round_ = 0;
  unsigned quick_rounds_ = 0;
  /// When a round began, of the last few.
  std::map<std::uint64_t, Time> begun_;
  /// Found since the others were told.
  std::vector<Distance> found_;

  // Of the first one.
  RoundTrips trips_;
  Labels found_before_;
};

}  // namespace conch::node
