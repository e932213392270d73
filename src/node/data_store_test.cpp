#include "node/data_store.hpp"

#include <gtest/gtest.h>

#include "node/testing/data_store.hpp"

namespace conch::node::testing::data_store_test {

// Fetching.

TEST_F(DataStoreTest, WhomTheLockNamesIsAsked) {
  EXPECT_EQ(bring(at(4, 7)), std::nullopt);
  EXPECT_EQ(asked(), 4u);
  arrive("words");
  EXPECT_EQ(section.how_brought, Status::ok);
  EXPECT_EQ(text(), "words");
  EXPECT_EQ(store.version("words"), 7u);
  EXPECT_EQ(bring(at(4, 7)), Status::ok) << "they are here now";
}

TEST_F(DataStoreTest, WhenThatOneDoesNotHaveThemAllOthersAreAskedOnce) {
  bring(at(4, 7));
  end(Kind::gone);
  for (std::uint64_t other : {3, 5, 1}) {
    EXPECT_EQ(asked(), other);
    EXPECT_EQ(section.how_brought, std::nullopt);
    end(Kind::gone);
  }
  EXPECT_EQ(section.how_brought, Status::peer_lost);
  EXPECT_TRUE(store.is_tidy());
}

TEST_F(DataStoreTest, WhoDoesNotAnswerIsAskedAgain) {
  bring(at(4, 7));
  end(Kind::failed);
  EXPECT_EQ(asked(), 0u);
  pass(19ms);
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(store.wakes(), now + 1ms);
  pass(1ms);
  EXPECT_EQ(asked(), 4u);
}

TEST_F(DataStoreTest, WhileAnEpochBeginsNothingIsLost) {
  works = false;
  bring(at(2, 7));
  for (std::uint64_t other : {3, 4, 5, 1}) {
    EXPECT_EQ(asked(), other);
    end(Kind::gone);
  }
  EXPECT_EQ(section.how_brought, std::nullopt);
  works = true;
  pass(50ms);
  EXPECT_EQ(section.how_brought, Status::peer_lost);
}

TEST_F(DataStoreTest, WhileNobodyHasTheNameTheNextEpochIsWaitedFor) {
  see({1, 2, 3});
  EXPECT_EQ(bring(at(4, 7)), std::nullopt);
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(store.wakes(), Time::max());
  store.move(section, at(3, 6), now);
  EXPECT_EQ(asked(), 3u);
  EXPECT_EQ(question<FetchData>().version, 6u);
}

TEST_F(DataStoreTest, WhatIsNotMeantAnyMoreIsNotTaken) {
  bring(at(4, 7));
  store.move(section, at(3, 6), now);
  arrive("seven");
  EXPECT_EQ(store.version("words"), 0u);
  EXPECT_EQ(asked(), 3u);
}

/// An evicted peer has reported nothing to the next epoch, so its data do not count.
TEST_F(DataStoreTest, NothingIsTakenFromWhoWasPutOut) {
  bring(at(4, 7));
  see({1, 2, 3});
  arrive("words");
  EXPECT_EQ(store.version("words"), 0u);
  EXPECT_EQ(section.how_brought, std::nullopt);
}

TEST_F(DataStoreTest, OtherDataThanThoseAreNotTaken) {
  bring(at(4, 7));
  end({Kind::came, Memory::of(8, "other")});
  EXPECT_EQ(section.how_brought, std::nullopt);
  pass(20ms);
  EXPECT_EQ(asked(), 4u);
}

TEST_F(DataStoreTest, WhatIsTornIsCopiedBeforeAnybodyUsesIt) {
  bring(at(4, 7));
  auto torn = Memory::of(7, "words");
  torn->begin_writing(8);
  end({Kind::came, torn, true});
  CopyData copy = question<CopyData>();
  copy.into->copy(*torn, 5);
  end({Kind::came, copy.into});
  EXPECT_EQ(section.how_brought, Status::torn);
  EXPECT_NE(section.block, torn);
  EXPECT_EQ(text(), "words");
}

TEST_F(DataStoreTest, WhatChangedWhileItWasCopiedIsLookedForAgain) {
  auto shared = Memory::of(7, "words");
  store.keep(life(4), {"words", at(4, 7)}, shared);
  section.writes = true;
  section.copies = 1;
  store.enter(section, at(4, 7));
  EXPECT_EQ(store.bring(section, now), std::nullopt);
  CopyData copy = question<CopyData>();
  shared->finish(8, 5);
  end({Kind::came, copy.into});
  EXPECT_EQ(section.how_brought, std::nullopt);
  EXPECT_EQ(asked(), 4u);
}

TEST_F(DataStoreTest, WhatCameWithTheLockIsHere) {
  store.take_enclosure({"words", 7, "words"});
  EXPECT_EQ(store.version("words"), 0u);
  EXPECT_EQ(bring(at(4, 7)), Status::ok);
  EXPECT_EQ(text(), "words");
  EXPECT_EQ(store.new_copies().size(), 1u);
}

TEST_F(DataStoreTest, WhatNobodyWantsIsAborted) {
  bring(at(4, 7));
  std::uint64_t number = begun.back().number;
  store.cancel(section);
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(store.make_room(number), nullptr);
  store.ended(number, {Kind::came, Memory::of(7, "words")}, now);
  EXPECT_EQ(store.version("words"), 0u);
  EXPECT_EQ(section.how_brought, std::nullopt);
}

// Leaving.

TEST_F(DataStoreTest, AsManyOthersHaveACopyAsWerePromised) {
  section.copies = 2;
  write(7, "words");
  EXPECT_EQ(asked(), 3u);
  end(Kind::kept);
  EXPECT_EQ(asked(), 4u);
  end(Kind::declined);
  EXPECT_EQ(asked(), 5u);
  end(Kind::kept);
  EXPECT_EQ(section.how_left, Status::ok);
  EXPECT_EQ(store.put_down(section), at(2, 7));
}

TEST_F(DataStoreTest, WhatIsBeingCopiedIsWhatTheLockTellsOf) {
  section.copies = 1;
  write(7, "words");
  EXPECT_EQ(section.how_left, std::nullopt);
  EXPECT_EQ(section.now_told, at(2, 7));
}

TEST_F(DataStoreTest, WhoHasACopyAndGoesDoesNotCount) {
  section.copies = 2;
  write(7, "words");
  end(Kind::kept);
  see({1, 2, 4});
  end(Kind::kept);
  EXPECT_EQ(section.how_left, std::nullopt);
  EXPECT_EQ(asked(), 1u);
}

TEST_F(DataStoreTest, AllAreEnoughIfTheyAreFewer) {
  see({2, 3});
  section.copies = 2;
  write(7, "words");
  end(Kind::failed);
  EXPECT_EQ(section.how_left, std::nullopt);
  pass(50ms);
  EXPECT_EQ(asked(), 3u);
  end(Kind::kept);
  EXPECT_EQ(section.how_left, Status::ok);
}

TEST_F(DataStoreTest, WithoutTheLockNothingIsWritten) {
  store.enter(section, {});
  store.resize(section, 0, 5);
  section.has_lock = false;
  EXPECT_EQ(store.leave(section, at(2, 7), false, now), Status::peer_lost);
  EXPECT_EQ(store.version("words"), 0u);
}

TEST_F(DataStoreTest, WithoutTheLockNothingIsBegun) {
  bring(at(4, 7));
  auto shared = Memory::of(7, "words");
  end({Kind::came, shared});
  section.has_lock = false;
  EXPECT_FALSE(store.begin(section, 8, 5));
  EXPECT_FALSE(shared->is_written());
  EXPECT_EQ(section.block, nullptr);
}

TEST_F(DataStoreTest, WhatAnotherWritesIsNotBegun) {
  bring(at(4, 7));
  auto shared = Memory::of(7, "words");
  end({Kind::came, shared});
  shared->begin_writing(9);
  EXPECT_FALSE(store.begin(section, 8, 5));
  EXPECT_TRUE(shared->is_written());
}

TEST_F(DataStoreTest, WhoLosesTheLockAsItBeginsLeavesNoMark) {
  bring(at(4, 7));
  auto shared = Memory::of(7, "words");
  end({Kind::came, shared});
  section.asked_before_lost = 1;
  EXPECT_FALSE(store.begin(section, 8, 5));
  EXPECT_TRUE(shared->has(7));
}

/// The holder checked its lease, and was stopped before it set its mark. Then others have written.
TEST_F(DataStoreTest, WhoLosesTheLockAsItBeginsLeavesWhatOthersHaveWrittenSince) {
  bring(at(4, 7));
  auto shared = Memory::of(7, "words");
  end({Kind::came, shared});
  shared->finish(9, 6);
  section.asked_before_lost = 1;
  EXPECT_FALSE(store.begin(section, 8, 5));
  EXPECT_TRUE(shared->has(9));
  EXPECT_EQ(shared->size(), 6u);
}

/// Another process writes while this peer checks whether it can report the data.
TEST_F(DataStoreTest, WhatChangesAsItIsReportedIsReportedNextTime) {
  bring(at(4, 7));
  auto shared = Memory::of(7, "words");
  end({Kind::came, shared});
  auto nothing = [](Memory&) {};
  shared->meanwhile = {nothing, [](Memory& memory) { memory.finish(9, 6); }};
  EXPECT_TRUE(store.new_copies().empty());
  shared->meanwhile.clear();
  std::vector<recovery::ArrivedData> copies = store.new_copies();
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].data, at(2, 9, 6));
}

/// A reader checks after reading whether the bytes were whole. Here a writer is at work during the
/// read, and ends between the two looks of that check.
TEST_F(DataStoreTest, ABlockThatWasWrittenWhileItWasReadHasNotWhatItHad) {
  auto shared = Memory::of(7, "words");
  shared->begin_writing(9);
  shared->meanwhile = {[](Memory&) {}, [](Memory& memory) { memory.finish(9, 5); }};
  EXPECT_FALSE(shared->has(7));
}

TEST_F(DataStoreTest, WhatChangesAsItIsReadIsNotEnclosed) {
  auto shared = Memory::of(7, "words");
  store.keep(life(4), {"words", at(4, 7)}, shared);
  store.enclose(life(3), "words", at(4, 7));
  EXPECT_EQ(sent, std::vector{life(3)});
  auto nothing = [](Memory&) {};
  shared->meanwhile = {nothing, [](Memory& memory) { memory.begin_writing(8); }};
  store.enclose(life(3), "words", at(4, 7));
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(DataStoreTest, APartGoesBackToWhereTheRestIs) {
  section.window = {1, 3};
  bring(at(4, 7));
  arrive("or");
  ASSERT_TRUE(section.is_partial);
  EXPECT_EQ(store.version("words"), 0u) << "this is not the whole";
  EXPECT_EQ(store.leave(section, at(2, 8), false, now), std::nullopt);
  EXPECT_EQ(asked(), 4u);
  EXPECT_EQ(question<PatchData>().version, 7u);
  end(Kind::failed);
  pass(50ms);
  end(Kind::kept);
  EXPECT_EQ(section.how_left, Status::ok);
  EXPECT_EQ(store.put_down(section), at(4, 8));
}

TEST_F(DataStoreTest, APartWhoseRestIsLostIsNotLeftAnywhere) {
  section.window = {1, 3};
  bring(at(4, 7));
  arrive("or");
  store.leave(section, at(2, 8), false, now);
  end(Kind::failed);
  store.move(section, {}, now);
  EXPECT_EQ(section.how_left, Status::peer_lost);
  EXPECT_EQ(store.put_down(section), std::nullopt);
}

/// An epoch has found nothing newer than version 6, which may have another size.
TEST_F(DataStoreTest, APartIsNotPutIntoAnotherVersion) {
  section.window = {1, 3};
  bring(at(4, 7));
  arrive("or");
  store.move(section, at(3, 6, 9), now);
  EXPECT_EQ(store.leave(section, at(2, 8), false, now), Status::peer_lost);
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(store.put_down(section), std::nullopt);
}

/// The keeper took the part, and an epoch found it there before the answer came.
TEST_F(DataStoreTest, APartThatAnEpochFoundIsOfferedOnceMore) {
  section.window = {1, 3};
  bring(at(4, 7));
  arrive("or");
  store.leave(section, at(2, 8), false, now);
  end(Kind::failed);
  store.move(section, at(4, 8), now);
  EXPECT_EQ(question<PatchData>().version, 8u);
  end(Kind::kept);
  EXPECT_EQ(section.how_left, Status::ok);
}

TEST_F(DataStoreTest, APatchLeavesNoBytesThatNobodyWrote) {
  using Answer = DataStore::PatchAnswer;
  store.keep(life(3), {"words", at(3, 7)}, Memory::of(7, "words"));
  EXPECT_EQ(store.patch(life(4), {"words", 7, at(2, 8, 9), {1, 3}}, "--"), Answer::declined);
  EXPECT_EQ(store.patch(life(4), {"words", 7, at(2, 8, 9), {6, 9}}, "---"), Answer::declined);
  EXPECT_EQ(store.patch(life(4), {"words", 7, at(2, 8, 3), {1, 2}}, "-"), Answer::declined);
  EXPECT_EQ(store.patch(life(4), {"words", 7, at(2, 8, 7), {5, 7}}, "--"), Answer::kept);
  EXPECT_EQ(store.patch(life(4), {"words", 8, at(2, 9, 3), {2, 3}}, "-"), Answer::kept);
  EXPECT_EQ(store.find("words", 9).block->text(3), "wo-");
}

TEST_F(DataStoreTest, WhoGaveTheDataIsToldThatTheyAreOld) {
  bring(at(4, 7));
  arrive("words");
  store.leave(section, at(2, 8), false, now);
  EXPECT_EQ(store.put_down(section), at(2, 8));
  EXPECT_EQ(sent, std::vector<PeerInstance>{life(4)});
}

TEST_F(DataStoreTest, WhoEmptiesThemLeavesNothing) {
  write(7, "words");
  saved["words"] = "words";
  store.enter(section, at(2, 7));
  EXPECT_EQ(store.leave(section, at(2, 8, 0), false, now), Status::ok);
  EXPECT_EQ(store.put_down(section), (DataRef{8, 0, std::nullopt}));
  EXPECT_TRUE(saved.empty());
}

// Requests of other peers.

TEST_F(DataStoreTest, OnlyMembersGiveSomethingToKeep) {
  KeepData m{"words", at(3, 7)};
  EXPECT_TRUE(store.accepts(life(3), m));
  EXPECT_FALSE(store.keep(life(6), m, Memory::of(7, "words")));
  EXPECT_FALSE(store.keep(life(3), m, Memory::of(6, "words"))) << "it is something else";
  EXPECT_TRUE(store.keep(life(3), m, Memory::of(7, "words")));
  EXPECT_EQ(store.version("words"), 7u);
  EXPECT_TRUE(store.has_news());
  EXPECT_TRUE(store.keep(life(3), {"words", at(3, 5)}, Memory::of(5, "words")));
  EXPECT_EQ(store.version("words"), 7u) << "what is older does not replace it";
}

/// A reader of this peer is using the data.
TEST_F(DataStoreTest, WhatIsHereAlreadyStaysWhereItIs) {
  section.writes = false;
  bring(at(4, 7));
  arrive("words");
  std::shared_ptr<Block> in_use = section.block;
  KeepData m{"words", at(3, 7), true};
  EXPECT_EQ(store.make_room(m), nullptr);
  EXPECT_TRUE(store.keep(life(3), m, nullptr));
  EXPECT_TRUE(store.keep(life(3), m, Memory::of(7, "words")));
  EXPECT_EQ(store.find("words", 7).block, in_use);
  store.bequeath(now + 10s, now);
  EXPECT_EQ(asked(), 3u) << "but this peer answers for them now";
}

/// The holder may lose the lock and leave the data as they were.
TEST_F(DataStoreTest, WhatIsOlderDoesNotReplaceWhatAHolderWritesOn) {
  bring(at(4, 7));
  arrive("words");
  ASSERT_TRUE(store.begin(section, 9, 5));
  KeepData older{"words", at(3, 5), true};
  EXPECT_EQ(store.make_room(older), nullptr);
  EXPECT_TRUE(store.keep(life(3), older, Memory::of(5, "older")));
  section.block->finish(7, 5);
  EXPECT_EQ(store.version("words"), 7u);
  EXPECT_EQ(store.find("words", 5).block, nullptr);
}

/// Both readers asked for the data at the same time.
TEST_F(DataStoreTest, WhatOneReaderUsesIsNotFilledForTheNext) {
  section.writes = false;
  Section second;
  second.writes = false;
  bring(at(4, 7));
  store.enter(second, at(4, 7));
  store.bring(second, now);
  arrive("words");
  arrive("words");
  ASSERT_TRUE(section.block && second.block);
  store.make_room(KeepData{"words", at(3, 8)})->fill("other", 0);
  EXPECT_EQ(section.block->text(5) + second.block->text(5), "wordswords");
  store.cancel(second);
}

TEST_F(DataStoreTest, APatchThatWasTakenIsTakenOnce) {
  using Answer = DataStore::PatchAnswer;
  store.keep(life(3), {"words", at(3, 7)}, Memory::of(7, "words"));
  PatchData m{"words", 7, at(2, 8), {1, 3}};
  EXPECT_EQ(store.accepts(life(6), m), Answer::declined);
  EXPECT_EQ(store.accepts(life(4), m), Answer::go_on);
  works = false;
  EXPECT_EQ(store.patch(life(4), m, "--"), Answer::later) << "the next epoch knows of version 7";
  works = true;
  EXPECT_EQ(store.patch(life(4), m, "--"), Answer::kept);
  EXPECT_EQ(store.find("words", 8).block->text(5), "w--ds");
  EXPECT_EQ(store.accepts(life(4), m), Answer::kept);
  EXPECT_EQ(store.accepts(life(4), PatchData{"words", 7, at(2, 9), {1, 3}}), Answer::declined);
}

/// Another holder may have the lock by now, and rely on the version that is here.
TEST_F(DataStoreTest, NothingIsTakenFromWhoHeldTheLockBeforeItWasForcedOpen) {
  using Answer = DataStore::PatchAnswer;
  std::uint64_t before = Fence(Epoch{4}, 1).number();
  std::uint64_t held = Fence(Epoch{4}, 2).number();
  store.keep(life(3), {"words", at(3, before)}, Memory::of(before, "words"));
  PatchData patch{"words", before, at(2, held), {1, 3}};
  EXPECT_EQ(store.accepts(life(4), patch), Answer::go_on);
  EXPECT_TRUE(store.accepts(life(4), KeepData{"words", at(4, held)}));
  see({1, 2, 3, 4, 5}, {{"words", Epoch{5}}});
  see({1, 2, 3, 4, 5});  // The name leaves the views when every member has heard it.
  EXPECT_EQ(store.patch(life(4), patch, "--"), Answer::declined);
  EXPECT_FALSE(store.accepts(life(4), KeepData{"words", at(4, held)}));
  EXPECT_TRUE(store.accepts(life(4), KeepData{"words", at(4, held), true})) << "of one that leaves";
  EXPECT_EQ(store.find("words", before).block->text(5), "words");
  std::uint64_t next = Fence(Epoch{5}, 1).number();
  EXPECT_EQ(store.patch(life(4), {"words", before, at(2, next), {1, 3}}, "--"), Answer::kept);
}

TEST_F(DataStoreTest, WhatIsOutdatedIsKeptForHandlesAlone) {
  write(7, "words");
  store.outdated("words", 7);
  EXPECT_EQ(store.version("words"), 7u);
  store.close("words");
  EXPECT_EQ(store.version("words"), 0u);
}

}  // namespace conch::node::testing::data_store_test
