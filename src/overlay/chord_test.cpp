// Chord's routes and its fingers.
#include "overlay/chord.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "overlay/testing/hops.hpp"

namespace conch::overlay::testing::chord_test {

TEST(Chord, RoutesAreShortAndEndAtTheRoot) {
  for (std::size_t size : {100, 1000, 6500}) {
    StillRing<Chord> ring(size, size);
    std::vector<unsigned> hops = ring.hops(20'000);
    EXPECT_EQ(ring.wrong(), 0u);
    EXPECT_LE(most(hops), std::log2(static_cast<double>(size))) << size;
    EXPECT_GE(most(hops), 3u) << size;
  }
}

TEST(Chord, AKeyBelongsToTheFirstNodeAtItOrAfterIt) {
  std::vector<NodeId> nodes{NodeId{100}, NodeId{200}, NodeId{300}};
  EXPECT_TRUE(Chord(nodes, 1).root_of(Key{200}));
  EXPECT_TRUE(Chord(nodes, 1).root_of(Key{101}));
  EXPECT_FALSE(Chord(nodes, 1).root_of(Key{100}));
  EXPECT_TRUE(Chord(nodes, 0).root_of(Key{301}));
  EXPECT_EQ(Chord(nodes, 0).next_hop(Key{250}), NodeId{300});  // known to be its root
}

TEST(Chord, EveryKeyHasOneRoot) {
  StillRing<Chord> ring(200, 3);
  for (int i = 0; i < 500; ++i) {
    Key key{ring.dice().number()};
    EXPECT_EQ(ring.roots(key), 1u);
    auto found = std::lower_bound(ring.nodes().begin(), ring.nodes().end(),
                                  NodeId{static_cast<std::uint64_t>(key)});
    NodeId root = found == ring.nodes().end() ? ring.nodes().front() : *found;
    EXPECT_EQ(ring.route(ring.dice().below(200), key).end, root);
  }
}

// The protocols that intercept requests depend on this.
TEST(Chord, RoutesMeetAtTheNodeBeforeTheRoot) {
  StillRing<Chord> ring(1000, 4);
  Key key{ring.dice().number()};
  std::map<NodeId, int> last_but_one;
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t at = i;;) {
      std::optional<NodeId> next = ring.values()[at].next_hop(key);
      if (!next) break;
      auto place = std::lower_bound(ring.nodes().begin(), ring.nodes().end(), *next);
      auto index = static_cast<std::size_t>(place - ring.nodes().begin());
      if (ring.values()[index].root_of(key)) ++last_but_one[ring.nodes()[at]];
      at = index;
    }
  int most = 0;
  for (auto [node, times] : last_but_one) most = std::max(most, times);
  EXPECT_GT(most, 980);
}

TEST(Chord, AFingerIsTheFirstNodeInItsPart) {
  NodeId self{1000};
  Chord chord(self);
  FingerTable table;
  EXPECT_TRUE(table.offer(self, NodeId{1000 + 12}));
  EXPECT_FALSE(table.offer(self, NodeId{1000 + 15}));
  EXPECT_TRUE(table.offer(self, NodeId{1000 + 9}));
  EXPECT_EQ(table.nodes(), std::vector<NodeId>{NodeId{1009}});
  EXPECT_EQ(FingerTable::key_of_slot(self, NodeId{1009}), Key{1008});
  EXPECT_TRUE(table.erase(self, NodeId{1009}));
  EXPECT_FALSE(table.erase(self, NodeId{1009}));
}

TEST(Chord, AGrownRingRoutesWell) {
  RingWorld<Chord> world(12);
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
  EXPECT_LE(most(seen) + 1, std::log2(150));
}

}  // namespace conch::overlay::testing::chord_test
