#include "recovery/proposals.hpp"

#include <gtest/gtest.h>

namespace conch::recovery::proposals_test {

const Member a{NodeId{1}, Incarnation{1}};
const Member b{NodeId{2}, Incarnation{1}};

View founding(Epoch floor) { return admission({{}, {}, floor}, a, "central", Membership::fixed); }

TEST(Proposals, AnEpochBeginsWhereTheClockIsAndNeverGoesBack) {
  struct Case {
    std::uint32_t floor;
    std::uint32_t epoch;
    const char* why;
  };
  constexpr Case cases[] = {
      {0, 1001, "the clock is wrong"},        {999, 1001, "the clock was set back"},
      {1000, 1001, "two epochs in a second"}, {1001, 1001, "an epoch a second"},
      {5000, 5000, "the group was quiet"},
  };
  RegisterSnapshot known{founding(Epoch{1000}), {}};
  ASSERT_EQ(known.view.epoch, Epoch{1000});
  for (const Case& each : cases) {
    known.epoch_floor = Epoch{each.floor};
    Epoch expected{each.epoch};
    PeerInstance life = a.life();
    EXPECT_EQ(admission(known, b, "central", Membership::fixed).epoch, expected) << each.why;
    EXPECT_EQ(eviction(known, {a.id}, life).epoch, expected) << each.why;
    EXPECT_EQ(departure(known, life).epoch, expected) << each.why;
    EXPECT_EQ(relabelling(known, life, {{a.id, "here"}}).epoch, expected) << each.why;
    View forced = renewal(known, life, {"deploy"});
    EXPECT_EQ(forced.epoch, expected) << each.why;
    EXPECT_EQ(forced.forced_open("deploy"), expected) << each.why;
  }
}

TEST(Proposals, AGuestBeginsNoEpoch) {
  RegisterSnapshot known{founding(Epoch{1000}), {}, Epoch{2000}};
  EXPECT_EQ(admission(known, b, "naimi-trehel", Membership::dynamic).epoch, Epoch{1000});
}

Newcomer newcomer(std::uint64_t id, const View& seen) {
  return {{NodeId{id}, Incarnation{1}}, seen.algorithm, seen.eps};
}

TEST(Proposals, NewcomersThatWaitComeTogetherByANewEpoch) {
  RegisterSnapshot known{founding(Epoch{1000}), {}};
  std::vector<Newcomer> waiting{newcomer(3, known.view), newcomer(4, known.view)};
  View view = admission(known, b, "central", Membership::dynamic, 0, waiting);
  EXPECT_EQ(view.roster.all(), (Members{NodeId{1}, NodeId{2}, NodeId{3}, NodeId{4}}));
  EXPECT_EQ(view.epoch, Epoch{1001}) << "each guest would have to greet all others";
  EXPECT_EQ(view.decider, b.life());
  EXPECT_EQ(view.roster.founders().size(), 4U);
}

TEST(Proposals, ANewcomerComesAloneIfTheOthersHaveSeenAnotherGroup) {
  RegisterSnapshot known{founding(Epoch{1000}), {}};
  View other = known.view;
  other.algorithm = "elmp";
  std::vector<Newcomer> waiting{newcomer(3, other)};
  other = known.view;
  other.eps = 7;
  waiting.push_back(newcomer(4, other));
  waiting.push_back(newcomer(5, known.view));
  waiting.back().member.speaks = {90, 99};
  View view = admission(known, b, "central", Membership::dynamic, 0, waiting);
  EXPECT_EQ(view.roster.all(), (Members{NodeId{1}, NodeId{2}}));
  View empty = departure(known, a.life());
  waiting = {newcomer(3, empty)};
  View founded = admission({empty, {}}, b, "elmp", Membership::dynamic, 0, waiting);
  EXPECT_EQ(founded.roster.size(), 1U) << "the settings of an empty group may change";
}

TEST(Proposals, MembersThatWaitLeaveWithTheFirstAndAreWaitedFor) {
  RegisterSnapshot known{founding(Epoch{1000}), {}};
  std::vector<Newcomer> waiting{newcomer(3, known.view), newcomer(4, known.view)};
  known.view = admission(known, b, "central", Membership::dynamic, 0, waiting);
  PeerInstance third{NodeId{3}, Incarnation{1}};
  PeerInstance gone{NodeId{9}, Incarnation{1}};
  View view = departure(known, a.life(), {a.life(), third, gone});
  EXPECT_EQ(view.roster.all(), (Members{NodeId{2}, NodeId{4}}));
  EXPECT_EQ(view.evicted, std::vector{third}) << "it has not said yet that it holds nothing";
  EXPECT_EQ(view.decider, a.life());
}

TEST(Proposals, ALostRegisterGoesOnAboveItsEpochs) {
  EXPECT_GT(founding(Epoch{1001}).epoch, founding(Epoch{1000}).epoch);
}

/// See docs/limits.md: neither alone repeats an epoch.
TEST(Proposals, ALostRegisterAndAClockThatWasSetBackRepeatAnEpoch) {
  View lost = founding(Epoch{1000});
  EXPECT_GT(departure({lost, {}, Epoch{500}}, a.life()).epoch, lost.epoch);
  EXPECT_LT(founding(Epoch{500}).epoch, lost.epoch);
}

/// See docs/limits.md: the epochs of the lost register are ahead of the clock.
TEST(Proposals, ALostRegisterWithMoreEpochsThanSecondsRepeatsThem) {
  View lost = founding(Epoch{1000});
  for (int i = 0; i < 10; ++i) lost = renewal({lost, {}, Epoch{1001}}, a.life(), {});
  EXPECT_LT(founding(Epoch{1005}).epoch, lost.epoch);
}

}  // namespace conch::recovery::proposals_test
