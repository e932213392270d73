#include "mutex/preempt.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/clusters.hpp"
#include "mutex/testing/group.hpp"
#include "mutex/testing/letters.hpp"

namespace conch::testing::preempt_test {

void line_up(Group<Preempt>& group, std::initializer_list<NodeId> nodes) {
  for (NodeId node : nodes) {
    group.request(node);
    group.settle();
  }
}
std::vector<NodeId> let_all_through(Group<Preempt>& group) {
  for (group.settle(); group.anybody(Doing::inside); group.settle())
    for (NodeId node : group.members())
      if (group.doing(node) == Doing::inside) group.release(node);
  group.check_still();
  group.check_quiescent();
  EXPECT_EQ(group.failure(), "");
  return group.entered();
}

TEST(Preempt, ALocalRequestOvertakesARemoteOneBelowTheThreshold) {
  for (unsigned eps : {0u, 1u}) {
    Group<Preempt> group(clustered({2, 1}, eps));
    line_up(group, {a, c, b});
    EXPECT_EQ(let_all_through(group), eps == 0 ? (std::vector{a, c, b}) : (std::vector{a, b, c}));
    EXPECT_EQ(group.sent_of<Preempt::Queue>(), eps);
  }
}

// Without aggregation a remote request goes on to the remote tail.
TEST(Preempt, RemoteRequestsFollowOneAnotherToTheTail) {
  Group<Preempt> group(clustered({1, 1, 1}));
  line_up(group, {a, b});
  group.request(c);
  group.deliver(c, a);
  ASSERT_EQ(group.in_flight().size(), 1u);
  EXPECT_EQ(group.in_flight()[0].to, b);
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, c}));
}

TEST(Preempt, TheThresholdIsThatOfTheVisitAndNotOfANode) {
  Group<Preempt> group(clustered({3, 1}, 1));
  line_up(group, {a, d, b, c});
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, d, c}));
}

// 1 overtakes 2; a request of 3 reaches 1 before the queue with 2 does.
TEST(Preempt, ARemoteNextThatCameBeforeTheQueueAsksAtItsTail) {
  Group<Preempt> group(clustered({2, 1, 1}, 1));
  line_up(group, {a, c});
  group.request(b);
  group.deliver(b, a);  // the queue is in flight to 1
  group.request(d);
  group.deliver(d, a);
  group.deliver(1);  // the request of 3, forwarded on the same channel
  EXPECT_EQ(let_all_through(group), (std::vector{a, b, c, d}));
}

TEST(Preempt, AQueueThatComesTooLateFollowsTheToken) {
  for (bool again : {false, true}) {
    Group<Preempt> group(clustered({2, 1}, 1));
    line_up(group, {a, c});
    group.request(b);
    group.deliver(b, a);
    group.release(a);
    group.deliver(1);  // the token, after the queue on the same channel
    group.release(b);
    std::vector<NodeId> expected{a, b, c};
    if (again) {
      group.request(a);
      group.deliver(1);
      group.deliver(1);  // the token is back at 0
      expected = {a, b, a, c};
    }
    EXPECT_EQ(let_all_through(group), expected);
  }
}

TEST(Preempt, ACancelCostsNoMessageAndTheTokenPassesBy) {
  Group<Preempt> group(clustered({1, 1, 1}));
  line_up(group, {a, b, c});
  std::size_t before = group.sent();
  group.cancel(b);
  EXPECT_EQ(group.doing(b), Doing::nothing);
  EXPECT_EQ(group.sent(), before);
  EXPECT_EQ(let_all_through(group), (std::vector{a, c}));
}

TEST(Preempt, ANearerClusterOvertakesAFartherOne) {
  for (unsigned eps : {0u, 1u}) {
    Group<Preempt> group(labelled({"x/1", "y/1", "x/2"}, eps));
    line_up(group, {a, b, c});
    EXPECT_EQ(let_all_through(group), eps == 0 ? (std::vector{a, b, c}) : (std::vector{a, c, b}));
  }
}

}  // namespace conch::testing::preempt_test
