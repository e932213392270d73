#include "core/expect.hpp"

#include <gtest/gtest.h>

namespace conch::expect_test {

TEST(ExpectDeathTest, ABrokenInvariantAborts) {
  EXPECT_DEATH(CONCH_EXPECT(1 > 2, "one is more than two"), "broken invariant: one is more");
}

TEST(Expect, ABrokenInvariantThrowsWhereItIsWatchedFor) {
  InvariantWatch watch;
  EXPECT_THROW(CONCH_EXPECT(false, "never"), BrokenInvariant);
  EXPECT_NO_THROW(CONCH_EXPECT(true, "always"));
}

}  // namespace conch::expect_test
