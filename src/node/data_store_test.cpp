#include "node/data_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace conch::node::data_store_test {

using namespace std::chrono_literals;
using recovery::Incarnation;
using recovery::Member;
using recovery::Roster;
using Status = dho::Status;
using Kind = TransferEnd::Kind;

class Memory final : public Block {
 public:
  Memory() : identity_(++made) {}
  static std::shared_ptr<Memory> of(std::uint64_t version, const std::string& text) {
    auto memory = std::make_shared<Memory>();
    memory->bytes_ = text;
    memory->finish(version, text.size());
    return memory;
  }

  std::uint64_t version() const override { return version_; }
  std::uint64_t size() const override { return size_; }
  bool is_written() const override { return writer_ != 0; }
  bool is_private() const override { return true; }
  std::uint64_t identity() const override { return identity_; }
  void clear() override { version_ = 0; }
  void begin_writing(std::uint64_t mark) override { writer_ = mark; }
  void finish(std::uint64_t version, std::uint64_t size) override {
    version_ = version;
    size_ = size;
    writer_ = 0;
  }
  void reserve(std::uint64_t capacity) override {
    bytes_.resize(std::max<std::size_t>(bytes_.size(), capacity));
  }
  std::string text(std::uint64_t size) override { return bytes_.substr(0, size); }
  void fill(std::string_view bytes, std::uint64_t at) override {
    reserve(at + bytes.size());
    bytes_.replace(at, bytes.size(), bytes);
  }
  void copy(Block& from, std::uint64_t size) override { fill(from.text(size), 0); }
  void zero(std::uint64_t begin, std::uint64_t end) override {
    fill(std::string(end - begin, '\0'), begin);
  }

 private:
  static inline std::uint64_t made = 0;
  std::uint64_t identity_;
  std::uint64_t version_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t writer_ = 0;
  std::string bytes_;
};

struct Section final : DataSection {
  Section() { lock = "words"; }
  std::optional<Status> how_brought;
  std::optional<Status> how_left;
  bool has_lock = true;
  void brought(Status status) override { how_brought = status; }
  void left(Status status) override { how_left = status; }
  bool is_in_vain() const override { return !has_lock; }
};

/// A store of peer 2, in a group of five; nothing moves unless the test says so.
class DataStoreTest : public testing::Test, public DataWorld, public LockKnowledge, public Mail {
 protected:
  DataStoreTest() {
    store.live_as(life(2));
    store.open("words");
    see({1, 2, 3, 4, 5});
  }
  static Life life(std::uint64_t id) { return {NodeId{id}, Incarnation{1}}; }
  void see(const std::vector<std::uint64_t>& ids) {
    std::vector<Member> members;
    for (std::uint64_t id : ids) members.push_back({NodeId{id}, Incarnation{1}});
    store.follow_view(Roster(members), now);
  }
  static DataRef at(std::uint64_t id, std::uint64_t version, std::uint64_t size = 5) {
    return {version, size, NodeId{id}};
  }

  /// To whom the last one goes; nobody, if none is under way.
  std::uint64_t asked() const { return begun.empty() ? 0 : begun.back().with.id.value; }
  template <class Question>
  const Question& question() const {
    return std::get<Question>(begun.back().question);
  }
  void end(const TransferEnd& end) {
    std::uint64_t number = begun.back().number;
    begun.pop_back();
    store.ended(number, end, now);
  }
  void end(Kind kind) { end(TransferEnd{kind}); }
  void arrive(const std::string& text) {
    std::shared_ptr<Block> room = store.make_room(begun.back().number);
    room->fill(text, question<FetchData>().range.begin);
    end({Kind::came, room, false, true});
  }
  void pass(Duration time) { store.look_after(now += time); }

  /// Somebody of this peer enters, and is told of these data.
  std::optional<Status> bring(const DataRef& data) {
    store.enter(section, data);
    if (store.bring_at_once(section)) return Status::ok;
    return store.bring(section, now);
  }
  /// This peer has written it, and so answers for it.
  void write(std::uint64_t version, const std::string& text) {
    store.enter(section, {});
    store.resize(section, 0, text.size());
    section.block->fill(text, 0);
    store.leave(section, at(2, version, text.size()), false, now);
  }
  std::string text() const { return section.block->text(5); }

  // What is around it.
  std::shared_ptr<Block> make_block(std::uint64_t) override { return std::make_shared<Memory>(); }
  bool send(const Life& to, std::string_view) override { return sent.push_back(to), true; }
  void log(const std::string&, LogLevel) override {}
  void begin(Transfer transfer) override { begun.push_back(std::move(transfer)); }
  void abort(std::uint64_t number) override {
    std::erase_if(begun, [&](const Transfer& each) { return each.number == number; });
  }
  bool can_enclose(const Life&) const override { return true; }
  void count_data(std::uint64_t, std::uint64_t) override {}
  void save_data(const std::string& lock, Block& block) override {
    saved[lock] = block.text(block.size());
  }
  void forget_saved(const std::string& lock) override { saved.erase(lock); }
  std::vector<std::string> saved_locks() override { return {}; }
  std::shared_ptr<Block> load_data(const std::string& lock, std::uint64_t version) override {
    return saved.contains(lock) ? Memory::of(version, saved[lock]) : nullptr;
  }
  DataRef known_data(const std::string&) const override { return known; }
  bool is_working() const override { return works; }

  Time now{};
  DataStore store{*this, *this, *this};
  Section section;
  std::vector<Transfer> begun;
  std::vector<Life> sent;
  std::map<std::string, std::string> saved;
  DataRef known;
  bool works = true;
};

// How data come.

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

/// It has told the next epoch of nothing, and who was put out counts no more.
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

// How they are left.

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

TEST_F(DataStoreTest, WhoGaveTheDataIsToldThatTheyAreOld) {
  bring(at(4, 7));
  arrive("words");
  store.leave(section, at(2, 8), false, now);
  EXPECT_EQ(store.put_down(section), at(2, 8));
  EXPECT_EQ(sent, std::vector<Life>{life(4)});
}

TEST_F(DataStoreTest, WhoEmptiesThemLeavesNothing) {
  write(7, "words");
  saved["words"] = "words";
  store.enter(section, at(2, 7));
  EXPECT_EQ(store.leave(section, at(2, 8, 0), false, now), Status::ok);
  EXPECT_EQ(store.put_down(section), (DataRef{8, 0, std::nullopt}));
  EXPECT_TRUE(saved.empty());
}

// What others ask.

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

TEST_F(DataStoreTest, WhatIsOutdatedIsKeptForHandlesAlone) {
  write(7, "words");
  store.outdated("words", 7);
  EXPECT_EQ(store.version("words"), 7u);
  store.close("words");
  EXPECT_EQ(store.version("words"), 0u);
}

// Leaving.

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

/// Who wrote the next version was lost with it.
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

}  // namespace conch::node::data_store_test
