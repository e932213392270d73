#include "mutex/suzuki_kasami.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::suzuki_kasami_test {

TEST(SuzukiKasami, AnEntryCostsNMessages) {
  Group<SuzukiKasami> group(5);
  group.request(b);
  group.settle();
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b}));
  EXPECT_EQ(group.sent(), 5u);
}

TEST(SuzukiKasami, AnEntryWhereTheTokenIsCostsNothing) {
  Group<SuzukiKasami> group(5);
  group.request(a);
  group.release(a);
  EXPECT_EQ(group.entered(), (std::vector{a}));
  EXPECT_EQ(group.sent(), 0u);
}

TEST(SuzukiKasami, ARequestThatArrivesAfterItWasServedIsOld) {
  Group<SuzukiKasami> group(3);
  group.request(b);
  group.deliver(b, a);
  group.deliver(a, b);
  group.release(b);
  group.request(c);
  group.deliver(c, b);
  group.deliver(b, c);  // the earlier request
  group.deliver(b, c);  // the token
  group.release(c);
  EXPECT_TRUE(group.at(c).holds_token());
}

TEST(SuzukiKasami, AWithdrawThatOvertakesItsRequestCounts) {
  Group<SuzukiKasami> group(2);
  group.request(b);
  group.cancel(b);
  EXPECT_EQ(group.doing(b), Doing::nothing);
  group.deliver(1);
  group.deliver(0);
  EXPECT_TRUE(group.at(a).holds_token());
  EXPECT_TRUE(group.in_flight().empty());
}

TEST(SuzukiKasami, NobodyOvertakesTheTokensQueue) {
  Group<SuzukiKasami> group(3);
  group.request(a);
  group.request(b);
  group.request(c);
  group.settle();
  group.release(a);
  group.settle();
  group.request(a);
  group.settle();
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b, c}));
}

TEST(SuzukiKasami, AWithdrawnWaiterIsOutOfTheTokensQueueWhileTheHolderIsInside) {
  Group<SuzukiKasami> group(3);
  group.request(a);
  group.request(b);
  group.request(c);
  group.settle();
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
  std::size_t with_c_queued = remembered(group.at(b));
  group.cancel(c);
  group.settle();
  EXPECT_EQ(remembered(group.at(b)), with_c_queued - 1);
}

TEST(SuzukiKasami, ATokenForWhoHasWithdrawnGoesOnToTheNext) {
  Group<SuzukiKasami> group(3);
  group.request(a);
  group.request(b);
  group.request(c);
  group.settle();
  group.release(a);
  group.cancel(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c}));
}

TEST(SuzukiKasami, TwoThatHaveWithdrawnUnknownToEachOtherDoNotPassTheTokenToAndFro) {
  Group<SuzukiKasami> group(3);
  group.request(a);
  group.request(b);
  group.request(c);
  group.settle();
  group.release(a);
  group.cancel(c);
  group.cancel(b);
  group.deliver(a, b);
  group.deliver(group.in_flight().size() - 1);  // the token overtakes b's withdrawal
  EXPECT_TRUE(group.at(c).holds_token());
}

TEST(SuzukiKasami, EveryPromiseHoldsInRandomRunsOverUnorderedChannels) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<SuzukiKasami>(400, nodes, Channels::unordered), "");
}

TEST(SuzukiKasami, EveryPromiseHoldsInRandomRunsOverFifoChannels) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<SuzukiKasami>(400, nodes, Channels::fifo), "");
}

}  // namespace conch::testing::suzuki_kasami_test
