#include "mutex/naimi_trehel.hpp"

#include <gtest/gtest.h>

#include "mutex/naimi_trehel_specimens.hpp"
#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::naimi_trehel_test {

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

// However long its request is in flight, a waiter that cancels asks each node only once, and waits.
TEST(NaimiTrehel, ACancelCostsABoundedNumberOfMessagesWhileItsRequestIsOnItsWay) {
  Group<NaimiTrehel> group(3);
  group.request(b);
  group.settle();
  group.request(c);
  group.deliver(c, a);  // a forwards it to b, and that channel is slow
  std::size_t before = group.sent();
  group.cancel(c);
  auto deliverable = [&] {
    auto& messages = group.in_flight();
    auto found = std::find_if(messages.begin(), messages.end(),
                              [](const auto& m) { return m.from != a || m.to != b; });
    return found == messages.end() ? messages.size()
                                   : static_cast<std::size_t>(found - messages.begin());
  };
  while (deliverable() < group.in_flight().size()) group.deliver(deliverable());
  EXPECT_EQ(group.doing(c), Doing::withdrawing);
  EXPECT_LE(group.sent() - before, 4u);
  group.settle();
  EXPECT_EQ(group.doing(c), Doing::nothing);
  EXPECT_LE(group.sent() - before, 3u * 2u + 3u + 1u);
  group.release(b);
  group.settle();
  group.check_quiescent();
  EXPECT_EQ(group.failure(), "");
}

TEST(NaimiTrehel, NeighboursInTheQueueCanCancelAtOnce) {
  Group<NaimiTrehel> group(5);
  group.request(a);
  for (NodeId node : {b, c, NodeId{3}, NodeId{4}}) {
    group.request(node);
    group.settle();
  }
  for (NodeId node : {b, c, NodeId{3}}) group.cancel(node);
  group.settle();
  EXPECT_EQ(group.withdrawals(), 3u);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, NodeId{4}}));
}

TEST(NaimiTrehel, TheLastMemberLeavesWithTheToken) {
  NaimiTrehel alone(a, Assignment::fresh(Members{a}, a));
  NaimiTrehel::Out out;
  alone.leave(out);
  EXPECT_TRUE(out.sends().empty());
  ASSERT_EQ(out.effects().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Left>(out.effects()[0]));
}

TEST(NaimiTrehel, EveryPromiseHoldsInRandomRunsOverUnorderedChannels) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<NaimiTrehel>(400, nodes, Channels::unordered), "");
}

TEST(NaimiTrehel, EveryPromiseHoldsInRandomRunsOverFifoChannels) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<NaimiTrehel>(400, nodes, Channels::fifo), "");
}

constexpr std::uint64_t seeds_with_leaves = 2000;

template <class A>
std::string runs_with_leaves(std::size_t nodes) {
  return random_runs<A>(seeds_with_leaves, nodes, Channels::fifo, {}, {}, Membership::changing);
}

TEST(NaimiTrehel, EveryPromiseHoldsInRandomRunsWithJoinsAndLeaves) {
  for (std::size_t nodes = 2; nodes <= 6; ++nodes)
    EXPECT_EQ(runs_with_leaves<NaimiTrehel>(nodes), "");
}

TEST(NaimiTrehel, RandomRunsSeeThatTheDepartedAreAsked) {
  for (std::size_t nodes : {5, 6}) {
    std::string failure = runs_with_leaves<NaimiTrehelAsksTheDeparted>(nodes);
    EXPECT_NE(failure.find("SPLICE"), std::string::npos) << failure;
  }
}

}  // namespace conch::testing::naimi_trehel_test
