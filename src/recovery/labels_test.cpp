// Tests of what a group agrees on by its views: its members' labels, and how many may overtake.
#include <gtest/gtest.h>

#include "mutex/preempt_aggregation.hpp"
#include "recovery/testing/town.hpp"

namespace conch::recovery::labels_test {

Tuning with_eps(unsigned eps) {
  Tuning tuning;
  tuning.eps = eps;
  return tuning;
}

struct Three : testing::Town<PreemptAggregation> {
  explicit Three(unsigned eps) : Town(Rule::none, with_eps(eps)) {}
  PeerInstance a = settle_in(1);
  PeerInstance b = settle_in(2);
  PeerInstance c = settle_in(3);
};

TEST(Labels, WhoIsNearIsInTheViewAndChangesWithAnEpoch) {
  Three town(1);
  auto enters_after_a = [&] {  // the third asks first, the second afterwards
    for (const PeerInstance& life : {town.a, town.c, town.b}) {
      town.request(life);
      town.settle();
    }
    EXPECT_EQ(town.at(town.a).doing("a"), Doing::inside);
    town.release(town.a);
    town.settle();
    bool second = town.at(town.b).doing("a") == Doing::inside;
    for (const PeerInstance& life :
         second ? std::vector{town.b, town.c} : std::vector{town.c, town.b}) {
      EXPECT_EQ(town.at(life).doing("a"), Doing::inside);
      town.release(life);
      town.settle();
    }
    return second ? town.b : town.c;
  };
  auto relabel = [&](const std::map<NodeId, std::string>& labels) {
    Epoch before = town.view().epoch;
    ASSERT_TRUE(town.propose(town.c, town.at(town.c).relabelling(labels).value()));
    town.settle();
    EXPECT_LT(before, town.view().epoch);
  };
  EXPECT_EQ(enters_after_a(), town.c) << "without labels all are near";
  relabel({{NodeId{1}, "west"}, {NodeId{2}, "west"}, {NodeId{3}, "east"}});
  EXPECT_EQ(enters_after_a(), town.b) << "it is nearer to the holder";
  EXPECT_FALSE(town.at(town.a).relabelling({{NodeId{3}, "east"}, {NodeId{9}, "nowhere"}}))
      << "nothing would change";
  relabel({{NodeId{2}, "east"}});
  EXPECT_EQ(enters_after_a(), town.c);
}

TEST(Labels, WhoFoundsTheGroupSaysHowManyMayOvertake) {
  Three town(3);
  EXPECT_EQ(town.view().eps, 3U);
  RegisterSnapshot known = town.snapshot();
  View next =
      admission(known, {NodeId{7}, Incarnation{70}}, "preempt-aggregation", Membership::fixed, 1);
  EXPECT_EQ(next.eps, 3U) << "a newcomer takes over what the group has";
  for (const PeerInstance& life : town.lives()) town.end_lease(life);
  next = admission(town.snapshot(), {NodeId{7}, Incarnation{70}}, "preempt-aggregation",
                   Membership::fixed, 1);
  EXPECT_EQ(next.eps, 1U) << "nobody is left";
}

}  // namespace conch::recovery::labels_test
