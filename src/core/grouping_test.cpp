#include "core/grouping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/clusters.hpp"
#include "core/testing/dice.hpp"

namespace conch::grouping_test {

using namespace std::chrono_literals;

/// Peers on a plane. Their true round trips are a constant plus their distances.
class World {
 public:
  explicit World(std::uint64_t seed) : dice_(seed) {}

  void place(NodeId peer, double x_ms, double y_ms) { at_[peer] = {x_ms, y_ms}; }
  /// Places peers in cities far from one another, with ids in random order.
  void found_cities(std::size_t cities, std::size_t size_max, std::size_t size_min = 1) {
    std::vector<NodeId> ids;
    for (std::uint64_t i = 0; i < cities * size_max; ++i) ids.push_back(NodeId{i});
    for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[dice_.below(i)]);
    for (std::size_t city = 0; city < cities; ++city) {
      auto number = static_cast<double>(city);
      double x = 30 * number + 20 * uniform(), y = 90 * uniform();
      std::size_t size = size_min + dice_.below(size_max - size_min + 1);
      for (std::size_t i = 0; i < size; ++i, ids.pop_back()) {
        place(ids.back(), x, y);
        planted_[ids.back()] = std::to_string(city);
      }
    }
  }
  void move(NodeId peer, NodeId beside) {
    at_[peer] = at_.at(beside);
    planted_[peer] = planted_.at(beside);
  }

  /// Measures a share of all pairs once, each wrong by up to `jitter` of its round trip.
  void measure(double jitter, double share_measured = 1) {
    for (auto [a, from] : at_)
      for (auto [b, to] : at_)
        if (a < b && uniform() < share_measured) {
          double true_ms = 1 + std::hypot(from.first - to.first, from.second - to.second);
          double ms = true_ms * (1 + jitter * (2 * uniform() - 1));
          trips.measured(a, b, Duration(static_cast<std::int64_t>(1e6 * ms)));
        }
  }
  Labels group(const Labels& before = {}) const {
    return group_by_round_trips(peers(), trips, before);
  }
  std::vector<NodeId> peers() const {
    std::vector<NodeId> all;
    for (const auto& [peer, place] : at_) all.push_back(peer);
    return all;
  }
  Clusters planted() const { return Clusters(planted_); }
  double uniform() { return static_cast<double>(dice_.number() >> 11) * 0x1.0p-53; }

  RoundTrips trips;

 private:
  Dice dice_;
  std::map<NodeId, std::pair<double, double>> at_;
  Labels planted_;
};

constexpr NodeId a{0}, b{1}, c{2}, d{3}, e{4};

TEST(RoundTrips, AreTheMedianOfTheLastFive) {
  RoundTrips trips;
  EXPECT_EQ(trips.between(a, b), std::nullopt);
  trips.measured(a, b, 10ms);
  EXPECT_EQ(trips.between(b, a), 10ms);
  for (Duration time : {500ms, 11ms, 12ms, 13ms}) trips.measured(b, a, time);
  EXPECT_EQ(trips.between(a, b), 12ms);
  for (int i = 0; i < 3; ++i) trips.measured(a, b, 1ms);
  EXPECT_EQ(trips.between(a, b), 1ms);
  trips.forget(b);
  EXPECT_EQ(trips.between(a, b), std::nullopt);
}

/// Whether the same peers are together; there may be sites.
void expect_planted(const World& world, const Labels& labels, std::uint64_t seed) {
  Clusters found(labels), planted = world.planted();
  for (NodeId x : world.peers())
    for (NodeId y : world.peers())
      ASSERT_EQ(found.together(x, y), planted.together(x, y))
          << "seed " << seed << ", " << x.value << " and " << y.value;
}

TEST(Grouping, FindsThePlantedClustersUnderJitter) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    World world(seed);
    world.found_cities(2 + seed % 9, 6);
    for (int round = 0; round < 5; ++round) world.measure(0.3);
    Labels labels = world.group();
    bool apart = world.peers().size() > 2 + seed % 9;  // cities of one peer each may form none
    if (apart || !labels.empty()) expect_planted(world, labels, seed);
  }
}

TEST(Grouping, FindsThemWhereOnlySomeWereMeasured) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed);
    world.found_cities(8, 20, 15);
    for (int round = 0; round < 5; ++round) world.measure(0.3, 0.2);
    expect_planted(world, world.group(), seed);
  }
}

TEST(Grouping, DoesNotDependOnTheOrderOfThePeersOrOfTheMeasurements) {
  World world(7);
  world.found_cities(5, 5);
  world.measure(0.3);
  std::vector<NodeId> peers = world.peers();
  RoundTrips backwards;
  for (NodeId x : peers)
    for (NodeId y : peers)
      if (y < x) backwards.measured(x, y, *world.trips.between(y, x));
  std::reverse(peers.begin(), peers.end());
  EXPECT_EQ(group_by_round_trips(peers, backwards), world.group());
}

TEST(Grouping, ThoseWhoAreAllNearAreOneCluster) {
  World world(1);
  for (std::uint64_t i = 0; i < 30; ++i) world.place(NodeId{i}, 0, 0);
  Labels labels;
  for (int round = 0; round < 100; ++round) {
    world.measure(0.3);
    EXPECT_TRUE((labels = world.group(labels)).empty());
  }
}

// No peer is nearer to some than to others, so an algorithm needs no labels.
TEST(Grouping, ThoseWhoAreAllEquallyFarAreOneCluster) {
  RoundTrips trips;
  for (NodeId x : {a, b, c, d})
    for (NodeId y : {a, b, c, d})
      if (x < y) trips.measured(x, y, 100ms);
  EXPECT_TRUE(group_by_round_trips({a, b, c, d}, trips).empty());
  EXPECT_TRUE(group_by_round_trips({a, b}, trips).empty());
  EXPECT_TRUE(group_by_round_trips({a}, trips).empty());
  EXPECT_TRUE(group_by_round_trips({}, trips).empty());
}

TEST(Grouping, WhoIsInNoClusterIsAlone) {
  World world(1);
  world.place(a, 0, 0);
  world.place(b, 0, 0);
  world.place(c, 50, 0);
  world.place(d, 0, 50);
  world.measure(0);
  EXPECT_EQ(world.group(), (Labels{{a, "0"}, {b, "0"}, {c, "2"}, {d, "3"}}));
}

TEST(Grouping, DifferencesBelowHalfAMillisecondDoNotCount) {
  RoundTrips trips;
  for (NodeId x : {a, b, c, d})
    for (NodeId y : {a, b, c, d})
      if (x < y) trips.measured(x, y, (x == a) == (y == b) ? 20us : 450us);
  EXPECT_TRUE(group_by_round_trips({a, b, c, d}, trips).empty());
}

TEST(Grouping, ClustersThatAreNearOneAnotherAreASite) {
  World world(1);
  double x_ms = 0;
  for (std::uint64_t i = 0; i < 12; ++i) {
    if (i > 0 && i % 3 == 0) x_ms += i == 6 ? 300 : 10;
    world.place(NodeId{i}, x_ms, 0);
  }
  world.place(NodeId{12}, 5, 9);  // alone, in the first site
  for (int round = 0; round < 5; ++round) world.measure(0.3);
  Labels labels = world.group();
  EXPECT_EQ(labels[NodeId{0}], "0/0");
  EXPECT_EQ(labels[NodeId{5}], "0/3");
  EXPECT_EQ(labels[NodeId{12}], "0/12");
  EXPECT_EQ(labels[NodeId{6}], "6/6");
  EXPECT_EQ(labels[NodeId{11}], "6/9");
}

// Each of these clusters has a scale of its own.
TEST(Grouping, AClusterMayBeWiderThanTheDistanceBetweenOthers) {
  RoundTrips trips;
  auto near = [&](NodeId x, NodeId y, Duration time) { trips.measured(x, y, time); };
  near(a, b, 1ms), near(c, d, 40ms);
  for (NodeId x : {a, b})
    for (NodeId y : {c, d}) near(x, y, 200ms);
  EXPECT_EQ(group_by_round_trips({a, b, c, d}, trips),
            (Labels{{a, "0"}, {b, "0"}, {c, "2"}, {d, "2"}}));
}

// A member of two cities together is near to half of the set: that does not make it one cluster.
TEST(Grouping, TwoCitiesAreNoSiteIfOthersAreHardlyFarther) {
  World world(1);
  for (std::uint64_t i = 0; i < 30; ++i) {
    std::uint64_t city = i / 10;
    world.place(NodeId{i}, 100.0 * static_cast<double>(city), city < 2 ? 0 : 120);
  }
  world.measure(0.1);
  EXPECT_EQ(Clusters(world.group()).levels(), 1u);
}

TEST(Grouping, ABadLineDoesNotBreakACluster) {
  World world(1);
  for (std::uint64_t i = 0; i < 12; ++i) world.place(NodeId{i}, i < 6 ? 0 : 80, 0);
  world.measure(0.3);
  for (int i = 0; i < 5; ++i) world.trips.measured(a, b, 100ms);
  Clusters clusters(world.group());
  EXPECT_TRUE(clusters.together(a, b));
  EXPECT_FALSE(clusters.together(a, NodeId{7}));
}

TEST(Grouping, DoesNotFlapUnderJitter) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed);
    world.found_cities(6, 4);
    for (int round = 0; round < 5; ++round) world.measure(0.3);
    Labels labels = world.group();
    std::set<Labels> seen{labels};
    for (int round = 0; round < 1000; ++round) {
      world.measure(0.3);
      Labels now = world.group(labels);
      // Cities may become a site, and then stay one: no earlier grouping comes back.
      bool is_new = now == labels || seen.insert(now).second;
      ASSERT_TRUE(is_new) << "seed " << seed << ", round " << round;
      labels = std::move(now);
      expect_planted(world, labels, seed);
    }
    EXPECT_LE(seen.size(), 3u) << seed;
  }
}

// Peers anywhere, most of them in no clear cluster: what has formed stays.
TEST(Grouping, HardlyEverChangesWhereNothingIsClear) {
  int changes = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed);
    for (std::uint64_t i = 0; i < 20; ++i)
      world.place(NodeId{i}, 100 * world.uniform(), 100 * world.uniform());
    for (int round = 0; round < 5; ++round) world.measure(0.3);
    Labels labels = world.group();
    for (int round = 0; round < 1000; ++round) {
      world.measure(0.3);
      Labels now = world.group(labels);
      changes += now != labels;
      labels = std::move(now);
    }
  }
  EXPECT_LT(changes, 50);  // in 10000 rounds
}

TEST(Grouping, AnUnclearClusterStaysButDoesNotForm) {
  World world(1);
  for (NodeId peer : {a, b}) world.place(peer, 0, 0);
  for (NodeId peer : {c, d, e}) world.place(peer, 1.2, 0);  // 2.2 ms against 1 ms
  world.measure(0);
  EXPECT_TRUE(world.group().empty());
  Labels before{{a, "0"}, {b, "0"}, {c, "2"}, {d, "2"}, {e, "2"}};
  EXPECT_EQ(world.group(before), before);
  before.erase(d);  // a newcomer comes to the cluster it is near
  EXPECT_EQ(world.group(before)[d], "2");
}

TEST(Grouping, WhoHasMovedChangesItsLabelAfterThreeMeasurements) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed);
    for (std::uint64_t i = 0; i < 12; ++i) world.place(NodeId{i}, i < 6 ? 0 : 80, 0);
    for (int round = 0; round < 5; ++round) world.measure(0.3);
    Labels labels = world.group();
    ASSERT_EQ(labels[NodeId{3}], "0");
    world.place(NodeId{3}, 80, 0);
    for (int round = 0; round < 3; ++round) {
      world.measure(0.3);
      labels = world.group(labels);
    }
    EXPECT_EQ(labels[NodeId{3}], "3") << seed;  // which is now the first there
    EXPECT_EQ(labels[NodeId{7}], "3") << seed;
    EXPECT_EQ(labels[NodeId{4}], "0") << seed;
  }
}

TEST(Grouping, WhoIsNotMeasuredStaysWhereItWas) {
  World world(1);
  for (std::uint64_t i = 0; i < 6; ++i) world.place(NodeId{i}, i < 3 ? 0 : 80, 0);
  world.measure(0.3);
  Labels labels = world.group();
  world.trips.forget(NodeId{1});
  EXPECT_EQ(world.group(labels), labels);
}

TEST(Grouping, OfOthersThanBeforeOnlyThoseWhoAreThereCount) {
  World world(1);
  for (std::uint64_t i = 0; i < 6; ++i) world.place(NodeId{i}, i < 3 ? 0 : 80, 0);
  world.measure(0.3);
  Labels labels = world.group({{NodeId{77}, "77"}, {NodeId{0}, "77"}});
  EXPECT_EQ(labels.size(), 6u);
  EXPECT_EQ(labels, world.group());
}

}  // namespace conch::grouping_test
