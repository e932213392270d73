#include "core/members.hpp"

#include <gtest/gtest.h>

namespace conch::members_test {

const Members three{NodeId{30}, NodeId{10}, NodeId{20}};

TEST(Members, AreSortedAndDistinct) {
  Members members{NodeId{2}, NodeId{1}, NodeId{2}};
  EXPECT_EQ(std::vector<NodeId>(members.begin(), members.end()),
            (std::vector<NodeId>{NodeId{1}, NodeId{2}}));
  EXPECT_EQ(members, (Members{NodeId{1}, NodeId{2}}));
  EXPECT_NE(members, Members::first(2));
}

TEST(Members, OfASimulationAreNumberedFromZero) {
  EXPECT_EQ(Members::first(3), (Members{NodeId{0}, NodeId{1}, NodeId{2}}));
  EXPECT_EQ(Members::first(0), Members());
}

TEST(Members, AreFoundByTheirPlace) {
  EXPECT_EQ(three.index_of(NodeId{10}), 0u);
  EXPECT_EQ(three.index_of(NodeId{30}), 2u);
  EXPECT_EQ(three.index_of(NodeId{15}), std::nullopt);
  EXPECT_EQ(three.index_of(NodeId{40}), std::nullopt);
  EXPECT_EQ(three[1], NodeId{20});
  EXPECT_TRUE(three.contains(NodeId{20}));
  EXPECT_FALSE(three.contains(NodeId{25}));
}

TEST(Members, FollowEachOtherInACircle) {
  EXPECT_EQ(three.after(NodeId{10}), NodeId{20});
  EXPECT_EQ(three.after(NodeId{30}), NodeId{10});
  EXPECT_EQ(Members{NodeId{1}}.after(NodeId{1}), NodeId{1});
}

TEST(Members, HaveAMemberAfterAStrangerToo) {
  EXPECT_EQ(three.after(NodeId{5}), NodeId{10});
  EXPECT_EQ(three.after(NodeId{25}), NodeId{30});
  EXPECT_EQ(three.after(NodeId{99}), NodeId{10});
}

TEST(Members, ChangeInCopiesOnly) {
  Members copy = three;
  EXPECT_EQ(copy.with(NodeId{15}).without(NodeId{30}),
            (Members{NodeId{10}, NodeId{15}, NodeId{20}}));
  EXPECT_EQ(three.with(NodeId{20}), three);
  EXPECT_EQ(three.without(NodeId{21}), three);
  EXPECT_EQ(copy, three);
}

}  // namespace conch::members_test
