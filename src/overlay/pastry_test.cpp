// Pastry's routes and its table.
#include "overlay/pastry.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/hash.hpp"
#include "overlay/testing/hops.hpp"

namespace conch::overlay::testing::pastry_test {

TEST(Pastry, RoutesAreShortAndEndAtTheRoot) {
  for (std::size_t size : {100, 1000, 6500}) {
    StillRing<Pastry> ring(size, size);
    std::vector<unsigned> hops = ring.hops(20'000);
    EXPECT_EQ(ring.wrong(), 0u);
    double digits = std::ceil(std::log2(static_cast<double>(size)) / 4);
    EXPECT_LE(most(hops), digits + 1) << size;
    EXPECT_GE(most(hops), 2u) << size;
    RecordProperty("mean_" + std::to_string(size), std::to_string(mean(hops)));
  }
}

// The experiments of [Muhammad 2005, section VI] rest on this.
TEST(Pastry, TheMeanRouteAt6500) {
  StillRing<Pastry> ring(6500, 7);
  EXPECT_NEAR(mean(ring.hops(50'000)), 3.04, 0.1);
}

/// Half of the nodes go and others come: the leaves are those of the new ring, and the table loses
/// no node that is still there.
TEST(Pastry, ANodeAmongOthersKeepsWhomItKnows) {
  StillRing<Pastry> ring(400, 5);
  std::vector<NodeId> members;
  for (std::size_t i = 0; i < 400; i += 2) members.push_back(ring.nodes()[i]);
  for (int i = 0; i < 200; ++i) members.push_back(NodeId{ring.dice().number()});
  std::sort(members.begin(), members.end());
  auto is_there = [&](NodeId node) {
    return std::binary_search(members.begin(), members.end(), node);
  };
  for (std::size_t i = 0; i < 400; i += 20) {
    NodeId self = ring.nodes()[i];
    Pastry before(ring.nodes(), i);
    auto place = std::lower_bound(members.begin(), members.end(), self) - members.begin();
    Pastry after = before.among(members, static_cast<std::size_t>(place));
    EXPECT_EQ(after.leaves(), Pastry(members, static_cast<std::size_t>(place)).leaves());
    for (NodeId known : before.table().nodes())
      EXPECT_EQ(after.table().contains(self, known), is_there(known));
    for (NodeId known : after.table().nodes()) EXPECT_TRUE(is_there(known));
  }
}

TEST(Pastry, EveryKeyHasOneRootTheNearestNode) {
  StillRing<Pastry> ring(200, 3);
  for (int i = 0; i < 500; ++i) {
    Key key{ring.dice().number()};
    NodeId root = *std::min_element(ring.nodes().begin(), ring.nodes().end(),
                                    [&](NodeId a, NodeId b) { return nearer(key, a, b); });
    EXPECT_EQ(ring.roots(key), 1u);
    EXPECT_EQ(ring.route(ring.dice().below(200), key).end, root);
  }
}

TEST(Pastry, OfTwoThatAreAsNearTheOneBeforeIsTheRoot) {
  std::vector<NodeId> nodes{NodeId{100}, NodeId{200}};
  EXPECT_TRUE(Pastry(nodes, 0).root_of(Key{150}));
  EXPECT_FALSE(Pastry(nodes, 1).root_of(Key{150}));
  EXPECT_TRUE(Pastry(nodes, 1).root_of(Key{151}));
  EXPECT_EQ(Pastry(nodes, 1).next_hop(Key{150}), NodeId{100});
}

TEST(Pastry, ASlotIsGivenToTheNearer) {
  NodeId self{0};
  NodeId far{0xa000'0000'0000'0001}, near{0xaf00'0000'0000'0000};
  Pastry pastry(self);
  pastry.learn(far, 20ms);
  EXPECT_EQ(pastry.table().find(self, key_of(near)), far);
  pastry.learn(near, 30ms);
  EXPECT_EQ(pastry.table().find(self, key_of(near)), far);
  pastry.learn(near, 10ms);
  EXPECT_EQ(pastry.table().find(self, key_of(near)), near);
  pastry.learn(near, 50ms);  // it has moved, and no other node is known
  pastry.learn(far, 20ms);
  EXPECT_EQ(pastry.table().find(self, key_of(near)), far);
}

TEST(Pastry, LatenciesMakeHopsShort) {
  Dice dice(5);
  std::vector<NodeId> nodes = scattered(1000, dice);
  // Places on a line that have nothing to do with the ring.
  auto place = [](NodeId node) { return static_cast<std::int64_t>(hash64(node) % 100'000); };
  Duration blind{}, aware{};
  for (std::size_t i = 0; i < 50; ++i) {
    auto latency = [&](NodeId other) {
      return std::chrono::microseconds(std::abs(place(nodes[i]) - place(other)));
    };
    Pastry knows(nodes, i, {}, latency), guesses(nodes, i);
    for (int row_digit = 0; row_digit < 16; ++row_digit) {
      Key key{static_cast<std::uint64_t>(row_digit) << 60};
      if (auto node = knows.table().find(nodes[i], key)) aware += latency(*node);
      if (auto node = guesses.table().find(nodes[i], key)) blind += latency(*node);
    }
  }
  EXPECT_LT(aware * 3, blind);
}

TEST(Pastry, AnIdleValueIsSmall) {
  StillRing<Pastry> ring(6500, 1);
  std::size_t bytes = 0;
  for (const Pastry& value : ring.values()) bytes += sizeof(Pastry) + value.table().bytes();
  EXPECT_LT(bytes / ring.values().size(), 1024u);
}

// A ring that grew by joins routes about as well as one that was built at once.
TEST(Pastry, AGrownRingRoutesWell) {
  RingWorld<Pastry> world(11);
  std::vector<NodeId> nodes = scattered(150, world.dice());
  world.found({nodes[0]});
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    world.join(nodes[i], world.any_member());
    world.run(200ms);
  }
  world.run(20s);
  ASSERT_EQ(world.disorder(), "");
  EXPECT_EQ(world.misrouted(500), "");
  std::vector<unsigned> seen;
  for (const auto& [number, arrivals] : world.arrivals()) seen.push_back(arrivals[0].seen);
  std::sort(seen.begin(), seen.end());
  EXPECT_LE(most(seen), 2u) << "nodes between: a hop less";
}

}  // namespace conch::overlay::testing::pastry_test
