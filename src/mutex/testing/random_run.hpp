// Random runs of a group of algorithm instances. A step delivers any message in flight, or lets a
// process act; the seed decides how eagerly. So runs reach orders that no latency distribution
// makes likely.
#pragma once

#include <set>

#include "mutex/testing/group.hpp"

namespace conch::testing {

/// The kinds of requests in a random run.
struct Sharing {
  /// Percentage of requests that only read.
  std::uint64_t readers = 0;
  /// Number of blocks of the data; a request is for a run of blocks.
  std::uint64_t blocks = 1;

  bool any() const { return readers > 0 || blocks > 1; }
  Wish draw(Dice& dice) const {
    Wish wish;
    if (dice.percent(readers)) wish.mode = Mode::read;
    std::uint64_t first = dice.below(blocks);
    std::uint64_t last = first + dice.below(blocks - first);
    bool everything = first == 0 && last + 1 == blocks;
    if (!everything) wish.range = {10 * first, 10 * (last + 1)};
    return wish;
  }
};

/// A random layout, from one cluster of all nodes to one cluster per node; every third has sites.
inline Clusters random_clusters(std::uint64_t seed, const std::vector<NodeId>& nodes) {
  Dice dice(seed ^ 0xc1a5);
  std::size_t clusters = 1 + dice.below(nodes.size());
  std::size_t sites = dice.below(3) == 0 ? 1 + dice.below(3) : 0;
  std::map<NodeId, std::string> labels;
  for (NodeId node : nodes) {
    std::size_t cluster = dice.below(clusters);
    std::string site = sites == 0 ? "" : std::to_string(cluster % sites) + "/";
    labels[node] = site + std::to_string(cluster);
  }
  return Clusters(labels);
}

enum class Membership : std::uint8_t { fixed, changing };

/// A random run to completion: requests, releases, cancels, joins, leaves, and deliveries.
template <Exclusive A>
class RandomRun {
 public:
  RandomRun(std::uint64_t seed, std::size_t nodes, Channels channels, Tuning tuning = {},
            Sharing sharing = {}, Membership membership = Membership::fixed)
      : seed_(seed),
        dice_(seed),
        channels_(channels),
        sharing_(sharing),
        wishes_(6 * nodes),
        delivery_chance_(20 + dice_.below(75)),
        release_chance_(5 + dice_.below(90)),
        cancel_chance_(dice_.below(3) == 0 ? 0 : dice_.below(40)),
        group_(start(nodes, tuning)) {
    if (membership == Membership::fixed) return;
    leave_chance_ = 10 + dice_.below(80);
    slow_chance_ = 3 + dice_.below(30);
    if (dice_.percent(80)) release_chance_ = 1;  // a long queue, and time to cancel
    if (dice_.percent(80)) cancel_chance_ = 1 + dice_.below(5);
  }

  /// Runs it. Returns the first failure, with the seed that repeats it; empty if there is none.
  std::string run() {
    std::size_t patience = 200'000;
    while (group_.failure().empty() && !complete()) {
      if (patience-- == 0) return report("it does not come to an end");
      step();
      if (group_.in_flight().empty()) group_.check_still();
    }
    if (group_.failure().empty()) group_.check_quiescent();
    return group_.failure().empty() ? "" : report(group_.failure());
  }

  const Group<A>& group() const { return group_; }

 private:
  /// Identifiers are neither positions nor contiguous, and any member may be the home.
  Assignment start(std::size_t nodes, Tuning tuning) {
    std::vector<NodeId> ids;
    for (std::size_t i = 0; i < nodes; ++i) ids.push_back(NodeId{10 * i + dice_.below(10)});
    Assignment start = Assignment::fresh(Members(ids), dice_.one_of(ids), tuning);
    start.clusters = random_clusters(seed_, ids);
    return start;
  }

  /// Whether the run is over. The token of a restless algorithm is always in flight.
  bool complete() const {
    bool still = group_.in_flight().empty() || A::about.restless;
    return wishes_ == 0 && still && group_.timers() == 0 && !group_.anybody(Doing::waiting) &&
           !group_.anybody(Doing::inside) && !group_.anybody(Doing::withdrawing) &&
           !group_.anybody(Doing::joining) && !group_.anybody(Doing::leaving);
  }

  void step() {
    if (!group_.in_flight().empty() && dice_.percent(delivery_chance_)) return deliver();
    if constexpr (Timed<A>)
      if (group_.timers() > 0 && dice_.percent(30))
        return group_.fire(dice_.below(group_.timers()));
    NodeId node = dice_.one_of(group_.nodes());
    switch (group_.doing(node)) {
      case Doing::nothing:
        if (wishes_ == 0) return;
        if (leaves(node)) return;
        --wishes_;
        return request(node);
      case Doing::waiting:
        if (dice_.percent(cancel_chance_)) group_.cancel(node);
        return;
      case Doing::inside:
        if (dice_.percent(release_chance_)) group_.release(node);
        return;
      case Doing::away: return come_back(node);
      case Doing::withdrawing:
      case Doing::joining:
      case Doing::leaving: return;
    }
  }
  /// The first node stays, so that there is always a contact for newcomers.
  bool leaves(NodeId node) {
    if constexpr (Dynamic<A>) {
      if (node == group_.nodes().front() || !dice_.percent(leave_chance_)) return false;
      group_.leave(node);
      return true;
    }
    return false;
  }
  void come_back(NodeId node) {
    if constexpr (Dynamic<A>)
      if (group_.may_join(node)) group_.join(node, dice_.one_of(group_.members()));
  }

  /// Now and then a channel is slow for a while, so that whole exchanges overtake its messages.
  void deliver() {
    if (slow_chance_ == 0) return group_.deliver_random(dice_, channels_);
    std::size_t position = 0;
    std::pair<NodeId, NodeId> channel;
    for (int tries = 0; tries < 20; ++tries) {
      position = dice_.below(group_.in_flight().size());
      channel = {group_.in_flight()[position].from, group_.in_flight()[position].to};
      if (!slow_.contains(channel)) break;
    }
    slow_.erase(channel);
    if (dice_.percent(slow_chance_)) slow_.insert(channel);
    if (channels_ == Channels::unordered) return group_.deliver(position);
    group_.deliver(channel.first, channel.second);
  }

  void request(NodeId node) {
    if constexpr (Shared<A>)
      if (sharing_.any()) return group_.request(node, sharing_.draw(dice_));
    group_.request(node);
  }

  std::string report(const std::string& what) const {
    return std::string(A::about.name) + ", seed " + std::to_string(seed_) + ", " +
           std::to_string(group_.members().size()) + " nodes" +
           (channels_ == Channels::fifo ? ", FIFO: " : ": ") + what + "\n" + group_.states();
  }

  std::uint64_t seed_;
  Dice dice_;
  Channels channels_;
  Sharing sharing_;
  std::size_t wishes_;
  std::size_t delivery_chance_;
  std::size_t release_chance_;
  std::size_t cancel_chance_;
  std::size_t slow_chance_ = 0;
  std::size_t leave_chance_ = 0;
  std::set<std::pair<NodeId, NodeId>> slow_;
  Group<A> group_;
};

template <Exclusive A>
std::string random_run(std::uint64_t seed, std::size_t nodes, Channels channels,
                       Tuning tuning = {}) {
  return RandomRun<A>(seed, nodes, channels, tuning).run();
}

/// Runs every seed below `seeds` with a group of this size and returns the first failure. It also
/// fails if no run had an entry or, in groups of several, a withdrawal, a shared entry or a
/// departure.
template <Exclusive A>
std::string random_runs(std::uint64_t seeds, std::size_t nodes, Channels channels,
                        Tuning tuning = {}, Sharing sharing = {},
                        Membership membership = Membership::fixed) {
  std::size_t entries = 0;
  std::size_t withdrawals = 0;
  std::size_t joint_entries = 0;
  std::size_t departures = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RandomRun<A> run(seed, nodes, channels, tuning, sharing, membership);
    if (std::string failure = run.run(); !failure.empty()) return failure;
    entries += run.group().entries().size();
    withdrawals += run.group().withdrawals();
    joint_entries += run.group().joint_entries();
    departures += run.group().departures();
  }
  if (entries == 0) return "nobody ever entered";
  if (withdrawals == 0 && nodes > 1) return "nobody ever withdrew";
  if (departures == 0 && nodes > 1 && membership == Membership::changing) return "nobody ever left";
  if (joint_entries == 0 && nodes > 1 && sharing.any()) return "no two were ever inside together";
  return "";
}

}  // namespace conch::testing
