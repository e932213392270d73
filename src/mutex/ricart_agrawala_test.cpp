#include "mutex/ricart_agrawala.hpp"

#include <gtest/gtest.h>

#include "mutex/ricart_agrawala_kept.hpp"
#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::ricart_agrawala_test {

TEST(RicartAgrawala, AnEntryCostsTwoMessagesForEveryOther) {
  Group<RicartAgrawala> group(5);
  group.request(c);
  group.settle();
  group.release(c);
  group.settle();
  EXPECT_EQ(group.sent(), 2u * 4u);
}

// "If two or more processes request entry at the same time, then whichever process's request bears
// the lowest timestamp will be the first to collect N-1 replies."
TEST(RicartAgrawala, TheLowestTimestampEntersFirst) {
  Group<RicartAgrawala> group(3);
  group.at(a).observe(Stamp{40});
  group.at(b).observe(Stamp{33});
  group.request(a);
  group.request(b);
  group.settle();
  EXPECT_EQ(group.entered(), std::vector{b});
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b, a}));
}

TEST(RicartAgrawala, OfEqualTimestampsTheSmallerIdentifierWins) {
  Group<RicartAgrawala> group(3);
  group.request(c);
  group.request(a);
  group.settle();
  EXPECT_EQ(group.entered(), std::vector{a});
}

TEST(RicartAgrawala, ARequestAfterAnObservedStampIsLater) {
  Group<RicartAgrawala> group(2);
  group.request(b);
  group.at(a).observe(group.at(b).stamp());
  group.request(a);
  group.settle();
  EXPECT_EQ(group.entered(), std::vector{b});
}

TEST(RicartAgrawala, ACancelEndsWhileTheHolderIsInside) {
  Group<RicartAgrawala> group(3);
  group.request(a);
  group.settle();
  group.request(b);
  group.settle();
  std::size_t before = group.sent();
  group.cancel(b);
  group.settle();
  EXPECT_EQ(group.doing(b), Doing::nothing);
  EXPECT_LE(group.sent() - before, 2u * 2u);
  group.release(a);
  EXPECT_TRUE(group.in_flight().empty());
}

TEST(RicartAgrawala, EveryPromiseHoldsInRandomRuns) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<RicartAgrawala>(400, nodes, Channels::unordered), "");
}

// Exercise 15.7: "a client that repeatedly enters the critical section before another needs entry".
TEST(RicartAgrawalaKept, EnteringAgainCostsNothing) {
  Group<RicartAgrawalaKept> group(4);
  group.request(c);
  group.settle();
  group.release(c);
  std::size_t before = group.sent();
  group.request(c);
  EXPECT_EQ(group.doing(c), Doing::inside);
  EXPECT_EQ(group.sent(), before);
}

// "To meet liveness condition ME2, a JUST_RELEASED token should become RELEASED if a request for
// entry is received."
TEST(RicartAgrawalaKept, AKeptPermissionIsGivenUpToWhoeverAsks) {
  Group<RicartAgrawalaKept> group(2);
  group.request(a);
  group.release(a);
  group.request(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
}

TEST(RicartAgrawalaKept, AWaiterThatGivesItsPermissionUpAsksForItAgain) {
  Group<RicartAgrawalaKept> group(3);
  group.request(b);  // b has c's permission and asks a
  group.request(a);  // a has all permissions
  EXPECT_EQ(group.doing(a), Doing::inside);
  group.settle();
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
  EXPECT_EQ(group.failure(), "");
}

TEST(RicartAgrawalaKept, EveryPromiseHoldsInRandomRuns) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<RicartAgrawalaKept>(400, nodes, Channels::unordered), "");
}

}  // namespace conch::testing::ricart_agrawala_test
