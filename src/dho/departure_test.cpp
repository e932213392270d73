// Leaving: nobody is gone while the newest data are nowhere else.
#include <gtest/gtest.h>

#include "dho/testing/situations.hpp"

namespace conch::dho::testing::departure_test {

/// One who leaves has the lock, and has invited the first of the others.
Driven inviting() {
  Driven d = reach(Situation::departing);
  d.handle.entered(entry(7, 100, self), d.out);
  EXPECT_EQ(d.said(), "to 2: INVITE");
  return d;
}

TEST(Departure, WhoKeepsNothingLeavesAtOnce) {
  Driven d = reach(Situation::valid);
  d.handle.destroy(d.out);
  EXPECT_EQ(d.said(), "Leave");
  d.handle.left(d.out);
  EXPECT_TRUE(d.handle.gone());
}

TEST(Departure, AWaiterLeavesWhenItIsOutOfTheQueue) {
  Driven d = reach(Situation::blocked);
  d.handle.destroy(d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (cancelled), Cancel");
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "Leave");
}

TEST(Departure, AnHeirTakesTheDataBeforeTheKeeperLeaves) {
  Driven d = inviting();
  d.handle.receive(other, Accept{1}, d.out);
  EXPECT_EQ(d.said(), "to 2: PUSH v8@2 size 100 100 bytes");
  d.handle.receive(other, Kept{1}, d.out);
  EXPECT_EQ(d.said(), "Release v8@2 size 100, Leave");
}

TEST(Departure, AWriterWhoFetchedSetsTheKeeperFree) {
  Driven d = reach(Situation::departing);
  d.handle.receive(other, Fetch{5, {}, DataRef{7, 100, self}}, d.out);
  d.handle.receive(other, Got{{}, 7}, d.out);
  EXPECT_EQ(d.said(), "to 2: DATA 100 bytes, Cancel");
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "Leave");
}

TEST(Departure, ANewerVersionElsewhereSetsTheKeeperFree) {
  Driven d = reach(Situation::departing);
  d.handle.entered(entry(8, 100, other), d.out);
  EXPECT_EQ(d.said(), "Release v8@2 size 100, Leave");
}

TEST(Departure, WhoDeclinesIsPassedOver) {
  Driven d = inviting();
  d.handle.receive(other, Decline{1}, d.out);
  EXPECT_EQ(d.said(), "to 3: INVITE");
  d.handle.receive(other, Accept{1}, d.out);  // it was not asked any more
  EXPECT_EQ(d.said(), "");
}

TEST(Departure, WhoLeftBeforeTheInvitationCameIsPassedOver) {
  Driven d = inviting();
  d.handle.roster(Members{self, third}, d.out);
  EXPECT_EQ(d.said(), "to 3: INVITE");
}

TEST(Departure, TheLastMembersDataEndWithIt) {
  Driven d = inviting();
  d.handle.roster(Members{self}, d.out);
  EXPECT_EQ(d.said(), "Release v8 size 0, Leave");
}

TEST(Departure, WhenAllLeaveTheLargestIdentifierIsLast) {
  Driven d = inviting();
  d.handle.receive(other, Decline{1}, d.out);
  d.handle.receive(third, Decline{2}, d.out);
  EXPECT_EQ(d.said(), "to 3: INVITE, to 2: INVITE insisting");

  Driven largest(Options{}, NodeId{4});
  largest.handle.create("data", largest.out);
  largest.handle.destroy(largest.out);
  largest.out.clear();
  largest.handle.receive(self, Invite{1, false}, largest.out);
  EXPECT_EQ(largest.said(), "to 1: DECLINE");
  largest.handle.receive(self, Invite{2, true}, largest.out);
  EXPECT_EQ(largest.said(), "to 1: ACCEPT");
  largest.handle.receive(NodeId{5}, Invite{2, true}, largest.out);
  EXPECT_EQ(largest.said(), "to 5: DECLINE");
}

TEST(Departure, TheLastToLeaveDoesNotKeepTheLockFromTheOthers) {
  Driven d = inviting();
  d.handle.receive(other, Decline{1}, d.out);
  d.handle.receive(third, Decline{2}, d.out);
  d.handle.receive(other, Decline{3}, d.out);
  d.out.clear();
  d.handle.receive(third, Decline{4}, d.out);
  EXPECT_EQ(d.said(), "Release v7@1 size 100");
  d.handle.roster(Members{self, third}, d.out);
  EXPECT_EQ(d.said(), "Ask");
}

TEST(Departure, AnHeirIsAKeeper) {
  Driven d = reach(Situation::valid);
  d.handle.receive(other, Invite{3, false}, d.out);
  d.handle.receive(other, Push{3, {}, DataRef{8, 100, self}, 100}, d.out);
  EXPECT_EQ(d.said(), "to 2: ACCEPT, to 2: KEPT");
  EXPECT_EQ(d.handle.state(), State::unlock);
}

TEST(Departure, WhoHasLeftIsNoHeir) {
  Driven d = reach(Situation::valid);
  d.handle.destroy(d.out);
  d.out.clear();
  d.handle.receive(other, Invite{3, true}, d.out);
  d.handle.receive(other, Push{3, {}, DataRef{8, 100, self}, 100}, d.out);
  EXPECT_EQ(d.said(), "to 2: DECLINE, to 2: DECLINE");
}

TEST(Departure, AnInheritanceFromAnEarlierLifeOverwritesNothing) {
  Push push{3, {}, DataRef{6, 100, self}, 100};
  for (Situation situation : {Situation::grant, Situation::locked, Situation::unlock}) {
    Driven d = reach(situation);
    d.handle.receive(other, push, d.out);
    EXPECT_EQ(d.said(), "to 2: DECLINE");
  }
}

TEST(Departure, ACreateMeanwhileComesBackAfterwards) {
  Driven d = reach(Situation::returning);
  EXPECT_EQ(d.handle.test(), State::invalid);
  EXPECT_EQ(d.handle.request(Wish{}, d.out), Status::invalid);
  d.handle.receive(other, Got{{}, 7}, d.out);
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "Cancel, Leave");
  d.handle.left(d.out);
  EXPECT_EQ(d.said(), "Join");
  d.handle.joined(d.out);
  EXPECT_EQ(d.said(), "Created");
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Departure, ADestroyOnTheWayInLeavesAfterwards) {
  Driven d = reach(Situation::joining);
  d.handle.destroy(d.out);
  EXPECT_EQ(d.said(), "CreateFailed (cancelled)");
  d.handle.joined(d.out);
  EXPECT_EQ(d.said(), "Leave");
}

}  // namespace conch::dho::testing::departure_test
