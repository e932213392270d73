// Tests of a lock that is forced open: its holder loses it, and no other peer loses anything.
#include <gtest/gtest.h>

#include "mutex/central.hpp"
#include "mutex/naimi_trehel.hpp"
#include "recovery/testing/town.hpp"

namespace conch::recovery::force_open_test {

using testing::Three;

TEST(ForceOpen, WhoHoldsALockThatIsForcedOpenIsToldAndTheOthersKeepTheirOrder) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  town.request(town.c);
  town.settle();
  EXPECT_TRUE(town.propose(town.a, *town.at(town.a).renewal({"a"})));
  EXPECT_EQ(town.view().roster.all().size(), 3U);
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside) << "it has not heard of it";
  EXPECT_TRUE(town.deliver(town.a, town.b));
  ASSERT_EQ(town.told<LockLost>(town.b).size(), 1U);
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::nothing);
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::waiting);
  town.request(town.b);  // it may ask again at once
  town.settle();
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::waiting);
  EXPECT_EQ(town.told<LockLost>(town.b).size(), 1U);
  EXPECT_EQ(town.told<Expelled>(town.b).size(), 0U);
}

TEST(ForceOpen, OtherLocksAreNotForcedOpen) {
  Three<NaimiTrehel> town;
  town.request(town.b, "a");
  town.request(town.b, "b");
  town.settle();
  town.propose(town.a, *town.at(town.a).renewal({"b"}));
  town.settle();
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside);
  EXPECT_EQ(town.at(town.b).doing("b"), Doing::nothing);
}

TEST(ForceOpen, WhoForcesItsOwnLockOpenLosesIt) {
  Three<Central> town;
  town.request(town.a);
  town.settle();
  town.propose(town.a, *town.at(town.a).renewal({"a"}));
  EXPECT_EQ(town.told<LockLost>(town.a).size(), 1U);
  town.settle();
  EXPECT_EQ(town.at(town.a).doing("a"), Doing::nothing);
}

TEST(ForceOpen, WhoHasMissedTheViewThatForcesALockOpenLetsGoByTheNextOne) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  town.propose(town.a, *town.at(town.a).renewal({"a"}));
  town.look(town.c);
  town.kill(town.a);  // before b has heard of it, and before anything is decided
  town.evict_dead(town.c);
  EXPECT_EQ(town.view().epoch, Epoch{3});
  EXPECT_EQ(town.view().forced_open("a"), Epoch{2});
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside);
  EXPECT_TRUE(town.deliver(town.c, town.b));
  EXPECT_EQ(town.told<LockLost>(town.b).size(), 1U);
}

TEST(ForceOpen, AGuestThatComesMeanwhileKeepsTheNameInTheView) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  town.propose(town.a, *town.at(town.a).renewal({"a"}));
  PeerInstance d = town.come(4);
  EXPECT_EQ(town.view().forced_open("a"), town.view().epoch);
  EXPECT_EQ(town.at(d).stage(), ViewStage::greeting);
  town.look(town.b);
  EXPECT_EQ(town.told<LockLost>(town.b).size(), 1U);
  town.settle();
  for (const PeerInstance& life : town.lives())
    EXPECT_EQ(town.at(life).stage(), ViewStage::working);
}

TEST(ForceOpen, WhoEntersAfterwardsKeepsTheLockWhateverViewsFollow) {
  Three<NaimiTrehel> town;
  town.propose(town.a, *town.at(town.a).renewal({"a"}));
  town.settle();
  town.request(town.b);
  town.settle();
  town.kill(town.a);
  town.look(town.c);
  View next = *town.at(town.c).eviction();
  EXPECT_EQ(next.forced_open("a"), Epoch{0}) << "everybody has heard of it";
  next.forced = town.view().forced;  // as if a member had not heard of it
  EXPECT_TRUE(town.propose(town.c, next));
  town.settle();
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside);
  EXPECT_EQ(town.told<LockLost>(town.b).size(), 0U);
}

}  // namespace conch::recovery::force_open_test
