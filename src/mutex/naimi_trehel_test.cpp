#include "mutex/naimi_trehel.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/group.hpp"

namespace conch::testing {
namespace {

constexpr NodeId a{0}, b{1}, c{2};

TEST(NaimiTrehel, AnEntryWhereTheTokenIsCostsNothing) {
  Group<NaimiTrehel> group(5);
  group.request(a);
  group.release(a);
  EXPECT_EQ(group.entered(), (std::vector{a}));
  EXPECT_EQ(group.sent(), 0u);
}

TEST(NaimiTrehel, AnIdleHolderThatGivesTheTokenAwayPointsAtTheRequester) {
  Group<NaimiTrehel> group(3);
  group.request(b);
  group.settle();
  group.request(a);
  group.settle();
  EXPECT_EQ(group.sent(), 2u + 1u);
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b, a}));
}

TEST(NaimiTrehel, TheTokenFollowsTheDistributedQueue) {
  Group<NaimiTrehel> group(3);
  group.request(a);
  group.request(c);
  group.settle();
  group.request(b);
  group.settle();
  group.release(a);
  group.settle();
  group.release(c);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c, b}));
}

TEST(NaimiTrehel, ACancelledWaiterIsSplicedOutWhileTheHolderIsInside) {
  Group<NaimiTrehel> group(3);
  group.request(a);
  group.request(b);
  group.settle();
  group.request(c);
  group.settle();
  group.cancel(b);
  group.settle();
  EXPECT_EQ(group.doing(b), Doing::nothing);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c}));
}

TEST(NaimiTrehel, EveryPromiseHoldsInRandomRunsOverUnorderedChannels) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<NaimiTrehel>(400, nodes, Channels::unordered), "");
}

TEST(NaimiTrehel, EveryPromiseHoldsInRandomRunsOverFifoChannels) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<NaimiTrehel>(400, nodes, Channels::fifo), "");
}

}  // namespace
}  // namespace conch::testing
