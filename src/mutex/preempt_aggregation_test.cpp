#include "mutex/preempt_aggregation.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/clusters.hpp"
#include "mutex/testing/group.hpp"
#include "mutex/testing/letters.hpp"

namespace conch::testing::preempt_aggregation_test {

using Aggregation = PreemptAggregation;
/// The nodes ask one after the other; the first enters at once.
void line_up(Group<Aggregation>& group, std::initializer_list<NodeId> nodes) {
  for (NodeId node : nodes) {
    group.request(node);
    group.settle();
  }
}
/// Releases the holder, and each one after it, until nobody is inside; then expects nothing to be
/// left.
std::vector<NodeId> let_all_through(Group<Aggregation>& group) {
  for (group.settle(); group.anybody(Doing::inside); group.settle())
    for (NodeId node : group.members())
      if (group.doing(node) == Doing::inside) group.release(node);
  group.check_still();
  group.check_quiescent();
  EXPECT_EQ(group.failure(), "");
  return group.entered();
}

TEST(PreemptAggregation, AnIdleHolderThatGivesTheTokenAwayPointsAtTheRequester) {
  Group<Aggregation> group(clustered({1, 1}));
  line_up(group, {b, a});
  EXPECT_EQ(group.entered(), std::vector{b});
  EXPECT_EQ(let_all_through(group), (std::vector{b, a}));
}

TEST(PreemptAggregation, ALocalRequestOvertakesARemoteOneBelowTheThreshold) {
  for (unsigned eps : {0u, 1u}) {
    Group<Aggregation> group(clustered({2, 1}, eps));
    line_up(group, {a, c, b});
    EXPECT_EQ(let_all_through(group), eps == 0 ? (std::vector{a, c, b}) : (std::vector{a, b, c}));
  }
}

TEST(PreemptAggregation, TheThresholdIsThatOfTheVisitAndNotOfANode) {
  Group<Aggregation> group(clustered({3, 1}, 1));
  line_up(group, {a, d, b, c});
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, d, c}));
}

TEST(PreemptAggregation, TheNextVisitHasItsOwnThreshold) {
  Group<Aggregation> group(clustered({2, 1}, 1));
  line_up(group, {a, c, b});
  let_all_through(group);
  line_up(group, {a, c, b});
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, c, a, b, c}));
}

// [Bertier 2004, section 3]: "the request is not sent to it but stored in a queue."
TEST(PreemptAggregation, RemoteRequestsWaitTogetherAndLeaveWithTheToken) {
  Group<Aggregation> group(clustered({1, 1, 1, 1}));
  line_up(group, {a, b, c, d});
  EXPECT_EQ(group.sent(), 3u);
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, c, d}));
  EXPECT_EQ(group.sent(), 6u);
}

// Figure 8: the token comes to 2 with 1 behind it, but 3 of its own cluster waits behind 2.
TEST(PreemptAggregation, TheQueueGoesToTheLocalRoot) {
  Group<Aggregation> group(clustered({2, 2}));
  line_up(group, {a, c, b, d});
  EXPECT_EQ(group.sent_of<Aggregation::Queue>(), 0u);
  EXPECT_EQ(let_all_through(group), (std::vector{a, c, d, b}));
  EXPECT_EQ(group.sent_of<Aggregation::Queue>(), 1u);
}

TEST(PreemptAggregation, NoEmptyQueueIsSent) {
  Group<Aggregation> group(clustered({1, 3}));
  line_up(group, {b, c, d});
  EXPECT_EQ(let_all_through(group), (std::vector{b, c, d}));
  EXPECT_EQ(group.sent_of<Aggregation::Queue>(), 0u);
}

/// Node 1 has overtaken 2 and has been inside; the queue that it got is still in flight.
Group<Aggregation> overtaken_queue() {
  Group<Aggregation> group(clustered({2, 1}, 1));
  line_up(group, {a, c});
  group.request(b);
  group.deliver(b, a);
  group.release(a);
  group.deliver(1);  // the token, after the queue on the same channel
  EXPECT_EQ(group.doing(b), Doing::inside);
  group.release(b);
  return group;
}

TEST(PreemptAggregation, AQueueThatFindsTheTokenIdleSendsItOn) {
  Group<Aggregation> group = overtaken_queue();
  ASSERT_EQ(group.in_flight().size(), 1u);
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, c}));
}

TEST(PreemptAggregation, AQueueThatComesTooLateFollowsTheToken) {
  Group<Aggregation> group = overtaken_queue();
  group.request(a);
  group.deliver(1);
  group.deliver(1);  // the token is back at 0; the queue has not reached 1 yet
  EXPECT_EQ(group.doing(a), Doing::inside);
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, a, c}));
}

TEST(PreemptAggregation, ACancelCostsNoMessageAndTheTokenPassesBy) {
  Group<Aggregation> group(clustered({1, 1, 1}));
  line_up(group, {a, b, c});
  std::size_t before = group.sent();
  group.cancel(b);
  EXPECT_EQ(group.doing(b), Doing::nothing);
  EXPECT_EQ(group.sent(), before);
  EXPECT_EQ(let_all_through(group), (std::vector{a, c}));
  EXPECT_EQ(group.sent(), before + 2);
}

TEST(PreemptAggregation, WhoAsksAgainTakesItsPlaceUp) {
  Group<Aggregation> group(clustered({1, 1, 1}));
  line_up(group, {a, b, c});
  group.cancel(b);
  std::size_t before = group.sent();
  group.request(b);
  EXPECT_EQ(group.sent(), before);
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, c}));
}

// More than two levels: 3 is in the same site as the holder, 1 and 2 are not.
TEST(PreemptAggregation, ANearerClusterOvertakesFartherOnes) {
  for (unsigned eps : {0u, 1u}) {
    Group<Aggregation> group(labelled({"x/1", "y/1", "z/1", "x/2"}, eps));
    line_up(group, {a, b, c, d});
    EXPECT_EQ(let_all_through(group),
              eps == 0 ? (std::vector{a, b, c, d}) : (std::vector{a, d, b, c}));
  }
}

TEST(PreemptAggregation, EachNearnessHasItsOwnCount) {
  constexpr NodeId far{4};
  Group<Aggregation> group(labelled({"x/1", "x/1", "x/2", "x/3", "y/1"}, 1));
  // 1 overtakes within its cluster, and 2 within its site; no count is left for 3 to overtake.
  line_up(group, {a, far, b, c, d});
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, c, far, d}));
}

}  // namespace conch::testing::preempt_aggregation_test
