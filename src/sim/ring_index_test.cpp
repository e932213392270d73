#include "sim/ring_index.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace conch::sim::ring_index_test {

TEST(RingIndex, FindsWhoIsThereAndNobodyElse) {
  for (Node size : {1u, 2u, 3u, 1000u}) {
    Random random(size);
    std::vector<std::pair<NodeId, Node>> members;
    for (Node node = 0; node < size; ++node) members.emplace_back(NodeId{random.next()}, node);
    RingIndex places(members);
    for (auto [id, node] : members) {
      EXPECT_EQ(places.find(id), node);
      EXPECT_EQ(places.find(NodeId{id.value + 1}), std::nullopt);
      EXPECT_EQ(places.successor(id), node);
    }
    EXPECT_EQ(places.successor(NodeId{places.ids()[size - 1].value + 1}), places[0]);
    EXPECT_EQ(places.size(), size);
  }
}

/// Ids need not be random.
TEST(RingIndex, FindsThoseAtTheEndsOfTheRing) {
  RingIndex places({{NodeId{0}, 7}, {NodeId{~std::uint64_t{0}}, 8}, {NodeId{1}, 9}});
  EXPECT_EQ(places.find(NodeId{0}), 7u);
  EXPECT_EQ(places.find(NodeId{1}), 9u);
  EXPECT_EQ(places.find(NodeId{~std::uint64_t{0}}), 8u);
  EXPECT_EQ(places.successor(NodeId{2}), 8u);
}

}  // namespace conch::sim::ring_index_test
