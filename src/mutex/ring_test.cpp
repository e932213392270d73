#include "mutex/ring.hpp"

#include <gtest/gtest.h>

#include "mutex/ring_idle_hold.hpp"
#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::ring_test {

// "If a process does not require to enter the critical section when it receives the token, then it
// immediately forwards the token to its neighbour."
TEST(Ring, TheTokenGoesRoundForEver) {
  Group<Ring> group(3);
  for (NodeId next : {b, c, a, b}) {
    ASSERT_EQ(group.in_flight().size(), 1u);
    EXPECT_EQ(group.in_flight()[0].to, next);
    group.deliver_oldest();
  }
}

// "A process that requires the token waits until it receives it, but retains it."
TEST(Ring, AProcessKeepsTheTokenForItsVisit) {
  Group<Ring> group(3);
  group.request(c);
  group.deliver_oldest();
  group.deliver_oldest();
  EXPECT_EQ(group.doing(c), Doing::inside);
  EXPECT_TRUE(group.in_flight().empty());
  group.release(c);
  EXPECT_EQ(group.in_flight()[0].to, a);
}

TEST(Ring, ACancelCostsNothing) {
  Group<Ring> group(3);
  group.request(c);
  group.cancel(c);
  EXPECT_EQ(group.doing(c), Doing::nothing);
  group.deliver_oldest();
  group.deliver_oldest();
  EXPECT_EQ(group.in_flight()[0].to, a);
}

TEST(Ring, EveryPromiseHoldsInRandomRuns) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<Ring>(400, nodes, Channels::unordered), "");
}

TEST(RingIdleHold, TheTokenRestsWhereItWasLastUsed) {
  Group<RingIdleHold> group(3);
  EXPECT_TRUE(group.in_flight().empty());
  group.request(c);
  group.settle();
  group.release(c);
  EXPECT_TRUE(group.in_flight().empty());
  std::size_t before = group.sent();
  group.request(c);
  EXPECT_EQ(group.sent(), before);
}

TEST(RingIdleHold, OneWakeUpRoundTheRingBringsTheToken) {
  Group<RingIdleHold> group(4);
  group.request(NodeId{3});
  group.settle();
  EXPECT_EQ(group.entered(), std::vector{NodeId{3}});
  EXPECT_EQ(group.sent(), 1u + 3u);
}

TEST(RingIdleHold, TheWakeUpOfACancelledRequestLeavesNothingBehind) {
  Group<RingIdleHold> group(3);
  group.request(b);
  group.cancel(b);
  group.settle();
  group.check_quiescent();
  EXPECT_EQ(group.failure(), "");
  group.request(a);
  group.settle();
  EXPECT_EQ(group.entered(), std::vector{a});
}

TEST(RingIdleHold, EveryPromiseHoldsInRandomRuns) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<RingIdleHold>(400, nodes, Channels::unordered), "");
}

}  // namespace conch::testing::ring_test
