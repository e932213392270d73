#include "core/flat_set.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/testing/dice.hpp"

namespace conch::flat_set_test {

TEST(FlatSet, SaysWhetherItChanged) {
  FlatSet<int> set;
  EXPECT_TRUE(set.insert(2));
  EXPECT_FALSE(set.insert(2));
  EXPECT_TRUE(set.erase(2));
  EXPECT_FALSE(set.erase(2));
  EXPECT_TRUE(set.empty());
}

TEST(FlatSet, IsEqualHoweverItWasFilled) {
  FlatSet<int> set{3, 1};
  set.insert(2);
  EXPECT_EQ(set, (FlatSet<int>{1, 2, 3, 2, 1}));
  EXPECT_EQ(set.front(), 1);
}

TEST(FlatSet, DoesWhatAStandardSetDoes) {
  Dice dice(1);
  FlatSet<std::uint64_t> set;
  std::set<std::uint64_t> oracle;
  for (int i = 0; i < 20'000; ++i) {
    std::uint64_t value = dice.below(50);
    if (dice.percent(50)) {
      ASSERT_EQ(set.insert(value), oracle.insert(value).second);
    } else {
      ASSERT_EQ(set.erase(value), oracle.erase(value) == 1);
    }
    std::uint64_t other = dice.below(50);
    ASSERT_EQ(set.contains(other), oracle.contains(other));
    ASSERT_TRUE(std::equal(set.begin(), set.end(), oracle.begin(), oracle.end()));
    ASSERT_EQ(set.size(), oracle.size());
  }
}

}  // namespace conch::flat_set_test
