// Tests of the life of a handle: listing 1 and table 1 of the paper, and the rules of handle.hpp.
#include "dho/handle.hpp"

#include <gtest/gtest.h>

#include "dho/testing/situations.hpp"

namespace conch::dho::testing::handle_test {

// Listing 1: calls out of order.

TEST(Listing1, TheSecondRequestTakesThePlaceOfTheFirst) {
  Driven d = reach(Situation::req);
  EXPECT_EQ(d.handle.request(Mode::write, d.out), CallStatus::ok);
  EXPECT_EQ(d.said(), "Cancel");
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "Ask");
  EXPECT_EQ(d.handle.state(), State::req);
}

TEST(Listing1, AReleaseWithoutAcquireCancels) {
  Driven d = reach(Situation::rerequested);
  EXPECT_EQ(d.handle.release(d.out), CallStatus::ok);
  EXPECT_EQ(d.handle.release(d.out), CallStatus::ignored);
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "");
  EXPECT_EQ(d.handle.create("data", d.out), CallStatus::ignored);
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Handle, ARequestBeforeTheWithdrawalIsRemembered) {
  Driven d = reach(Situation::withdrawing);
  d.handle.request(Mode::read, d.out);
  d.handle.request(Mode::write, d.out);
  EXPECT_EQ(d.handle.acquire(d.out), CallStatus::waiting);
  EXPECT_EQ(d.said(), "");
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "Ask");
  d.handle.entered(entry(7, 0, false), d.out);
  EXPECT_EQ(d.said(), "Acquired");
}

// Table 1.

TEST(Table1, ThePeerOfEveryState) {
  std::string text;
  for (const auto& [situation, name] : situations) {
    Driven d = reach(situation);
    text += std::string(word(d.handle.state())) + " " + std::string(word(d.handle.peer())) + "\n";
  }
  EXPECT_EQ(text,
            "invalid Exit\ninvalid Exit\ninvalid Exit\ninvalid Exit\nvalid Idle\nunlock Idle\n"
            "valid Idle\nreq Req\nreq Req\ngrant Req\ngrant Req\nblocked Blocked\nfetch Blocked\n"
            "fetch Req\nlocked Locked\nlocked Locked\nlost Exit\n");
}

// Timed acquires.

TEST(TimedAcquire, ARequestOutlivesItsDeadline) {
  Driven d = reach(Situation::req);
  EXPECT_EQ(d.handle.acquire(Duration(5), d.out), CallStatus::waiting);
  EXPECT_EQ(d.said(), "Arm");
  d.handle.deadline(d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (timed out)");
  EXPECT_EQ(d.handle.state(), State::req);
  d.handle.entered(entry(7, 100), d.out);
  EXPECT_EQ(d.handle.state(), State::grant);
}

TEST(TimedAcquire, ATransferOutlivesItsDeadline) {
  Driven d = reach(Situation::grant);
  EXPECT_EQ(d.handle.acquire(Duration(5), d.out), CallStatus::waiting);
  d.handle.deadline(d.out);
  EXPECT_EQ(d.handle.state(), State::fetch);
  EXPECT_EQ(d.handle.peer(), PeerState::req);
  d.handle.brought(CallStatus::ok, d.out);
  EXPECT_EQ(d.handle.state(), State::grant);
  d.out.clear();
  EXPECT_EQ(d.handle.acquire(d.out), CallStatus::ok);
  EXPECT_EQ(d.said(), "");
}

TEST(TimedAcquire, InTimeThereIsNoDeadline) {
  Driven d = reach(Situation::req);
  d.handle.acquire(Duration(5), d.out);
  d.out.clear();
  d.handle.entered(entry(7, 0, false), d.out);
  EXPECT_EQ(d.said(), "Disarm, Acquired");
  d.handle.deadline(d.out);  // it was already on its way
  EXPECT_EQ(d.said(), "");
}

// The data.

TEST(Data, NothingAndWhatIsNowhereIsNotBrought) {
  Driven d = reach(Situation::valid);
  for (const Baton& each : {entry(7, 0), entry(8, 9, false)}) {
    d.handle.request(Mode::read, d.out);
    d.handle.entered(each, d.out);
    d.out.clear();
    EXPECT_EQ(d.handle.acquire(d.out), CallStatus::ok);
    EXPECT_EQ(d.said(), "");
    d.handle.release(d.out);
  }
}

TEST(Data, WhoHoldsToReadDoesNotResize) {
  Driven d = reach(Situation::locked_to_read);
  EXPECT_EQ(d.handle.resize(9), CallStatus::not_held);
  EXPECT_EQ(d.handle.size(), 100u);
}

TEST(Data, UnlockEndsWhenNewestDataAreElsewhere) {
  Driven d = reach(Situation::unlock);
  d.handle.request(Mode::write, d.out);
  d.handle.cancel(d.out);
  EXPECT_EQ(d.handle.state(), State::unlock);
  d.handle.keep(false);
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Data, WhatIsFoundAfterTheyWereLostIsBrought) {
  Driven d = reach(Situation::fetch);
  d.handle.brought(CallStatus::peer_lost, d.out);
  d.handle.moved(entry(9, 50).data);
  d.out.clear();
  EXPECT_EQ(d.handle.acquire(d.out), CallStatus::waiting);
  EXPECT_EQ(d.said(), "Bring");
  d.handle.brought(CallStatus::ok, d.out);
  EXPECT_EQ(d.handle.size(), 50u);
  d.handle.moved(entry(9, 60).data);  // Ignored: the data are here.
  EXPECT_EQ(d.handle.size(), 50u);
}

TEST(Data, WhoGivesUpDoesNotWaitForThem) {
  for (Situation situation : {Situation::fetch, Situation::fetch_ahead}) {
    Driven d = reach(situation);
    d.handle.cancel(d.out);
    d.handle.request(Mode::read, d.out);
    d.out.clear();
    d.handle.brought(CallStatus::torn, d.out);  // It was already on its way.
    EXPECT_EQ(d.said(), "");
    d.handle.entered(entry(8, 0), d.out);
    EXPECT_EQ(d.handle.acquire(d.out), CallStatus::ok);
  }
}

TEST(Data, TheFenceIsThatOfTheEntry) {
  EXPECT_EQ(reach(Situation::req).handle.fence(), std::nullopt);
  EXPECT_EQ(reach(Situation::grant).handle.fence(), Fence(Epoch{}, 8));
}

TEST(Duplicate, IsAMemberOfItsOwnForAPart) {
  Driven d = reach(Situation::valid);
  std::optional<Handle> part = d.handle.duplicate(10, 20, d.out);
  ASSERT_TRUE(part);
  EXPECT_EQ(d.said(), "Join");
  part->joined(d.out);
  EXPECT_EQ(d.said(), "Created");
  EXPECT_EQ(part->window(), (Range{10, 30}));
  std::optional<Handle> smaller = part->duplicate(15, 20, d.out);
  ASSERT_TRUE(smaller);
  EXPECT_EQ(smaller->window(), (Range{25, 30}));
}

TEST(Duplicate, OfNothingIsNothing) {
  Driven d = reach(Situation::valid);
  EXPECT_FALSE(d.handle.duplicate(10, 0, d.out));
  for (Situation situation : {Situation::invalid, Situation::departing, Situation::lost}) {
    Driven invalid = reach(situation);
    EXPECT_FALSE(invalid.handle.duplicate(0, 10, invalid.out));
  }
}

// Expulsion and lost data.

TEST(Lost, EndsWhatWaits) {
  Driven d = reach(Situation::blocked);
  d.handle.lost(d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (peer lost)");
  EXPECT_EQ(d.handle.state(), State::lost);
  EXPECT_EQ(d.handle.create("data", d.out), CallStatus::waiting);
  d.handle.joined(d.out);
  EXPECT_EQ(d.said(), "Join, Created");
}

TEST(Lost, OnTheWayIn) {
  Driven d = reach(Situation::joining);
  d.handle.lost(d.out);
  EXPECT_EQ(d.said(), "CreateFailed (peer lost)");
  EXPECT_EQ(d.handle.state(), State::lost);
}

TEST(Lost, OnTheWayOutAndBack) {
  Driven d = reach(Situation::returning);
  d.handle.lost(d.out);
  EXPECT_EQ(d.said(), "Join");
  EXPECT_EQ(d.handle.state(), State::invalid);
}

TEST(Lost, KeepsNothing) {
  Driven d = reach(Situation::unlock);
  d.handle.lost(d.out);
  d.handle.create("data", d.out);
  d.handle.joined(d.out);
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Lost, TornDataFailTheAcquireOnceAndAreThereForTheSecond) {
  Driven d = reach(Situation::fetch);
  d.handle.brought(CallStatus::torn, d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (torn)");
  EXPECT_EQ(d.handle.state(), State::grant);
  EXPECT_EQ(d.handle.acquire(d.out), CallStatus::ok);
}

TEST(Lost, WhatDidNotFitIsFetchedAgain) {
  Driven d = reach(Situation::fetch);
  d.handle.brought(CallStatus::no_memory, d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (no memory)");
  EXPECT_EQ(d.handle.state(), State::grant);
  EXPECT_EQ(d.handle.acquire(d.out), CallStatus::waiting);
  EXPECT_EQ(d.handle.state(), State::fetch);
}

TEST(Lost, WhoIsWarnedIsToldOnceEvenIfThereIsNothingToFetch) {
  Driven d = reach(Situation::blocked);
  d.handle.warn(CallStatus::peer_lost);
  d.handle.entered(entry(7, 0, false), d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (peer lost)");
  EXPECT_EQ(d.handle.acquire(d.out), CallStatus::ok);
  EXPECT_EQ(d.handle.release(d.out), CallStatus::ok);
}

TEST(Lost, DataThatAreAbsentFailTheAcquireOnce) {
  Driven d = reach(Situation::fetch);
  d.handle.brought(CallStatus::peer_lost, d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (peer lost)");
  EXPECT_EQ(d.handle.state(), State::grant);
  EXPECT_EQ(d.handle.acquire(d.out), CallStatus::ok);  // goes on with what there is
}

// Leaving.

TEST(Departure, WhoWantsNothingLeavesAtOnce) {
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

TEST(Departure, ACreateMeanwhileComesBackAfterwards) {
  Driven d = reach(Situation::returning);
  EXPECT_EQ(d.handle.state(), State::invalid);
  EXPECT_EQ(d.handle.request(Mode::write, d.out), CallStatus::invalid);
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

// A value.

TEST(Handle, ComparesByWhatItIs) {
  EXPECT_EQ(reach(Situation::fetch).handle, reach(Situation::fetch).handle);
  EXPECT_NE(reach(Situation::fetch).handle, reach(Situation::fetch_ahead).handle);
}

}  // namespace conch::dho::testing::handle_test
