#include "mutex/raymond.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/random_run.hpp"

namespace conch::testing::raymond_test {

// The tree of seven nodes: 0 over 1 and 2, 1 over 3 and 4, 2 over 5 and 6.
constexpr NodeId n0{0}, n1{1}, n2{2}, n3{3}, n5{5};

TEST(Raymond, AnEntryCostsTwoMessagesAnEdgeOfThePath) {
  Group<Raymond> group(7);
  group.request(n3);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{n3}));
  EXPECT_EQ(group.sent(), 2 * 2u);
}

TEST(Raymond, AnEntryWhereTheTokenIsCostsNothing) {
  Group<Raymond> group(7);
  group.request(n0);
  group.release(n0);
  EXPECT_EQ(group.entered(), (std::vector{n0}));
  EXPECT_EQ(group.sent(), 0u);
}

TEST(Raymond, HolderEdgesPointTowardsTheHome) {
  Group<Raymond> group(Assignment::fresh(Members::first(7), n5));
  EXPECT_TRUE(group.at(n5).holds_token());
  group.request(n3);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{n3}));
  EXPECT_EQ(group.sent(), 2 * 4u);
}

TEST(Raymond, ANodeAsksOnceForAllThatWaitAtIt) {
  Group<Raymond> group(7);
  group.request(n0);
  group.request(n3);
  group.settle();
  std::size_t sent = group.sent();
  group.request(n1);
  EXPECT_EQ(group.sent(), sent);
  group.release(n0);
  group.settle();
  group.release(n3);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{n0, n3, n1}));
}

TEST(Raymond, AnEmptyQueueTakesItsRequestBackAllTheWay) {
  Group<Raymond> group(7);
  group.request(n0);
  group.request(n3);
  group.settle();
  group.cancel(n3);
  EXPECT_EQ(group.doing(n3), Doing::nothing);
  group.settle();
  group.release(n0);
  EXPECT_TRUE(group.at(n0).holds_token());
}

TEST(Raymond, AQueueThatOthersWaitInKeepsItsRequest) {
  Group<Raymond> group(7);
  group.request(n0);
  group.request(n1);
  group.settle();
  group.request(n3);
  group.settle();
  group.cancel(n1);
  EXPECT_TRUE(group.in_flight().empty());
  group.release(n0);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{n0, n3}));
}

TEST(Raymond, ANewRequestWaitsForTheAnswerToAWithdraw) {
  Group<Raymond> group(3);
  group.request(n0);
  group.request(n2);
  group.settle();
  group.cancel(n2);
  group.request(n2);
  EXPECT_EQ(group.in_flight().size(), 1u);
  group.settle();
  group.release(n0);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{n0, n2}));
}

TEST(Raymond, ATokenThatCrossesAWithdrawIsKept) {
  Group<Raymond> group(3);
  group.request(n2);
  group.deliver(n2, n0);
  group.cancel(n2);
  group.settle();
  EXPECT_TRUE(group.at(n2).holds_token());
  group.request(n1);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{n1}));
}

TEST(Raymond, EveryPromiseHoldsInRandomRuns) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<Raymond>(400, nodes, Channels::fifo), "");
}

}  // namespace conch::testing::raymond_test
