// Tests of what happens to data whose peer leaves, or begins a new life.
#include <gtest/gtest.h>

#include "node/testing/data_store.hpp"

namespace conch::node::testing::data_leaving_test {

TEST_F(DataStoreTest, WhoLeavesFindsAnHeir) {
  write(7, "words");
  store.bequeath(now + 10s, now);
  EXPECT_EQ(asked(), 3u);
  EXPECT_TRUE(question<KeepData>().inherit);
  end(Kind::failed);
  EXPECT_EQ(asked(), 4u);
  EXPECT_FALSE(store.is_bequeathed());
  end(Kind::kept);
  EXPECT_TRUE(store.is_bequeathed());
  EXPECT_NE(store.find("words", 7).block, nullptr) << "the lock still says that they are here";
}

/// Another process of the machine, which shares the memory, holds the lock by then.
TEST_F(DataStoreTest, WhatAnotherBeginsToWriteAsWeLeaveIsNotOursToGive) {
  write(7, "words");
  auto& shared = static_cast<Memory&>(*store.find("words", 7).block);
  auto nothing = [](Memory&) {};
  shared.meanwhile = {nothing, nothing, [](Memory& memory) { memory.begin_writing(9); }};
  store.bequeath(now + 10s, now);
  EXPECT_TRUE(shared.is_written());
  EXPECT_TRUE(begun.empty());
  EXPECT_TRUE(store.is_bequeathed());
}

TEST_F(DataStoreTest, WhatIsAnothersEndsWithNobody) {
  bring(at(4, 7));
  arrive("words");
  known = at(4, 7);
  store.bequeath(now + 10s, now);
  EXPECT_TRUE(store.is_bequeathed());
}

TEST_F(DataStoreTest, WhatWasInheritedIsInheritedAgain) {
  store.keep(life(3), {"words", at(3, 7), true}, Memory::of(7, "words"));
  store.bequeath(now + 10s, now);
  EXPECT_EQ(asked(), 3u);
}

/// The writer of version 8 died with it, so version 7 is the newest again.
TEST_F(DataStoreTest, WhatWasOutdatedAndIsTheNewestAgainIsInherited) {
  write(7, "words");
  store.outdated("words", 7);
  known = at(2, 7);
  store.bequeath(now + 10s, now);
  EXPECT_EQ(asked(), 3u);
  end(Kind::kept);
  EXPECT_TRUE(store.is_bequeathed());
}

TEST_F(DataStoreTest, WhenAllDeclineItInsistsAndThenWaits) {
  see({2, 3});
  write(7, "words");
  store.bequeath(now + 10s, now);
  EXPECT_FALSE(question<KeepData>().insist);
  end(Kind::declined);
  EXPECT_TRUE(question<KeepData>().insist);
  end(Kind::declined);
  EXPECT_EQ(asked(), 0u);
  pass(50ms);
  EXPECT_EQ(asked(), 3u);
}

TEST_F(DataStoreTest, WhoLeavesKeepsForThoseWhoLeaveBeforeIt) {
  write(7, "words");
  store.bequeath(now + 10s, now);
  KeepData m{"verbs", at(1, 9), true, false};
  EXPECT_FALSE(store.accepts(life(1), m));
  m.insist = true;
  EXPECT_TRUE(store.accepts(life(1), m));
  EXPECT_FALSE(store.accepts(life(3), m)) << "that one stays longer";
  end(Kind::kept);
  EXPECT_FALSE(store.accepts(life(1), m));
}

TEST_F(DataStoreTest, InTheEndItLeavesInAnyCase) {
  write(7, "words");
  store.bequeath(now + 10s, now);
  EXPECT_EQ(store.wakes(), now + 10s);
  pass(10s);
  EXPECT_TRUE(store.is_bequeathed());
  EXPECT_TRUE(begun.empty());
}

TEST_F(DataStoreTest, TheLastOneSavesThemAndTheFirstOneHasThem) {
  write(7, "words");
  see({2});
  store.bequeath(now + 10s, now);
  EXPECT_EQ(store.lock_to_end(), "words");
  see({2, 3});
  EXPECT_EQ(store.lock_to_end(), std::nullopt) << "somebody has come";
  EXPECT_FALSE(store.end("words", now));
  EXPECT_TRUE(saved.empty());
  end(Kind::failed);
  see({2});
  EXPECT_TRUE(store.end("words", now));
  EXPECT_TRUE(store.is_bequeathed());
  EXPECT_EQ(saved["words"], "words");

  DataStore next{*this, *this, *this};
  next.live_as(life(3));
  EXPECT_EQ(next.restore("words", 9), at(3, 9));
  EXPECT_EQ(next.restore("verbs", 9), std::nullopt);
  EXPECT_EQ(next.version("words"), 9u);
}

TEST_F(DataStoreTest, ANewLifeBeginsWithNothing) {
  write(7, "words");
  store.live_as({NodeId{2}, Incarnation{2}});
  EXPECT_EQ(store.version("words"), 0u);
  EXPECT_FALSE(store.accepts(life(3), {"words", at(3, 7)})) << "it is in no group yet";
  store.close("words");
}

}  // namespace conch::node::testing::data_leaving_test
