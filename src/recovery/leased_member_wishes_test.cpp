// Tests of what only one peer wants: to evict a member, to force a lock open, to change labels.
#include <gtest/gtest.h>

#include <set>

#include "recovery/testing/alone.hpp"

namespace conch::recovery::leased_member_wishes_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Alone;

/// A peer whose group has another member.
struct WithAnother : Alone {
  WithAnother() {
    come_in(seconds(1));
    admit(other);
    tick(wakes().time_since_epoch());
    answer(milliseconds(1300), true);
  }
  void admit(const PeerInstance& life) {
    snapshot.view = admission(snapshot, {life.id, life.incarnation, "", false}, "naimi-trehel",
                              Membership::dynamic);
  }
  void evict(Duration time, std::set<PeerInstance> those) {
    at(time, [&](auto& group_member, auto& out) { group_member.evict(those, out); });
  }
  bool proposes_without_other() const {
    return asks_for<Propose>() &&
           !std::get<Propose>(asks.back().question).view.roster.contains(other);
  }

  const PeerInstance other{NodeId{2}, Incarnation{7}};
};

TEST(LeasedMember, WhomSomebodyWantsOutIsPutOutThoughTheViewMovesMeanwhile) {
  WithAnother peer;
  peer.evict(milliseconds(1310), {peer.other});
  ASSERT_TRUE(peer.proposes_without_other());
  peer.admit({NodeId{3}, Incarnation{8}});
  peer.answer(milliseconds(1320), false);
  peer.tick(peer.wakes().time_since_epoch());
  ASSERT_TRUE(peer.proposes_without_other()) << "again";
  EXPECT_EQ(std::get<Propose>(peer.asks.back().question).view.number, peer.snapshot.view.number + 1)
      << "and against the newest view";
  peer.answer(milliseconds(1330), true);
  peer.tick(peer.wakes().time_since_epoch());
  EXPECT_FALSE(peer.asks_for<Propose>()) << "once is enough";
}

TEST(LeasedMember, WhomSomebodyWantsOutIsPutOutThoughItHasJustProposedSomethingElse) {
  WithAnother peer;
  peer.at(milliseconds(1305),
          [](auto& group_member, auto& out) { group_member.force_open("a", out); });
  peer.evict(milliseconds(1310), {peer.other});
  EXPECT_TRUE(peer.proposes_without_other());
}

TEST(LeasedMember, NobodyIsPutOutWhomNobodyWantsOutAnyMore) {
  WithAnother peer;
  peer.evict(milliseconds(1310), {peer.other});
  std::vector<RegisterRequest> asked = peer.asks;
  peer.evict(milliseconds(1315), {});
  peer.asks = asked;
  peer.admit({NodeId{3}, Incarnation{8}});
  peer.answer(milliseconds(1320), false);
  peer.tick(peer.wakes().time_since_epoch());
  EXPECT_FALSE(peer.asks_for<Propose>());
}

TEST(LeasedMember, ForcesALockOpenAndSaysWhenItIs) {
  Alone peer;
  peer.come_in(seconds(1));
  peer.request(milliseconds(1100));
  peer.at(milliseconds(1100),
          [](auto& group_member, auto& out) { group_member.force_open("a", out); });
  ASSERT_TRUE(peer.asks_for<Propose>());
  EXPECT_FALSE(peer.is_told<LockLost>()) << "not before it is accepted";
  std::vector<RegisterRequest> refused = peer.asks;
  peer.answer(milliseconds(1110), false);
  peer.tick(peer.wakes().time_since_epoch());
  ASSERT_TRUE(peer.asks_for<Propose>()) << "again";
  const View& view = std::get<Propose>(peer.asks.back().question).view;
  EXPECT_EQ(view.forced, (std::vector{Forced{"a", Epoch{2}}}));
  peer.answer(milliseconds(1300), true);
  ASSERT_EQ(peer.events.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<LockLost>(peer.events[0]));
  EXPECT_EQ(std::get<Opened>(peer.events[1]), (Opened{"a", Epoch{2}}));
  peer.request(milliseconds(1300));
  EXPECT_TRUE(peer.is_told<Granted>());
  peer.tick(peer.wakes().time_since_epoch());
  EXPECT_FALSE(peer.asks_for<Propose>()) << "once is enough";
}

TEST(LeasedMember, IfSomebodyElseForcesTheSameLockOpenThatWillDo) {
  Alone peer;
  peer.come_in(seconds(1));
  peer.at(milliseconds(1100),
          [](auto& group_member, auto& out) { group_member.force_open("a", out); });
  peer.snapshot.view = renewal(peer.snapshot, {NodeId{1}, Incarnation{1}}, {"a"});
  peer.answer(milliseconds(1110), false);
  EXPECT_TRUE(peer.is_told<Opened>());
}

TEST(LeasedMember, AsksForOtherLabelsUntilTheyAreThere) {
  Alone peer;
  peer.come_in(seconds(1));
  auto relabel = [&](Duration time, std::string label) {
    peer.at(time, [&](auto& group_member, auto& out) {
      group_member.relabel({{NodeId{1}, label}}, out);
    });
  };
  relabel(milliseconds(1100), "west");
  ASSERT_TRUE(peer.asks_for<Propose>());
  peer.answer(milliseconds(1110), false);
  peer.tick(peer.wakes().time_since_epoch());
  ASSERT_TRUE(peer.asks_for<Propose>()) << "again";
  peer.answer(milliseconds(1300), true);
  EXPECT_EQ(peer.snapshot.view.roster.begin()->cluster, "west");
  EXPECT_EQ(peer.snapshot.view.epoch, Epoch{2});
  peer.tick(peer.wakes().time_since_epoch());
  EXPECT_FALSE(peer.asks_for<Propose>()) << "once is enough";
  relabel(milliseconds(1400), "west");
  EXPECT_FALSE(peer.asks_for<Propose>()) << "they are as wanted";
}

TEST(LeasedMember, OnlyAMemberForcesLocksOpen) {
  Alone peer;
  peer.at(seconds(1),
          [](auto& group_member, auto& out) { EXPECT_FALSE(group_member.force_open("a", out)); });
  EXPECT_TRUE(peer.asks.empty());
}

}  // namespace conch::recovery::leased_member_wishes_test
