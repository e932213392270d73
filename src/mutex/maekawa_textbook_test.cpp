#include "mutex/maekawa_textbook.hpp"

#include <gtest/gtest.h>

#include "mutex/maekawa.hpp"
#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::maekawa_textbook_test {

bool deadlocks(const std::string& failure) {
  return failure.find(": deadlock") != std::string::npos;
}

TEST(MaekawaTextbook, AnEntryAndItsExitCostThreeMessagesToEveryOtherVoter) {
  Group<MaekawaTextbook> group(13);
  group.request(b);
  group.settle();
  EXPECT_EQ(group.sent(), 2 * 3u);
  group.release(b);
  group.settle();
  EXPECT_EQ(group.sent(), 3 * 3u);
  EXPECT_EQ(group.entered(), (std::vector{b}));
}

TEST(MaekawaTextbook, AVoterServesItsQueueInTheOrderOfArrival) {
  Group<MaekawaTextbook> group(3);
  group.request(a);
  group.settle();
  group.request(c);
  group.settle();
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c}));
}

// With five members in a grid of three by two, 1 and 3 share the voters 0 and 4: each takes one.
TEST(MaekawaTextbook, CandidatesThatHoldEachOthersVotesWaitForEver) {
  constexpr NodeId d{3}, e{4};
  Group<MaekawaTextbook> group(5);
  group.request(b);
  group.request(d);
  group.deliver(b, a);
  group.deliver(d, e);
  group.settle();
  group.check_still();
  EXPECT_EQ(group.failure(), "deadlock");
}

TEST(MaekawaTextbook, ACancelBreaksTheDeadlock) {
  constexpr NodeId d{3}, e{4};
  Group<MaekawaTextbook> group(5);
  group.request(b);
  group.request(d);
  group.deliver(b, a);
  group.deliver(d, e);
  group.settle();
  group.cancel(b);
  group.settle();
  EXPECT_EQ(group.doing(b), Doing::nothing);
  EXPECT_EQ(group.entered(), (std::vector{d}));
}

TEST(MaekawaTextbook, RandomRunsBreakNoPromiseButDeadlockWhereMaekawaDoesNot) {
  for (std::size_t nodes : {2, 3, 4, 5, 6, 7, 8, 9, 13}) {
    std::size_t deadlocked = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      std::string failure = random_run<MaekawaTextbook>(seed, nodes, Channels::fifo);
      EXPECT_TRUE(failure.empty() || deadlocks(failure)) << failure;
      if (!deadlocks(failure)) continue;
      ++deadlocked;
      EXPECT_EQ(random_run<Maekawa>(seed, nodes, Channels::fifo), "");
    }
    EXPECT_GT(deadlocked, 0u) << nodes << " nodes";
  }
}

}  // namespace conch::testing::maekawa_textbook_test
