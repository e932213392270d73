#include "mutex/maekawa.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::maekawa_test {

/// Number of messages of one kind in flight.
template <class M>
std::size_t in_flight(const Group<Maekawa>& group) {
  const auto& messages = group.in_flight();
  return static_cast<std::size_t>(
      std::count_if(messages.begin(), messages.end(),
                    [](const auto& each) { return std::holds_alternative<M>(each.message); }));
}

TEST(Maekawa, AnUncontendedEntryAndItsExitCostThreeMessagesToEveryOtherVoter) {
  Group<Maekawa> group(13, {VotingSetShape::plane});
  group.request(b);
  group.settle();
  EXPECT_EQ(group.sent(), 2 * 3u);
  group.release(b);
  group.settle();
  EXPECT_EQ(group.sent(), 3 * 3u);
  EXPECT_EQ(group.entered(), (std::vector{b}));
}

TEST(Maekawa, VotesGoToTheEarliestRequest) {
  Group<Maekawa> group(2);
  group.request(b);
  group.request(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a}));
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
}

TEST(Maekawa, AVoterThatCannotVoteForARequestAnswersFailed) {
  Group<Maekawa> group(2);
  group.request(a);
  group.request(b);
  group.deliver(b, a);
  EXPECT_EQ(in_flight<Maekawa::Failed>(group), 1u);
}

TEST(Maekawa, AnInquiredCandidateGivesUpOnlyWhenItHasFailed) {
  Group<Maekawa> group(2);
  group.request(b);
  group.request(a);
  group.deliver(a, b);  // b has its own vote, inquires of itself and does not know yet
  EXPECT_EQ(in_flight<Maekawa::Request>(group), 1u);
  EXPECT_EQ(group.in_flight().size(), 1u);
  group.deliver(b, a);
  group.deliver(a, b);  // FAILED: b takes its vote back from itself
  EXPECT_EQ(in_flight<Maekawa::Vote>(group), 1u);
}

TEST(Maekawa, AnInquireThatFindsItsCandidateInsideIsIgnored) {
  Group<Maekawa> group(4, {VotingSetShape::grid});
  group.request(d);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{d}));
  group.request(a);
  group.deliver(a, b);
  EXPECT_EQ(in_flight<Maekawa::Inquire>(group), 1u);
  group.settle();
  EXPECT_EQ(group.doing(d), Doing::inside);
  EXPECT_EQ(group.doing(a), Doing::waiting);
  group.release(d);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{d, a}));
}

// With ten members in a grid of four columns, 9 votes for 8 in its row and for 5 and 1 in its
// column.

TEST(Maekawa, TheEarliestInTheQueueIsToldThatAnEarlierOneCame) {
  constexpr NodeId voter{9}, third{8}, second{5}, first{1};
  Group<Maekawa> group(10, {VotingSetShape::grid});
  for (NodeId node : {third, second, first}) group.request(node);
  group.deliver(third, voter);
  group.deliver(second, voter);
  EXPECT_EQ(in_flight<Maekawa::Failed>(group), 0u);
  group.deliver(first, voter);
  EXPECT_EQ(in_flight<Maekawa::Failed>(group), 1u);
  EXPECT_EQ(group.in_flight().back().to, second);
}

TEST(Maekawa, AVoterInquiresOnceForAVote) {
  constexpr NodeId voter{9}, third{8}, second{5}, first{1};
  Group<Maekawa> group(10, {VotingSetShape::grid});
  for (NodeId node : {third, second, first}) group.request(node);
  for (NodeId node : {third, second, first}) group.deliver(node, voter);
  EXPECT_EQ(in_flight<Maekawa::Inquire>(group), 1u);
}

TEST(Maekawa, WhoHasEnteredAsksBehindThoseWhomItOvertook) {
  Group<Maekawa> group(2);
  for (int i = 0; i < 5; ++i) {
    group.request(b);
    group.settle();
    group.release(b);
    group.settle();
  }
  group.request(b);
  group.settle();
  group.request(a);
  group.settle();
  group.release(b);
  group.request(b);
  group.settle();
  EXPECT_EQ(group.entered().back(), a);
}

TEST(Maekawa, ACancelDoesNotWaitForTheHolder) {
  Group<Maekawa> group(7);
  group.request(a);
  group.settle();
  group.request(b);
  group.request(c);
  group.settle();
  group.cancel(b);
  group.settle();
  EXPECT_EQ(group.doing(b), Doing::nothing);
  EXPECT_EQ(group.doing(a), Doing::inside);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c}));
}

TEST(Maekawa, EveryPromiseHoldsInRandomRunsOnGrids) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<Maekawa>(300, nodes, Channels::fifo, {VotingSetShape::grid}), "");
}

TEST(Maekawa, EveryPromiseHoldsInRandomRunsOnPlanes) {
  for (std::size_t nodes : {7, 13})
    EXPECT_EQ(random_runs<Maekawa>(300, nodes, Channels::fifo, {VotingSetShape::plane}), "");
}

}  // namespace conch::testing::maekawa_test
