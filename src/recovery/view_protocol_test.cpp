#include "recovery/view_protocol.hpp"

#include <gtest/gtest.h>

#include "mutex/central.hpp"
#include "mutex/naimi_trehel.hpp"
#include "mutex/ring.hpp"
#include "recovery/testing/town.hpp"

namespace conch::recovery::view_protocol_test {

using testing::Three;
using testing::Town;

DataRef version(std::uint64_t number, const PeerInstance& at) { return {number, 8, at.id}; }

TEST(ViewProtocol, TheFirstFoundsTheGroup) {
  Town<NaimiTrehel> town;
  PeerInstance a = town.settle_in(1);
  EXPECT_EQ(town.at(a).stage(), ViewStage::working);
  EXPECT_EQ(town.view().epoch, Epoch{1});
  EXPECT_EQ(town.told<Admitted>(a).size(), 1U);
}

TEST(ViewProtocol, AGuestNeedsNoNewEpochWhereMembershipIsDynamic) {
  Three<NaimiTrehel> town;
  EXPECT_EQ(town.view().epoch, Epoch{1});
  EXPECT_EQ(town.view().roster.all().size(), 3U);
  EXPECT_EQ(town.view().roster.founders(), Members{NodeId{1}});
  town.request(town.c);
  town.settle();
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
}

TEST(ViewProtocol, ANewcomerBeginsAnEpochWhereMembershipIsFixed) {
  Three<Central> town;
  EXPECT_EQ(town.view().epoch, Epoch{3});
  EXPECT_EQ(town.view().roster.founders().size(), 3U);
}

TEST(ViewProtocol, AGuestIsNotInBeforeEverybodyKnows) {
  Town<NaimiTrehel> town;
  PeerInstance a = town.settle_in(1);
  PeerInstance b = town.settle_in(2);
  PeerInstance c = town.come(3);
  EXPECT_EQ(town.at(c).stage(), ViewStage::greeting);
  town.request(c);
  EXPECT_TRUE(town.deliver(c, a));
  EXPECT_TRUE(town.deliver(a, c));
  EXPECT_EQ(town.at(c).stage(), ViewStage::greeting) << "one does not know yet";
  EXPECT_TRUE(town.deliver(c, b));
  EXPECT_TRUE(town.deliver(b, c));
  EXPECT_EQ(town.at(c).stage(), ViewStage::working);
  town.settle();
  EXPECT_EQ(town.at(c).doing("a"), Doing::inside) << "what it asked for meanwhile was not lost";
}

TEST(ViewProtocol, TwoFirstUsersOfANameDoNotMakeTwoTokens) {
  Three<NaimiTrehel> town;
  town.kill(town.c);
  town.evict_dead(town.a);
  town.settle();  // both are founders now
  for (int i = 0; i < 20; ++i) {
    std::string lock = "lock " + std::to_string(i);
    town.request(town.a, lock);
    town.request(town.b, lock);
    town.settle();
    EXPECT_NE(town.at(town.a).doing(lock), town.at(town.b).doing(lock)) << lock;
  }
}

TEST(ViewProtocol, AnIdleLockThatNobodyHasUsedYetMayBeForgotten) {
  Three<Central> town;
  town.request(town.a, "left");
  town.settle();
  town.release(town.a, version(1, town.a), "left");
  town.settle();
  town.request(town.b, "held");
  town.settle();
  auto known = [&](const PeerInstance& life, const std::string& lock) {
    return town.at(life).locks().contains(lock);
  };
  for (const PeerInstance& life : town.lives()) town.at(life).forget_idle();
  EXPECT_TRUE(known(town.a, "left")) << "it has data";
  EXPECT_TRUE(known(town.b, "held"));
}

TEST(ViewProtocol, OnlyLocksOfWhichThereIsSomethingToSayAreReported) {
  Three<NaimiTrehel> town;
  for (const char* lock : {"used", "left", "held"}) {
    town.request(town.c, lock);
    town.settle();
  }
  town.release(town.c, {}, "used");
  town.release(town.c, version(1, town.c), "left");
  town.request(town.b, "held");
  town.settle();
  town.kill(town.a);
  town.evict_dead(town.b);
  EXPECT_TRUE(town.deliver(town.b, town.c));
  EXPECT_EQ(town.reported(town.c), (std::vector<std::string>{"held", "left"}));
  town.settle();
  EXPECT_FALSE(town.at(town.c).locks().contains("used"));
  EXPECT_EQ(town.at(town.b).doing("held"), Doing::waiting);
}

TEST(ViewProtocol, ATokenInFlightIsMadeAnew) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  town.request(town.c);
  town.settle();
  town.release(town.b);  // the token is on its way to c
  PeerInstance d = town.start(4);
  town.propose(d, town.at(d).admission(town.snapshot()));
  town.kill(town.a);
  town.evict_dead(town.b);
  EXPECT_EQ(town.view().epoch, Epoch{2});
  town.settle();
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
  EXPECT_EQ(town.told<Granted>(town.c).size(), 1U) << "once, by the new token or the old";
}

TEST(ViewProtocol, AHolderGoesOnHoldingAndTheOthersWaitInTheirOrder) {
  Three<NaimiTrehel> town;
  PeerInstance d = town.settle_in(4);
  town.request(town.b);
  town.settle();
  town.request(d);
  town.request(town.c);
  town.settle();
  town.kill(town.a);
  town.evict_dead(town.c);
  town.settle();
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside);
  EXPECT_EQ(town.told<Granted>(town.b).size(), 1U) << "it was not told again";
  town.release(town.b);
  town.settle();
  EXPECT_EQ(town.at(d).doing("a"), Doing::inside) << "it has waited longer";
  town.release(d);
  town.settle();
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
  EXPECT_LT(town.told<Granted>(town.b)[0].baton.fence, town.told<Granted>(d)[0].baton.fence);
  EXPECT_LT(town.told<Granted>(d)[0].baton.fence, town.told<Granted>(town.c)[0].baton.fence);
}

TEST(ViewProtocol, WhatIsReleasedWhileFrozenGoesToTheNextOne) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  town.request(town.c);
  town.settle();
  town.kill(town.a);
  town.evict_dead(town.c);
  EXPECT_TRUE(town.deliver(town.c, town.b));  // FREEZE
  EXPECT_EQ(town.at(town.b).stage(), ViewStage::frozen);
  town.release(town.b, version(5, town.b));
  town.settle();
  ASSERT_EQ(town.told<Granted>(town.c).size(), 1U);
  EXPECT_EQ(town.told<Granted>(town.c)[0].baton.data, version(5, town.b));
}

/// b has held the lock since the last epoch, and the data that it found have died with c.
TEST(ViewProtocol, WhoReleasesWhileFrozenWithoutWritingLeavesWhatTheEpochFinds) {
  Three<NaimiTrehel> town;
  town.request(town.c);
  town.settle();
  town.release(town.c, version(5, town.c));
  town.request(town.b);
  town.settle();
  town.request(town.a);
  town.settle();
  town.kill(town.c);
  town.evict_dead(town.a);
  EXPECT_TRUE(town.deliver(town.a, town.b));  // FREEZE
  EXPECT_EQ(town.at(town.b).stage(), ViewStage::frozen);
  town.release(town.b, version(5, town.c));
  town.settle();
  ASSERT_EQ(town.told<Granted>(town.a).size(), 1U);
  EXPECT_EQ(town.told<Granted>(town.a)[0].baton.data, DataRef{});
  EXPECT_TRUE(town.told<Granted>(town.a)[0].rolled_back);
}

/// Otherwise readers that come again and again would keep a writer waiting through every epoch.
TEST(ViewProtocol, AReaderThatReleasesWhileFrozenAndAsksAgainWaitsItsTurn) {
  Three<Central> town;
  town.request(town.b, "a", {Mode::read, {}});
  town.settle();
  town.request(town.c);
  town.settle();
  town.kill(town.a);
  town.evict_dead(town.c);
  EXPECT_TRUE(town.deliver(town.c, town.b));  // FREEZE
  EXPECT_EQ(town.at(town.b).stage(), ViewStage::frozen);
  town.release(town.b);
  town.request(town.b, "a", {Mode::read, {}});
  town.settle();
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::waiting);
  town.release(town.c, version(5, town.c));
  town.settle();
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside);
}

TEST(ViewProtocol, WhoLosesPatienceWhileFrozenIsFreeAtOnce) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  town.request(town.c);
  town.settle();
  town.kill(town.a);
  town.evict_dead(town.b);
  EXPECT_TRUE(town.deliver(town.b, town.c));
  town.cancel(town.c);
  EXPECT_EQ(town.told<Withdrew>(town.c).size(), 1U);
  town.settle();
  town.release(town.b);
  town.settle();
  EXPECT_EQ(town.told<Granted>(town.c).size(), 0U);
  town.request(town.b);
  town.settle();
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside) << "the place that c had is gone";
}

TEST(ViewProtocol, WhoIsPutOutThoughItLivesIsToldAndLetsGo) {
  Three<Central> town;
  town.request(town.b);
  town.settle();
  town.request(town.c);
  town.settle();
  auto view = town.at(town.a).eviction_of(town.b);
  ASSERT_TRUE(view.has_value());
  EXPECT_TRUE(town.propose(town.a, *view));
  EXPECT_TRUE(town.deliver(town.a, town.c));
  EXPECT_TRUE(town.deliver(town.c, town.a));
  EXPECT_EQ(town.at(town.a).stage(), ViewStage::frozen) << "its lease runs, and it has not let go";
  town.settle();
  EXPECT_EQ(town.told<LockLost>(town.b).size(), 1U);
  EXPECT_EQ(town.told<Expelled>(town.b).size(), 1U);
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
}

TEST(ViewProtocol, NothingIsInstalledBeforeTheLeaseOfWhoWasPutOutHasEnded) {
  Three<Central> town;
  town.request(town.b);
  town.settle();
  town.request(town.c);
  town.settle();
  PeerInstance b = town.b;
  auto view = town.at(town.a).eviction_of(b);
  town.propose(town.a, *view);
  while (town.deliver(town.a, town.c) || town.deliver(town.c, town.a)) {
  }
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::waiting);
  town.end_lease(b);
  town.look(town.a);
  while (town.deliver(town.a, town.c) || town.deliver(town.c, town.a)) {
  }
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
}

TEST(ViewProtocol, IfTheDeciderDiesAnotherDecides) {
  Three<Central> town;
  PeerInstance d = town.settle_in(4);
  town.request(d);
  town.settle();
  town.kill(d);
  town.evict_dead(town.a);
  town.look_all();
  EXPECT_EQ(town.at(town.b).stage(), ViewStage::frozen);
  town.kill(town.a);
  town.evict_dead(town.b);
  town.settle();
  EXPECT_EQ(town.at(town.b).stage(), ViewStage::working);
  EXPECT_EQ(town.at(town.c).stage(), ViewStage::working);
  EXPECT_EQ(town.at(town.c).epoch(), town.view().epoch);
}

TEST(ViewProtocol, OfTwoProposersOneDecides) {
  Three<Central> town;
  PeerInstance d = town.settle_in(4);
  town.kill(d);
  town.look_all();
  View first = *town.at(town.a).eviction();
  View second = *town.at(town.b).eviction();
  EXPECT_TRUE(town.propose(town.b, second));
  EXPECT_FALSE(town.propose(town.a, first));
  town.settle();
  EXPECT_EQ(town.view().decider, town.b);
  for (const PeerInstance& life : town.lives())
    EXPECT_EQ(town.at(life).stage(), ViewStage::working);
}

TEST(ViewProtocol, ALeaverDecidesForTheOthersAndThenGoes) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  EXPECT_TRUE(town.propose(town.a, town.at(town.a).departure()));
  EXPECT_EQ(town.at(town.a).stage(), ViewStage::leaving);
  EXPECT_TRUE(town.told<Departed>(town.a).empty());
  town.settle();
  EXPECT_EQ(town.told<Departed>(town.a).size(), 1U);
  EXPECT_EQ(town.at(town.b).doing("a"), Doing::inside);
  town.release(town.b);
  town.request(town.c);
  town.settle();
  EXPECT_EQ(town.at(town.c).doing("a"), Doing::inside);
}

TEST(ViewProtocol, IfALeaverDiesBeforeItHasDecidedAnotherDoes) {
  Three<NaimiTrehel> town;
  town.propose(town.a, town.at(town.a).departure());
  town.look_all();
  town.kill(town.a);
  EXPECT_TRUE(town.view().evicted.empty());
  town.evict_dead(town.b);
  town.settle();
  EXPECT_EQ(town.view().decider, town.b);
  EXPECT_EQ(town.at(town.c).stage(), ViewStage::working);
}

// Found once by `conch survive naimi-trehel --seed 1554`.
TEST(ViewProtocol, ALeaverDecidesAlsoIfAGuestComesMeanwhile) {
  Three<NaimiTrehel> town;
  town.propose(town.a, town.at(town.a).departure());
  PeerInstance d = town.come(4);
  town.look(town.a);
  EXPECT_EQ(town.at(town.a).stage(), ViewStage::leaving);
  town.settle();
  EXPECT_EQ(town.told<Departed>(town.a).size(), 1U);
  for (const PeerInstance& life : {town.b, town.c, d})
    EXPECT_EQ(town.at(life).stage(), ViewStage::working);
}

TEST(ViewProtocol, APeerThatStartsAgainIsANewLifeAndBeginsAnEpoch) {
  Three<NaimiTrehel> town;
  town.request(town.c);
  town.settle();
  town.kill(town.c);
  PeerInstance again = town.settle_in(3);
  EXPECT_EQ(town.view().epoch, Epoch{2});
  EXPECT_FALSE(town.view().roster.contains(town.c));
  EXPECT_TRUE(town.view().roster.contains(again));
  town.request(again);
  town.settle();
  EXPECT_EQ(town.at(again).doing("a"), Doing::inside);
}

TEST(ViewProtocol, TheGroupIsFoundedAgainAndFencesGoOn) {
  Three<NaimiTrehel> town;
  town.request(town.a);
  town.settle();
  Fence before = town.told<Granted>(town.a)[0].baton.fence;
  for (const PeerInstance& life : {town.a, town.b, town.c}) town.kill(life);
  PeerInstance again = town.settle_in(1);
  town.request(again);
  town.settle();
  EXPECT_LT(before, town.told<Granted>(again)[0].baton.fence);
}

/// A lock whose home is this peer.
std::string lock_of(const PeerInstance& home, const View& view) {
  for (int i = 0;; ++i) {
    std::string name = "lock " + std::to_string(i);
    if (home_of(name, view.roster.founders()) == home.id) return name;
  }
}

TEST(ViewProtocol, IfNobodyHasTheNewestDataTheNextHolderIsTold) {
  Three<Central> town;
  std::string lock = lock_of(town.a, town.view());
  town.request(town.b, lock);
  town.settle();
  town.release(town.b, version(1, town.b), lock);
  town.settle();
  town.request(town.c, lock);
  town.settle();
  town.release(town.c, version(2, town.c), lock);
  town.settle();
  town.kill(town.c);
  town.evict_dead(town.a);
  town.settle();
  town.request(town.a, lock);
  town.settle();
  ASSERT_EQ(town.told<Granted>(town.a).size(), 1U);
  const Granted granted = town.told<Granted>(town.a).back();
  EXPECT_EQ(granted.baton.data, version(1, town.b)) << "2 died with c";
  EXPECT_TRUE(granted.rolled_back) << "the server, to whom c released, knew of 2";
}

TEST(ViewProtocol, AHolderIsToldIfItsDataAreElsewhereNow) {
  Three<Central> town;
  std::string lock = lock_of(town.a, town.view());
  town.request(town.b, lock);
  town.settle();
  town.release(town.b, version(1, town.b), lock);
  town.request(town.c, lock);
  town.settle();
  ReadableEffects nothing(Time{});
  town.at(town.c).copied(lock, version(1, town.b), nothing);
  town.kill(town.b);
  town.evict_dead(town.a);
  town.settle();
  EXPECT_EQ(town.at(town.c).doing(lock), Doing::inside);
  ASSERT_EQ(town.told<DataMoved>(town.c).size(), 1U);
  EXPECT_EQ(town.told<DataMoved>(town.c)[0].data, version(1, town.c)) << "it has them itself";
}

/// The writer may rely on the copy from now on, and no peer reports it again.
TEST(ViewProtocol, ACopyThatComesAfterTheReportIsNotForgotten) {
  Three<Central> town;
  std::string lock = lock_of(town.a, town.view());
  town.kill(town.c);
  town.evict_dead(town.a);
  EXPECT_TRUE(town.deliver(town.a, town.b));
  EXPECT_EQ(town.at(town.b).stage(), ViewStage::frozen);
  ReadableEffects nothing(Time{});
  town.at(town.b).copied(lock, version(1, town.b), nothing);
  town.settle();
  EXPECT_EQ(town.at(town.b).stage(), ViewStage::working);
  ASSERT_TRUE(town.at(town.b).locks().contains(lock));
  EXPECT_EQ(town.at(town.b).locks().at(lock).report({}).copy, version(1, town.b));
}

TEST(ViewProtocol, ALockSaysHowItStands) {
  Three<NaimiTrehel> town;
  town.request(town.b);
  town.settle();
  town.request(town.c);
  town.settle();
  auto status = [&](const PeerInstance& life) { return town.at(life).locks().at("a").status(); };
  EXPECT_EQ(status(town.b).doing, Doing::inside);
  EXPECT_TRUE(status(town.b).token);
  EXPECT_EQ(status(town.b).fence, Fence(Epoch{1}, 1));
  EXPECT_EQ(status(town.c).doing, Doing::waiting);
  EXPECT_FALSE(status(town.c).token);
  EXPECT_FALSE(status(town.c).fence);
  EXPECT_GT(status(town.c).since, status(town.b).since);
  Time asked = status(town.c).since;
  town.release(town.b, version(7, town.b));
  town.settle();
  EXPECT_EQ(status(town.b).doing, Doing::nothing);
  EXPECT_EQ(status(town.b).newest.data, version(7, town.b));
  EXPECT_EQ(status(town.c).doing, Doing::inside);
  EXPECT_GT(status(town.c).since, asked) << "since it entered";
}

TEST(ViewProtocol, ATokenThatMovesByItselfSetsOutWhenSomebodyUsesTheLock) {
  Three<Ring> town;
  std::string lock = lock_of(town.a, town.view());
  town.request(town.b, lock);
  for (int i = 0; i < 20; ++i)
    for (const PeerInstance& from : town.lives())
      for (const PeerInstance& to : town.lives()) town.deliver(from, to);
  EXPECT_EQ(town.at(town.b).doing(lock), Doing::inside);
}

}  // namespace conch::recovery::view_protocol_test
