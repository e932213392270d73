#include "recovery/home.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace conch::recovery::home_test {

std::string lock(int number) { return "lock " + std::to_string(number); }

TEST(Home, IsAFounder) {
  Members founders{NodeId{3}, NodeId{70}, NodeId{900}};
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(founders.contains(home_of(lock(i), founders)));
  EXPECT_EQ(home_of("any", Members{NodeId{7}}), NodeId{7});
}

TEST(Home, LocksAreSpread) {
  Members founders = Members::first(10);
  std::map<NodeId, int> homes;
  for (int i = 0; i < 10'000; ++i) ++homes[home_of(lock(i), founders)];
  ASSERT_EQ(homes.size(), 10U);
  for (const auto& [node, count] : homes) EXPECT_NEAR(count, 1000, 150) << node.value;
}

TEST(Home, WhenOneGoesOnlyItsLocksMove) {
  Members founders = Members::first(10);
  Members others = founders.without(NodeId{4});
  for (int i = 0; i < 1000; ++i) {
    NodeId before = home_of(lock(i), founders);
    EXPECT_TRUE(before == NodeId{4} || home_of(lock(i), others) == before);
  }
}

}  // namespace conch::recovery::home_test
