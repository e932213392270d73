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
