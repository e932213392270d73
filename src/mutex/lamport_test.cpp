#include "mutex/lamport.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::lamport_test {

TEST(Lamport, AnEntryAndItsExitCostThreeMessagesToEveryOther) {
  Group<Lamport> group(5);
  group.request(b);
  group.settle();
  EXPECT_EQ(group.sent(), 2 * 4u);
  group.release(b);
  group.settle();
  EXPECT_EQ(group.sent(), 3 * 4u);
  EXPECT_EQ(group.entered(), (std::vector{b}));
}

TEST(Lamport, OnEqualStampsTheSmallerIdentifierIsFirst) {
  Group<Lamport> group(3);
  group.request(c);
  group.request(b);
  group.settle();
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b, c}));
}

TEST(Lamport, ARequestThatHappenedBeforeAnotherIsGrantedBeforeIt) {
  Group<Lamport> group(3);
  group.request(c);
  group.at(a).observe(group.at(c).stamp());
  group.request(a);
  group.deliver(a, b);
  group.deliver(b, a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{c}));
  group.release(c);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{c, a}));
}

TEST(Lamport, HappenedBeforeDecidesWhateverTheChannelsDo) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Dice dice(seed);
    Group<Lamport> group(4);
    auto deliver_some = [&](std::size_t count) {
      for (; count > 0 && !group.in_flight().empty(); --count)
        group.deliver_random(dice, Channels::fifo);
    };
    group.request(dice.percent(50) ? a : b);
    NodeId first = group.doing(a) == Doing::waiting ? a : b;
    deliver_some(dice.below(4));
    group.at(c).observe(group.at(first).stamp());
    deliver_some(dice.below(4));
    group.request(c);
    deliver_some(1000);
    group.release(first);
    deliver_some(1000);
    EXPECT_EQ(group.entered(), (std::vector{first, c})) << "seed " << seed;
  }
}

TEST(Lamport, ACancelIsOverAtOnceAndTheNextInTheQueueEntersWhenItHears) {
  Group<Lamport> group(3);
  group.request(a);
  group.settle();
  group.request(b);
  group.settle();
  group.request(c);
  group.settle();
  group.cancel(b);
  EXPECT_EQ(group.doing(b), Doing::nothing);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c}));
}

TEST(Lamport, AReplyToAWithdrawnRequestDoesNotLetTheNextOneOvertake) {
  Group<Lamport> group(2);
  group.request(b);
  group.request(a);
  group.deliver(a, b);
  group.cancel(a);
  group.request(a);
  group.deliver(b, a);
  group.deliver(b, a);
  EXPECT_EQ(group.doing(a), Doing::waiting);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b}));
}

TEST(Lamport, EveryPromiseHoldsInRandomRuns) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<Lamport>(400, nodes, Channels::fifo), "");
}

}  // namespace conch::testing::lamport_test
