#include "core/types.hpp"

#include <gtest/gtest.h>

namespace conch::types_test {

constexpr std::uint64_t largest_count = Fence::last_count;

TEST(Fence, KeepsTheEpochInItsHighBits) {
  constexpr Fence fence(Epoch{3}, 7);
  EXPECT_EQ(fence.number(), (std::uint64_t{3} << 32) + 7);
  EXPECT_EQ(fence.epoch(), Epoch{3});
  EXPECT_EQ(fence.count(), 7u);
  EXPECT_EQ(Fence(fence.number()), fence);
}

TEST(Fence, OfANewEpochIsLargerThanEveryFenceOfTheOld) {
  EXPECT_LT(Fence(Epoch{1}, largest_count), Fence(Epoch{2}, 0));
}

TEST(Fence, NextIsTheSmallestLargerOne) {
  Fence fence(Epoch{2}, 9);
  EXPECT_EQ(fence.next(), Fence(Epoch{2}, 10));
  EXPECT_EQ(fence.next().number(), fence.number() + 1);
}

TEST(Fence, CountsUpToTheEndOfItsEpoch) {
  EXPECT_EQ(Fence(Epoch{1}, largest_count - 1).next(), Fence(Epoch{1}, largest_count));
}

TEST(FenceDeathTest, DoesNotCountIntoTheNextEpoch) {
  EXPECT_DEATH((void)Fence(Epoch{1}, largest_count).next(), "overflowed its epoch");
  EXPECT_DEATH((void)Fence(~std::uint64_t{0}).next(), "overflowed its epoch");
}

TEST(FenceDeathTest, IsNotMadeFromWhatDoesNotFit) {
  EXPECT_DEATH((void)Fence(Epoch{1}, largest_count + 1), "32 for the count");
  EXPECT_DEATH((void)Fence(Epoch{2}, ~std::uint64_t{0}), "32 for the count");
}

TEST(Baton, OfTheNextEntryHasTheSameDataUnderTheNextFence) {
  Baton baton{Fence(Epoch{1}, 4), DataRef{2, 100, NodeId{7}}};
  EXPECT_EQ(baton.next(), (Baton{Fence(Epoch{1}, 5), DataRef{2, 100, NodeId{7}}}));
}

TEST(Baton, IsNewerByItsFence) {
  Baton old{Fence(Epoch{1}, 9), DataRef{8, 0, {}}};
  Baton recent{Fence(Epoch{2}, 1), DataRef{3, 0, {}}};
  EXPECT_EQ(newer(old, recent), recent);
  EXPECT_EQ(newer(recent, old), recent);
}

TEST(Priority, OrdersByStampAndThenByNode) {
  EXPECT_LT((Priority{Stamp{1}, NodeId{9}}), (Priority{Stamp{2}, NodeId{0}}));
  EXPECT_LT((Priority{Stamp{2}, NodeId{3}}), (Priority{Stamp{2}, NodeId{4}}));
  EXPECT_EQ((Priority{Stamp{2}, NodeId{3}}), (Priority{Stamp{2}, NodeId{3}}));
}

}  // namespace conch::types_test
