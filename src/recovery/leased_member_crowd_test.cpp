#include <gtest/gtest.h>

#include "mutex/naimi_trehel.hpp"
#include "recovery/leased_member.hpp"
#include "recovery/testing/alone.hpp"

namespace conch::recovery::leased_member_crowd_test {

using testing::Alone;

using std::chrono::milliseconds;
using std::chrono::seconds;

/// In a group that keeps so long between two views as one of hundreds would.
class CrowdedPolicy : public RecoveryPolicy {
  Duration view_pause(std::size_t, const LeaseTerms&) const override { return milliseconds(100); }
  bool summons(std::size_t) const override { return true; }
};

Alone crowded() {
  return Alone(
      Charter{"naimi-trehel", &algorithm_of<NaimiTrehel>(), {}, conch::policy<CrowdedPolicy>()});
}

template <class Q>
const Q& last_question(const Alone& peer) {
  return std::get<Q>(peer.asks.back().question);
}

TEST(LeasedMember, ANewcomerWaitsWhileAViewIsYoungAndThenTakesTheOthersAlong) {
  Alone peer = crowded();
  peer.snapshot.view =
      admission({}, {NodeId{7}, Incarnation{1}, "", false}, "naimi-trehel", Membership::dynamic);
  peer.waiting.view_age = milliseconds(30);
  peer.start(seconds(1));
  peer.answer(seconds(1), true);
  ASSERT_TRUE(peer.asks_for<AnnounceJoin>());
  EXPECT_EQ(last_question<AnnounceJoin>(peer).newcomer.member.id, NodeId{1});
  peer.answer(seconds(1), true);
  EXPECT_TRUE(peer.asks.empty());
  EXPECT_EQ(peer.wakes(), Time(milliseconds(1070))) << "until the view is old enough";
  peer.tick(milliseconds(1070));
  ASSERT_TRUE(peer.asks_for<AnnounceJoin>()) << "it looks who else is there";
  peer.waiting.view_age = milliseconds(100);
  peer.waiting.newcomers = {{{NodeId{9}, Incarnation{1}}, "naimi-trehel", 0}};
  peer.answer(milliseconds(1070), true);
  ASSERT_TRUE(peer.asks_for<Propose>());
  EXPECT_EQ(last_question<Propose>(peer).view.roster.all(),
            (Members{NodeId{1}, NodeId{7}, NodeId{9}}));
}

TEST(LeasedMember, ANewcomerBehindAnotherIsTakenAlong) {
  Alone peer = crowded();
  View before =
      admission({}, {NodeId{7}, Incarnation{1}, "", false}, "naimi-trehel", Membership::dynamic);
  peer.snapshot.view = before;
  peer.waiting.is_behind = true;
  peer.start(seconds(1));
  peer.answer(seconds(1), true);
  peer.answer(seconds(1), true);
  EXPECT_TRUE(peer.asks.empty()) << "it proposes nothing";
  Member self{NodeId{1}, Incarnation{1}};
  peer.snapshot.view = admission({before, {}}, self, "naimi-trehel", Membership::fixed);
  peer.at(milliseconds(1010), [&](auto& group_member, auto& out) {
    group_member.receive({NodeId{7}, Incarnation{1}}, Summons{peer.snapshot.view.number}, out);
  });
  EXPECT_EQ(peer.wakes(), Time(milliseconds(1010))) << "somebody has heard of it: it looks at once";
  peer.tick(milliseconds(1010));
  ASSERT_TRUE(peer.asks_for<AnnounceJoin>());
  peer.answer(milliseconds(1010), true);
  EXPECT_TRUE(peer.asks_for<RenewLease>()) << "it is in";
}

TEST(LeasedMember, LeavesAtOnceWhereNothingElseHappens) {
  Alone peer = crowded();
  peer.come_in(seconds(1));
  peer.at(milliseconds(1200), [](auto& group_member, auto& out) { group_member.leave(out); });
  ASSERT_TRUE(peer.asks_for<Propose>());
  EXPECT_TRUE(last_question<Propose>(peer).view.roster.empty());
}

TEST(LeasedMember, LeavesInTurnWhereViewsFollowOneAnother) {
  Alone peer = crowded();
  peer.come_in(seconds(1));
  peer.at(milliseconds(1010), [](auto& group_member, auto& out) { group_member.leave(out); });
  ASSERT_TRUE(peer.asks_for<AnnounceLeave>()) << "it has just joined";
  peer.waiting.is_behind = true;
  peer.answer(milliseconds(1010), true);
  EXPECT_FALSE(peer.asks_for<Propose>()) << "another one proposes for both";
  Time again = peer.wakes();
  peer.tick(again.time_since_epoch());
  ASSERT_TRUE(peer.asks_for<AnnounceLeave>() || peer.asks_for<RenewLease>());
  while (!peer.asks_for<AnnounceLeave>()) {
    peer.answer(again.time_since_epoch(), true);
    again = peer.wakes();
    peer.tick(again.time_since_epoch());
  }
  peer.waiting.is_behind = false;
  peer.answer(again.time_since_epoch(), true);
  ASSERT_TRUE(peer.asks_for<Propose>()) << "the other one is gone";
  EXPECT_FALSE(last_question<Propose>(peer).view.roster.contains(NodeId{1}));
}

TEST(LeasedMember, ReadsAViewOfWhichItHasOnlyHeardAndWelcomesTheGuest) {
  Alone peer = crowded();
  peer.come_in(seconds(1));
  PeerInstance guest{NodeId{9}, Incarnation{1}};
  RegisterSnapshot next = peer.snapshot;
  next.view = admission(peer.snapshot, {guest.id, guest.incarnation, "", false}, "naimi-trehel",
                        Membership::dynamic);
  peer.at(milliseconds(1010), [&](auto& group_member, auto& out) {
    group_member.receive(guest, Summons{next.view.number}, out);
  });
  ASSERT_TRUE(peer.asks_for<Look>());
  EXPECT_TRUE(peer.sends.empty()) << "it does not know the guest yet";
  Time again = peer.wakes();
  peer.tick(again.time_since_epoch());
  ASSERT_TRUE(peer.asks_for<Look>()) << "the answer may have been lost";
  peer.snapshot = next;
  peer.answer(again.time_since_epoch(), true);
  ASSERT_EQ(peer.sends.size(), 1U);
  EXPECT_EQ(peer.sends.front().to, guest);
  EXPECT_TRUE(std::holds_alternative<Welcome>(peer.sends.front().message));
}

}  // namespace conch::recovery::leased_member_crowd_test
