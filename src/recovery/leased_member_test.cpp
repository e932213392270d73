#include "recovery/leased_member.hpp"

#include <gtest/gtest.h>

#include "core/encode.hpp"
#include "core/testing/dice.hpp"
#include "mutex/central.hpp"
#include "mutex/elmp.hpp"
#include "mutex/naimi_trehel.hpp"
#include "recovery/testing/alone.hpp"

namespace conch::recovery::leased_member_test {

using testing::Alone;

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(LeasedMember, LooksThenAsksToComeInThenForALeaseThenIs) {
  Alone peer;
  peer.start(seconds(1));
  EXPECT_TRUE(peer.asks_for<Look>());
  peer.answer(seconds(1), false);
  EXPECT_TRUE(peer.asks_for<Propose>());
  peer.answer(seconds(1), true);
  EXPECT_TRUE(peer.asks_for<RenewLease>());
  EXPECT_EQ(peer.stage(), ViewStage::outside);
  peer.answer(seconds(1), true);
  EXPECT_TRUE(peer.is_told<Admitted>());
  EXPECT_EQ(peer.stage(), ViewStage::working);
}

TEST(LeasedMember, ALockDelayIsAskedForWithTheFirstRenewalAndIsCertainWhenThatIsAnswered) {
  Alone peer;
  auto recorded = [&] {
    Duration found{};
    peer.at(seconds(1),
            [&](auto& group_member, auto&) { found = group_member.recorded_lock_delay(); });
    return found;
  };
  auto delay = [&](Duration length) {
    peer.at(seconds(1),
            [&](auto& group_member, auto& out) { group_member.delay_locks(length, out); });
  };
  delay(seconds(5));
  EXPECT_TRUE(peer.asks.empty()) << "it is not in the group yet";
  peer.start(seconds(1));
  peer.answer(seconds(1), false);
  peer.answer(seconds(1), true);
  ASSERT_TRUE(peer.asks_for<RenewDelayed>());
  peer.answer(seconds(1), true);
  EXPECT_EQ(peer.stage(), ViewStage::working);
  EXPECT_EQ(recorded(), seconds(5));
  delay(seconds(3));
  EXPECT_TRUE(peer.asks.empty()) << "the longest counts";
  delay(seconds(7));
  ASSERT_TRUE(peer.asks_for<RenewDelayed>());
  peer.answer(seconds(1), true);
  EXPECT_EQ(recorded(), seconds(7));
  peer.tick(peer.wakes().time_since_epoch());
  EXPECT_TRUE(peer.asks_for<RenewLease>()) << "the register remembers it";
}

TEST(LeasedMember, IfTheAnswerWasLostItLooksAndRenews) {
  Alone peer;
  peer.start(seconds(1));
  peer.answer(seconds(1), false);
  peer.snapshot.view = std::get<Propose>(peer.asks.back().question).view;  // accepted
  peer.tick(peer.wakes().time_since_epoch());
  ASSERT_TRUE(peer.asks_for<Look>());
  peer.answer(seconds(2), false);
  ASSERT_TRUE(peer.asks_for<RenewLease>()) << "a member without a lease is not in yet";
  EXPECT_EQ(peer.stage(), ViewStage::outside);
  peer.answer(seconds(2), true);
  EXPECT_EQ(peer.stage(), ViewStage::working);
}

/// A group of one member, which runs this algorithm.
RegisterSnapshot group_of(std::string_view algorithm, const PeerInstance& member) {
  return {admission({}, {member.id, member.incarnation, "", false}, algorithm, Membership::fixed),
          {}};
}

TEST(LeasedMember, DoesNotComeToAGroupThatRunsSomethingElse) {
  Alone peer;
  peer.snapshot = group_of("elmp", {NodeId{2}, Incarnation{1}});
  peer.start(seconds(1));
  peer.answer(seconds(1), false);
  ASSERT_EQ(peer.events.size(), 1U);
  EXPECT_EQ(std::get<JoinRefused>(peer.events[0]).why,
            "the group runs elmp, but this peer was started with naimi-trehel; start it with "
            "--algorithm elmp");
  EXPECT_EQ(peer.stage(), ViewStage::out);
  EXPECT_TRUE(peer.asks.empty());
  EXPECT_EQ(peer.wakes(), Time::max());
}

TEST(LeasedMember, DoesNotComeToAGroupWithWhomItHasNoVersionInCommon) {
  Alone peer;
  Member member{NodeId{2}, Incarnation{1}};
  member.speaks = {7, 8};
  peer.snapshot = {admission({}, member, "naimi-trehel", Membership::fixed), {}};
  peer.start(seconds(1));
  peer.answer(seconds(1), false);
  ASSERT_EQ(peer.events.size(), 1U);
  EXPECT_EQ(std::get<JoinRefused>(peer.events[0]).why,
            "the group speaks versions 7 to 8 of the protocol, this release versions 1 to 2; first "
            "install a release between the two everywhere");
  EXPECT_EQ(peer.stage(), ViewStage::out);
  EXPECT_TRUE(peer.asks.empty());
}

TEST(LeasedMember, DoesNotComeToAGroupWithAnotherEpsIfItInsists) {
  PeerInstance member{NodeId{2}, Incarnation{1}};
  for (bool insists : {false, true}) {
    Charter charter{"naimi-trehel", &algorithm_of<NaimiTrehel>(), {}};
    charter.tuning.eps = 1;
    charter.insists_on_eps = insists;
    Alone peer(charter);
    peer.snapshot = group_of("naimi-trehel", member);
    peer.snapshot.view.eps = 2;
    peer.start(seconds(1));
    peer.answer(seconds(1), false);
    EXPECT_EQ(peer.asks_for<Propose>(), !insists);
    ASSERT_EQ(peer.events.size(), insists ? 1U : 0U);
    if (!insists) continue;
    EXPECT_EQ(std::get<JoinRefused>(peer.events[0]).why,
              "the group runs with eps 2, but this peer was started with 1; start it with --eps 2");
  }
}

TEST(LeasedMember, WhatItAskedForMeanwhileIsLostIfItIsRefused) {
  Alone peer;
  peer.snapshot = group_of("elmp", {NodeId{2}, Incarnation{1}});
  peer.start(seconds(1));
  std::vector<RegisterRequest> look = peer.asks;
  peer.request(seconds(1));
  peer.asks = look;
  peer.answer(seconds(1), false);
  EXPECT_TRUE(peer.is_told<LockLost>());
  EXPECT_TRUE(peer.is_told<JoinRefused>());
}

TEST(LeasedMember, FoundsTheGroupAnewWithItsOwnAlgorithmIfNobodyIsLeft) {
  PeerInstance dead{NodeId{2}, Incarnation{1}};
  RegisterSnapshot empty = group_of("elmp", dead);
  empty.view = departure(empty, dead);
  RegisterSnapshot all_dead = group_of("elmp", dead);
  all_dead.ended = {dead};
  for (const RegisterSnapshot& before : {empty, all_dead}) {
    Alone peer;
    peer.snapshot = before;
    peer.start(seconds(1));
    peer.answer(seconds(1), false);
    ASSERT_TRUE(peer.asks_for<Propose>());
    const View& view = std::get<Propose>(peer.asks.back().question).view;
    EXPECT_EQ(view.algorithm, "naimi-trehel");
    EXPECT_GT(view.epoch, before.view.epoch);
  }
}

// Found once by `conch survive all --seed 1883`.
TEST(LeasedMember, WhoWasPutOutBeforeItKnewThatItWasInIsOut) {
  Alone peer;
  peer.start(seconds(1));
  peer.answer(seconds(1), false);
  peer.snapshot.view = std::get<Propose>(peer.asks.back().question).view;  // accepted
  peer.snapshot.view = eviction(peer.snapshot, {NodeId{1}}, {NodeId{2}, Incarnation{2}});
  peer.answer(seconds(1), false);
  EXPECT_TRUE(peer.is_told<Expelled>());
}

TEST(LeasedMember, RenewsInTimeAndAgainIfNoAnswerComes) {
  Alone peer;
  peer.come_in(seconds(1));
  for (int i = 0; i < 3; ++i) {
    peer.tick(peer.wakes().time_since_epoch());
    EXPECT_TRUE(peer.asks_for<RenewLease>()) << i;
  }
  peer.answer(milliseconds(1900), true);
  EXPECT_EQ(peer.stage(), ViewStage::working);
}

TEST(LeasedMember, WithoutARenewalItIsOutWhenItsLeaseEndsAndToldBeforeAnythingElse) {
  Alone peer;
  peer.come_in(seconds(1));
  peer.request(milliseconds(1100));
  ASSERT_TRUE(peer.is_told<Granted>());
  peer.tick(milliseconds(1999));
  EXPECT_FALSE(peer.is_told<LockLost>());
  peer.tick(seconds(2));
  ASSERT_EQ(peer.events.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<LockLost>(peer.events[0]));
  EXPECT_TRUE(std::holds_alternative<Expelled>(peer.events[1]));
}

TEST(LeasedMember, ReentryOfAnIdleTokenChecksTheLease) {
  Alone peer;
  peer.come_in(seconds(1));
  peer.request(milliseconds(1100));
  peer.release(milliseconds(1200));
  peer.request(seconds(3600));
  EXPECT_FALSE(peer.is_told<Granted>());
  EXPECT_TRUE(peer.is_told<Expelled>());
}

TEST(LeasedMember, TheSpecimenWithoutThatRuleLetsItIn) {
  Alone peer(Rule::lease);
  peer.come_in(seconds(1));
  peer.request(milliseconds(1100));
  peer.release(milliseconds(1200));
  peer.request(seconds(3600));
  EXPECT_TRUE(peer.is_told<Granted>());
}

TEST(LeasedMember, AnAnswerThatComesAfterTheLeaseDoesNotBringItBack) {
  Alone peer;
  peer.come_in(seconds(1));
  peer.tick(milliseconds(1900));
  ASSERT_TRUE(peer.asks_for<RenewLease>());
  peer.answer(milliseconds(2100), true);
  EXPECT_TRUE(peer.is_told<Expelled>());
}

TEST(LeasedMember, WhatItIsToldBeforeItHasALeaseWaits) {
  Alone peer;
  peer.start(seconds(1));
  peer.answer(seconds(1), false);
  RegisterRequest propose = peer.asks.back();
  peer.snapshot.view = std::get<Propose>(propose.question).view;
  Freeze freeze{peer.snapshot.view};
  peer.at(seconds(1), [&](auto& group_member, auto& out) {
    group_member.receive({NodeId{2}, Incarnation{9}}, freeze, out);
  });
  EXPECT_EQ(peer.stage(), ViewStage::outside);
  peer.asks = {propose};
  peer.answer(seconds(1), true);
  EXPECT_EQ(peer.stage(), ViewStage::outside);
  peer.answer(seconds(1), true);
  EXPECT_EQ(peer.stage(), ViewStage::working);
}

TEST(LeasedMember, WhoDoesNotAnswerIsDoubtedAndThenPutOut) {
  Alone peer;
  peer.come_in(seconds(1));
  PeerInstance silent{NodeId{2}, Incarnation{7}};
  PeerInstance third{NodeId{3}, Incarnation{8}};
  for (const PeerInstance& life : {silent, third})
    peer.snapshot.view = admission(peer.snapshot, {life.id, life.incarnation, "", false},
                                   "naimi-trehel", Membership::dynamic);
  peer.tick(peer.wakes().time_since_epoch());
  peer.answer(milliseconds(1300), true);

  auto hear_nothing_for = [&](Duration silence) {
    peer.at(milliseconds(1400),
            [&](auto& group_member, auto& out) { group_member.silent(silent, silence, out); });
  };
  hear_nothing_for(milliseconds(900));
  EXPECT_TRUE(peer.sends.empty());
  hear_nothing_for(seconds(6));
  ASSERT_EQ(peer.sends.size(), 1U) << "the third is told";
  EXPECT_EQ(peer.sends[0].to, third);
  EXPECT_TRUE(std::holds_alternative<Doubt>(peer.sends[0].message));
  EXPECT_FALSE(peer.asks_for<Propose>());

  peer.at(milliseconds(1400),
          [&](auto& group_member, auto& out) { group_member.receive(third, Doubt{silent}, out); });
  hear_nothing_for(seconds(6));
  ASSERT_TRUE(peer.asks_for<Propose>()) << "the third cannot reach it either";
  const View& view = std::get<Propose>(peer.asks.back().question).view;
  EXPECT_FALSE(view.roster.contains(silent));
  EXPECT_EQ(view.evicted, std::vector{silent}) << "its lease may still run";
}

TEST(LeasedMember, WhoseLeaseHasEndedIsPutOut) {
  Alone peer;
  peer.come_in(seconds(1));
  PeerInstance dead{NodeId{2}, Incarnation{7}};
  peer.snapshot.view = admission(peer.snapshot, {dead.id, dead.incarnation, "", false},
                                 "naimi-trehel", Membership::dynamic);
  peer.snapshot.ended = {dead};
  peer.tick(peer.wakes().time_since_epoch());
  peer.answer(milliseconds(1300), true);
  peer.tick(peer.wakes().time_since_epoch());
  ASSERT_TRUE(peer.asks_for<Propose>());
  const View& view = std::get<Propose>(peer.asks.back().question).view;
  EXPECT_TRUE(view.evicted.empty());
  EXPECT_EQ(view.epoch, Epoch{2});
}

TEST(LeasedMember, BeginsAnEpochLongBeforeTheFencesOfThisOneRunOut) {
  Alone peer(
      Charter{"naimi-trehel", &algorithm_of<NaimiTrehel>(), {}, policy_without(Rule::none), 2});
  peer.come_in(seconds(1));
  auto enter = [&](Duration time) {
    peer.request(time);
    ASSERT_TRUE(peer.is_told<Granted>());
    peer.release(time);
  };
  auto renews_epoch = [&](Duration time) {
    peer.tick(peer.wakes().time_since_epoch());
    peer.answer(time, true);  // the lease
    peer.tick(peer.wakes().time_since_epoch());
    return peer.asks_for<Propose>();
  };
  enter(milliseconds(1100));
  enter(milliseconds(1100));
  EXPECT_FALSE(renews_epoch(milliseconds(1260)));
  enter(milliseconds(1400));
  ASSERT_TRUE(renews_epoch(milliseconds(1600)));
  peer.answer(milliseconds(1700), true);
  EXPECT_EQ(peer.snapshot.view.epoch, Epoch{2});
  EXPECT_EQ(peer.snapshot.view.roster.size(), 1U);
  peer.request(milliseconds(1700));
  ASSERT_TRUE(peer.is_told<Granted>());
  EXPECT_EQ(std::get<Granted>(peer.events[0]).baton.fence, Fence(Epoch{2}, 1));
  EXPECT_FALSE(renews_epoch(milliseconds(1900))) << "the count begins anew";
}

/// The message is a second token, which no correct member would send.
TEST(LeasedMember, OfALifeThatAMessageHasBrokenNothingIsLeftToDo) {
  Alone peer;
  peer.come_in(seconds(1));
  peer.request(seconds(1));
  ASSERT_TRUE(peer.is_told<Granted>());
  Said token;
  encode(token.bytes, NaimiTrehel::Message(NaimiTrehel::Token{}));
  std::string bytes;
  encode(bytes, Message(LockMessage{"a", peer.snapshot.view.epoch, token}));
  peer.at(seconds(1), [&](auto& group_member, auto& out) {
    out.tell(Withdrew{"b"});
    Intake intake = group_member.receive({NodeId{1}, Incarnation{1}}, std::string_view(bytes), out);
    EXPECT_TRUE(intake.fatal);
    EXPECT_NE(intake.fault, "");
    EXPECT_TRUE(out.empty());
    EXPECT_TRUE(out.outbox().sends().empty() && out.outbox().effects().empty());
  });
}

// What arrives is bounded by its own length and validated; a peer survives whatever passes.
template <class A>
void fuzz(std::uint64_t seed, std::string_view name) {
  Dice dice(seed);
  PeerInstance self{NodeId{1}, Incarnation{1}};
  PeerInstance other{NodeId{2}, Incarnation{2}};
  Member member{self.id, self.incarnation};
  Charter charter{std::string(name), &algorithm_of<A>(), {}};
  ViewProtocol peer(member, charter);
  View view{
      1,
      Epoch{1},
      std::string(name),
      other,
      Roster({{self.id, self.incarnation, "", false}, {other.id, other.incarnation, "", false}}),
      {}};
  Message messages[] = {
      Freeze{view},
      Install{Epoch{1}, {{"a", {{self.id, {}}}, {{other.id, {}}}, {3, 1, self.id}, false}}},
      Report{Epoch{2}, {{"a", HoldReport{{}, Fence(5)}, {}, {}, false, {}}}},
      Installed{Epoch{1}},
      Hello{view},
      Welcome{},
      Doubt{other},
      LockMessage{"a", Epoch{1}, std::nullopt},
  };
  InvariantWatch watch;
  int understood = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    encode(bytes, messages[dice.below(std::size(messages))]);
    for (std::uint64_t changes = dice.below(4); changes > 0; --changes)
      bytes[dice.below(bytes.size())] = static_cast<char>(dice.below(256));
    if (dice.percent(10)) bytes.resize(dice.below(bytes.size()) + 1);
    Message message;
    if (!read(bytes, *charter.runs, message).empty()) continue;
    ++understood;
    ReadableEffects out;
    peer.receive(other, message, out);
    if (peer.stage() == ViewStage::out) peer = ViewProtocol(member, charter);
  }
  EXPECT_GT(understood, 200);
}

TEST(Fuzz, AParticipantSurvivesWhateverCanBeDecoded) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_NO_THROW(fuzz<NaimiTrehel>(seed, "naimi-trehel")) << "seed " << seed;
    EXPECT_NO_THROW(fuzz<Central>(seed, "central")) << "seed " << seed;
    EXPECT_NO_THROW(fuzz<Elmp>(seed, "elmp")) << "seed " << seed;
  }
}

}  // namespace conch::recovery::leased_member_test
