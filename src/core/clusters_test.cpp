#include "core/clusters.hpp"

#include <gtest/gtest.h>

namespace conch::clusters_test {

constexpr NodeId a{10}, b{20}, c{30}, d{40}, stranger{50};

TEST(Clusters, WithoutLabelsEverybodyIsInOne) {
  Clusters none;
  EXPECT_TRUE(none.together(a, b));
  EXPECT_EQ(none.levels(), 0u);
  EXPECT_TRUE(none.firsts_of(a).empty());
}

TEST(Clusters, AreThoseWithTheSameLabel) {
  Clusters two({{a, "x"}, {b, "y"}, {c, "x"}});
  EXPECT_TRUE(two.together(a, c));
  EXPECT_FALSE(two.together(a, b));
  EXPECT_TRUE(two.together(b, b));
  EXPECT_EQ(two.firsts_of(c), std::vector{a});
}

TEST(Clusters, WhoseLabelsBeginAlikeAreNearer) {
  Clusters nested({{a, "fr/1"}, {b, "fr/2"}, {c, "de/1"}, {d, "fr/1"}});
  EXPECT_EQ(nested.levels(), 2u);
  EXPECT_EQ(nested.nearness(a, d), 2u);
  EXPECT_EQ(nested.nearness(a, b), 1u);
  EXPECT_EQ(nested.nearness(a, c), 0u);
  EXPECT_EQ(nested.firsts_of(b), (std::vector{a, b}));
  EXPECT_EQ(nested.firsts_of(d), (std::vector{a, a}));
}

TEST(Clusters, OfDifferentDepthsCompare) {
  Clusters uneven({{a, "fr"}, {b, "fr"}, {c, "fr/1/9"}, {d, "fr/1"}});
  EXPECT_TRUE(uneven.together(a, b));
  EXPECT_EQ(uneven.nearness(a, b), uneven.levels());
  EXPECT_EQ(uneven.nearness(a, c), 1u);
  EXPECT_EQ(uneven.nearness(d, c), 2u);
}

TEST(Clusters, WhoHasNoLabelIsAlone) {
  Clusters one({{a, "x"}, {b, "x"}});
  EXPECT_FALSE(one.together(a, stranger));
  EXPECT_FALSE(one.together(stranger, NodeId{60}));
  EXPECT_TRUE(one.together(stranger, stranger));
  EXPECT_TRUE(one.firsts_of(stranger).empty());
}

TEST(Clusters, CompareByWhoIsTogetherWhateverTheirNames) {
  EXPECT_EQ(Clusters({{a, "x"}, {b, "y"}}), Clusters({{a, "u"}, {b, "v"}}));
  EXPECT_NE(Clusters({{a, "x"}, {b, "y"}}), Clusters({{a, "x"}, {b, "x"}}));
  EXPECT_NE(Clusters({{a, "x"}}), Clusters());
}

TEST(Clusters, OfASimulationAreNumberedThrough) {
  std::vector<std::uint32_t> sizes{2, 1, 1}, sites{2, 1};
  Clusters clusters = Clusters::sized(sizes);
  EXPECT_TRUE(clusters.together(NodeId{0}, NodeId{1}));
  EXPECT_FALSE(clusters.together(NodeId{1}, NodeId{2}));
  Clusters nested = Clusters::sized(sizes, sites);
  EXPECT_EQ(nested.nearness(NodeId{0}, NodeId{2}), 1u);
  EXPECT_EQ(nested.nearness(NodeId{2}, NodeId{3}), 0u);
}

}  // namespace conch::clusters_test
