// A handle's life, a sentence of the page at a time.
#include "dho/handle.hpp"

#include <gtest/gtest.h>

#include "dho/testing/situations.hpp"

namespace conch::dho::testing::handle_test {

// Listing 1: calls out of order.

TEST(Listing1, TheSecondRequestTakesThePlaceOfTheFirst) {
  Driven d = reach(Situation::req);
  EXPECT_EQ(d.handle.request(Wish{}, d.out), Status::ok);
  EXPECT_EQ(d.said(), "Cancel");
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "Ask");
  EXPECT_EQ(d.handle.state(), State::req);
}

TEST(Listing1, AReleaseWithoutAcquireCancels) {
  Driven d = reach(Situation::rerequested);
  EXPECT_EQ(d.handle.release(d.out), Status::ok);
  EXPECT_EQ(d.handle.release(d.out), Status::ignored);
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "");
  EXPECT_EQ(d.handle.create("data", d.out), Status::ignored);
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Handle, ARequestBeforeTheWithdrawalIsRemembered) {
  Driven d = reach(Situation::withdrawing);
  d.handle.request(Wish{Mode::read, {}}, d.out);
  d.handle.request(Wish{Mode::write, {}}, d.out);
  EXPECT_EQ(d.handle.acquire(d.out), Status::waiting);
  EXPECT_EQ(d.said(), "");
  d.handle.withdrawn(d.out);
  EXPECT_EQ(d.said(), "Ask");
  d.handle.entered(entry(7, 0, std::nullopt), d.out);
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

// Waiting, and not for ever.

TEST(TimedAcquire, ARequestOutlivesItsDeadline) {
  Driven d = reach(Situation::req);
  EXPECT_EQ(d.handle.acquire(Duration(5), d.out), Status::waiting);
  EXPECT_EQ(d.said(), "Arm");
  d.handle.deadline(d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (timed out)");
  EXPECT_EQ(d.handle.state(), State::req);
  d.handle.entered(entry(7, 100, other), d.out);
  EXPECT_EQ(d.handle.state(), State::grant);
}

TEST(TimedAcquire, ATransferOutlivesItsDeadline) {
  Driven d = reach(Situation::grant);
  EXPECT_EQ(d.handle.acquire(Duration(5), d.out), Status::waiting);
  d.handle.deadline(d.out);
  EXPECT_EQ(d.handle.state(), State::fetch);
  EXPECT_EQ(d.handle.peer(), Peer::req);
  d.handle.receive(other, Data{1, 100}, d.out);
  EXPECT_EQ(d.handle.state(), State::grant);
  d.out.clear();
  EXPECT_EQ(d.handle.acquire(d.out), Status::ok);
  EXPECT_EQ(d.said(), "to 2: GOT v7");
}

TEST(TimedAcquire, InTimeThereIsNoDeadline) {
  Driven d = reach(Situation::req);
  d.handle.acquire(Duration(5), d.out);
  d.out.clear();
  d.handle.entered(entry(7, 0, std::nullopt), d.out);
  EXPECT_EQ(d.said(), "Disarm, Acquired");
  d.handle.deadline(d.out);  // it was on its way
  EXPECT_EQ(d.said(), "");
}

// The data.

TEST(Data, WhatIsHereOrNothingOrNowhereIsNotFetched) {
  Driven d = reach(Situation::unlock);
  for (const Entered& each : {entry(7, 100, self), entry(8, 0, other), entry(8, 9, std::nullopt)}) {
    d.handle.request(Wish{Mode::read, {}}, d.out);
    d.handle.entered(each, d.out);
    d.out.clear();
    EXPECT_EQ(d.handle.acquire(d.out), Status::ok);
    EXPECT_EQ(d.said(), "");
    d.handle.release(d.out);
  }
}

TEST(Data, AWriterMakesTheNextVersionAndKeepsItUntilAnotherWriterHasIt) {
  Driven d = reach(Situation::locked);
  d.handle.resize(50);
  d.handle.release(d.out);
  EXPECT_EQ(d.said(), "Release v8@1 size 50");
  EXPECT_EQ(d.handle.state(), State::unlock);
  DataRef data{8, 50, self};
  d.handle.receive(third, Fetch{9, {}, data}, d.out);
  EXPECT_EQ(d.said(), "to 3: DATA 50 bytes");
  EXPECT_EQ(d.handle.state(), State::unlock);
  d.handle.receive(third, Got{{}, 7}, d.out);  // late, about another version
  EXPECT_EQ(d.handle.state(), State::unlock);
  d.handle.receive(third, Got{{}, 8}, d.out);
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Data, UnlockEndsWhenANewerVersionIsSeenElsewhere) {
  Driven d = reach(Situation::unlock);
  d.handle.request(Wish{}, d.out);
  d.handle.entered(entry(8, 100, other), d.out);
  d.handle.cancel(d.out);
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Data, ARequestGivenUpWhileNewestDataAreHereLeadsBackToUnlock) {
  Driven d = reach(Situation::unlock);
  d.handle.request(Wish{}, d.out);
  d.handle.cancel(d.out);
  EXPECT_EQ(d.handle.state(), State::unlock);
}

TEST(Data, AReaderLeavesThemWhereTheyAre) {
  Driven d = reach(Situation::locked_to_read);
  EXPECT_EQ(d.handle.resize(9), Status::not_held);
  d.handle.release(d.out);
  EXPECT_EQ(d.said(), "Release v7@2 size 100");
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Data, ALockIsNotPassedOnWhileATransferIsUnderWay) {
  for (Situation situation : {Situation::fetch, Situation::fetch_ahead}) {
    Driven d = reach(situation);
    d.handle.cancel(d.out);
    d.handle.request(Wish{Mode::read, {}}, d.out);
    d.out.clear();
    d.handle.receive(other, Data{1, 100}, d.out);
    EXPECT_EQ(d.said(), "Release v7@2 size 100, Ask to read");
  }
}

TEST(Data, TheFenceIsThatOfTheEntry) {
  EXPECT_EQ(reach(Situation::req).handle.fence(), std::nullopt);
  EXPECT_EQ(reach(Situation::grant).handle.fence(), Fence(Epoch{}, 8));
}

// Ranges.

Entered two_places() {
  Baton theirs{Fence(Epoch{}, 3), DataRef{3, 100, other}};
  Baton others{Fence(Epoch{}, 9), DataRef{9, 100, third}};
  return {others, {Part{{10, 20}, theirs}, Part{{20, 30}, others}}};
}

Driven granted_two_places(Mode mode) {
  Driven d = reach(Situation::valid);
  d.handle.request(Wish{mode, {10, 30}}, d.out);
  EXPECT_EQ(d.said(), mode == Mode::read ? "Ask to read [10..30)" : "Ask [10..30)");
  d.handle.entered(two_places(), d.out);
  return d;
}

TEST(Ranges, EveryPartIsFetchedFromItsPlace) {
  Driven d = granted_two_places(Mode::write);
  EXPECT_EQ(d.handle.acquire(d.out), Status::waiting);
  EXPECT_EQ(d.said(), "to 2: FETCH [10..20) v3@2 size 100, to 3: FETCH [20..30) v9@3 size 100");
  d.handle.receive(third, Data{2, 10}, d.out);
  EXPECT_EQ(d.said(), "");
  d.handle.receive(other, Data{1, 10}, d.out);
  EXPECT_EQ(d.said(), "to 2: GOT [10..20) v3, to 3: GOT [20..30) v9, Acquired");
  EXPECT_EQ(d.handle.resize(200), Status::invalid);  // the end of the data is not ours
  d.handle.release(d.out);
  EXPECT_EQ(d.said(), "Release v10@1 size 100");
}

TEST(Ranges, AKeeperKeepsTheRest) {
  Driven d = reach(Situation::unlock);
  d.handle.receive(other, Got{{10, 20}, 7}, d.out);
  EXPECT_EQ(d.handle.state(), State::unlock);
  d.handle.receive(other, Fetch{1, {0, 10}, DataRef{7, 100, self}}, d.out);
  EXPECT_EQ(d.said(), "to 2: DATA 10 bytes");
  d.handle.receive(other, Got{{0, 10}, 7}, d.out);
  d.handle.receive(other, Got{{20, 100}, 7}, d.out);
  EXPECT_EQ(d.handle.state(), State::valid);
}

TEST(Ranges, PartsThatAWriterGivesUpAreBroughtTogether) {
  Driven d = granted_two_places(Mode::write);
  d.handle.cancel(d.out);
  EXPECT_EQ(d.said(), "to 2: FETCH [10..20) v3@2 size 100, to 3: FETCH [20..30) v9@3 size 100");
  EXPECT_EQ(d.handle.state(), State::valid);
  d.handle.receive(other, Data{1, 10}, d.out);
  d.handle.receive(third, Data{2, 10}, d.out);
  EXPECT_EQ(d.said(), "to 2: GOT [10..20) v3, to 3: GOT [20..30) v9, Release v10@1 size 100");
  EXPECT_EQ(d.handle.state(), State::unlock);
}

TEST(Ranges, PartsThatAReaderGivesUpAreNot) {
  Driven d = granted_two_places(Mode::read);
  d.handle.cancel(d.out);
  EXPECT_EQ(d.said(), "Release v3@2 size 100");
}

TEST(Duplicate, IsAMemberOfItsOwnForAPart) {
  Driven d = reach(Situation::valid);
  std::optional<Handle> part = d.handle.duplicate(third, 10, 20, d.out);
  ASSERT_TRUE(part);
  EXPECT_EQ(d.said(), "Join");
  part->joined(d.out);
  EXPECT_EQ(d.said(), "Created");
  part->request(Wish{}, d.out);
  EXPECT_EQ(d.said(), "Ask [10..30)");
  std::optional<Handle> smaller = part->duplicate(NodeId{4}, 15, 20, d.out);
  ASSERT_TRUE(smaller);
  smaller->joined(d.out);
  d.out.clear();
  EXPECT_EQ(smaller->request(Wish{Mode::read, {0, 26}}, d.out), Status::ok);
  EXPECT_EQ(d.said(), "Ask to read [25..26)");
  EXPECT_EQ(smaller->request(Wish{Mode::read, {0, 25}}, d.out), Status::invalid);
}

TEST(Duplicate, OfNothingIsNothing) {
  Driven d = reach(Situation::valid);
  EXPECT_FALSE(d.handle.duplicate(third, 10, 0, d.out));
  for (Situation situation : {Situation::invalid, Situation::departing, Situation::lost}) {
    Driven invalid = reach(situation);
    EXPECT_FALSE(invalid.handle.duplicate(third, 0, 10, invalid.out));
  }
}

// Being thrown out.

TEST(Lost, EndsWhatWaits) {
  Driven d = reach(Situation::blocked);
  d.handle.lost(d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (peer lost)");
  EXPECT_EQ(d.handle.state(), State::lost);
  EXPECT_EQ(d.handle.create("data", d.out), Status::waiting);
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

TEST(Lost, OneWhoWroteKeepsNothingOfIt) {
  Driven d = reach(Situation::unlock);
  d.handle.request(Wish{}, d.out);
  d.handle.entered(entry(7, 100, self), d.out);
  d.handle.acquire(d.out);
  d.handle.lost(d.out);
  d.out.clear();
  d.handle.receive(other, Fetch{1, {}, DataRef{7, 100, self}}, d.out);
  EXPECT_EQ(d.said(), "to 2: ABSENT");
}

TEST(Lost, TornDataFailTheAcquireOnceAndAreThereForTheSecond) {
  Driven d = reach(Situation::fetch);
  d.handle.receive(other, Absent{1, Status::torn}, d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (torn)");
  EXPECT_EQ(d.handle.state(), State::grant);
  EXPECT_EQ(d.handle.acquire(d.out), Status::ok);
}

TEST(Lost, WhatDidNotFitIsFetchedAgain) {
  Driven d = reach(Situation::fetch);
  d.handle.receive(other, Absent{1, Status::no_memory}, d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (no memory)");
  EXPECT_EQ(d.handle.state(), State::grant);
  EXPECT_EQ(d.handle.acquire(d.out), Status::waiting);
  EXPECT_EQ(d.handle.state(), State::fetch);
}

TEST(Lost, WhoIsWarnedIsToldOnceEvenIfThereIsNothingToFetch) {
  Driven d = reach(Situation::blocked);
  d.handle.warn(Status::peer_lost);
  d.handle.entered(entry(7, 0, std::nullopt), d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (peer lost)");
  EXPECT_EQ(d.handle.acquire(d.out), Status::ok);
  EXPECT_EQ(d.handle.release(d.out), Status::ok);
}

TEST(Lost, DataThatAreAbsentFailTheAcquireOnce) {
  Driven d = reach(Situation::fetch);
  d.handle.receive(other, Absent{1}, d.out);
  EXPECT_EQ(d.said(), "AcquireFailed (peer lost)");
  EXPECT_EQ(d.handle.state(), State::grant);
  EXPECT_EQ(d.handle.acquire(d.out), Status::ok);  // to go on with what there is
}

TEST(Lost, OneWhoComesBackIsNoPlaceOfDataAnyMore) {
  Driven d = reach(Situation::lost);
  d.handle.create("data", d.out);
  d.handle.joined(d.out);
  d.handle.request(Wish{}, d.out);
  d.handle.entered(entry(7, 100, self), d.out);
  EXPECT_EQ(d.handle.acquire(d.out), Status::peer_lost);
  EXPECT_EQ(d.handle.acquire(d.out), Status::ok);
}

// A value.

TEST(Handle, ComparesByWhatItIs) {
  EXPECT_EQ(reach(Situation::fetch).handle, reach(Situation::fetch).handle);
  EXPECT_NE(reach(Situation::fetch).handle, reach(Situation::fetch_ahead).handle);
}

}  // namespace conch::dho::testing::handle_test
