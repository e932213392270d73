// Data that travel with their lock, between peers of one process: over Unix sockets the memory is
// passed, over TCP the bytes are streamed.
#include <gtest/gtest.h>

#include <conch/data.hpp>
#include <conch/mutex.hpp>
#include <cstring>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "peer/data_mover.hpp"
#include "peer/engine.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch::data_test {

using peer::ScratchGroup;

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write(Data& data, std::string_view words) {
  ASSERT_EQ(data.request(), Outcome::ok);
  ASSERT_EQ(data.acquire(), Outcome::ok);
  ASSERT_EQ(data.resize(words.size()), Outcome::ok);
  if (!words.empty()) std::memcpy(data.bytes().data(), words.data(), words.size());
  ASSERT_EQ(data.release(), Outcome::ok);
}

std::string read(Data& data, Access access = Access::exclusive) {
  EXPECT_EQ(data.request(access), Outcome::ok);
  EXPECT_EQ(data.acquire(), Outcome::ok);
  std::string words = text(data.bytes());
  EXPECT_EQ(data.release(), Outcome::ok);
  return words;
}

/// Runs over Unix sockets and over TCP.
class DataOver : public testing::TestWithParam<bool> {
 protected:
  PeerOptions options() {
    PeerOptions options = group_.options();
    if (!GetParam()) return options;
    options.tcp_only = true;
    options.listen = {"127.0.0.1:0"};
    return options;
  }
  bool is_streamed() const { return GetParam(); }
  ScratchGroup group_;
};
INSTANTIATE_TEST_SUITE_P(, DataOver, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Tcp" : "Unix"); });

TEST_P(DataOver, TheNextHolderFindsWhatWasWritten) {
  Peer a(options());
  Peer b(options());
  Data at_a(a, "words");
  Data at_b(b, "words");
  EXPECT_EQ(read(at_a), "");
  write(at_a, "one");
  EXPECT_EQ(read(at_b), "one");
  write(at_b, "two words");
  EXPECT_EQ(read(at_a), "two words");
  write(at_a, "");
  EXPECT_EQ(read(at_b), "");
}

TEST_P(DataOver, WhoHasTheCurrentVersionFetchesNothing) {
  Peer a(options());
  Peer b(options());
  Data at_a(a, "words");
  Data at_b(b, "words");
  write(at_a, std::string(100000, 'x'));
  read(at_b);
  const auto& traffic = b.engine().mover().traffic();
  std::uint64_t received = traffic.bytes_received;
  std::uint64_t passed = traffic.passed;
  EXPECT_EQ(received, is_streamed() ? 100000U : 0U);
  EXPECT_EQ(passed, is_streamed() ? 0U : 1U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read(at_b).size(), 100000U);
  EXPECT_EQ(traffic.bytes_received, received);
  if (!is_streamed()) {
    for (int i = 0; i < 3; ++i) write(at_a, "changed in place"), read(at_b);
    EXPECT_EQ(traffic.passed, passed) << "the memory is the same: once passed, never again";
  }
}

TEST_P(DataOver, WhatIsSmallComesWithTheLock) {
  Peer a(options());
  Peer b(options());
  for (bool is_small : {true, false}) {
    std::string name = is_small ? "small" : "large";
    std::string words(wire::enclosure_bytes_max + (is_small ? 0 : 1), 'x');
    Data at_a(a, name);
    Data at_b(b, name, {.copies = 1});
    node::DataStore& store = b.engine().node().data();
    std::uint64_t before = store.enclosures();
    for (int i = 0; i < 3; ++i) {
      write(at_a, words);
      EXPECT_EQ(read(at_b), words);
    }
    EXPECT_EQ(store.enclosures() - before, is_streamed() && is_small ? 3U : 0U);
  }
}

TEST_P(DataOver, APartMovesOnlyItsBytes) {
  Peer a(options());
  Peer b(options());
  Data at_a(a, "words");
  constexpr std::size_t third = 10000;
  std::string first(third, 'a');
  std::string last(third, 'c');
  write(at_a, first + std::string(third, 'b') + last);
  Data whole(b, "words");
  Data part = whole.part(third, third);
  EXPECT_EQ(read(part, Access::shared), std::string(third, 'b'));
  ASSERT_EQ(part.request(), Outcome::ok);
  ASSERT_EQ(part.acquire(), Outcome::ok);
  std::memset(part.bytes().data(), 'B', third);
  EXPECT_EQ(part.resize(5), Outcome::invalid) << "it does not have the end";
  ASSERT_EQ(part.release(), Outcome::ok);
  if (is_streamed()) {
    EXPECT_EQ(b.engine().mover().traffic().bytes_received, 2 * third);
    EXPECT_EQ(b.engine().mover().traffic().bytes_sent, third);
  }
  EXPECT_EQ(read(at_a), first + std::string(third, 'B') + last);
  EXPECT_EQ(read(whole).substr(third - 1, 3), "aBB");
}

TEST_P(DataOver, PrefetchFetchesBeforeAnybodyComes) {
  Peer a(options());
  Peer b(options());
  Data at_a(a, "words");
  write(at_a, std::string(50000, 'x'));
  Data at_b(b, "words", {.prefetch = true});
  ASSERT_EQ(at_b.request(), Outcome::ok);
  while (at_b.progress().moved < 50000) std::this_thread::yield();
  EXPECT_EQ(at_b.progress().total, 50000U);
  EXPECT_EQ(at_b.acquire(), Outcome::ok);
  EXPECT_EQ(at_b.bytes().size(), 50000U);
  EXPECT_EQ(at_b.release(), Outcome::ok);
}

TEST_P(DataOver, CopiesAreElsewhereWhenReleaseReturns) {
  Peer a(options());
  Peer b(options());
  Peer c(options());
  Data at_a(a, "words", {.copies = 2});
  write(at_a, "kept");
  for (Peer* each : {&b, &c}) {
    peer::Guard guard = each->engine().guard();
    EXPECT_NE(each->engine().node().data().version("words"), 0U);
  }
  for (const std::string& words : {std::string("kept again"), std::string(100000, 'x')}) {
    write(at_a, words);
    Data at_c(c, "words");
    EXPECT_EQ(read(at_c), words);
  }
}

TEST_P(DataOver, WhoLeavesGivesTheDataToAnHeir) {
  Peer b(options());
  {
    Peer a(options());
    Data at_a(a, "words");
    write(at_a, "inherited");
  }
  Data at_b(b, "words");
  EXPECT_EQ(read(at_b), "inherited");
}

TEST_P(DataOver, WhoLeavesWhileAnotherHasTheLockInGrantLeavesTheDataBehind) {
  Peer b(options());
  Data at_b(b, "words");
  {
    Peer a(options());
    Data at_a(a, "words");
    write(at_a, "inherited");
    ASSERT_EQ(at_b.request(), Outcome::ok);
    while (at_b.state() != HandleState::grant) std::this_thread::yield();
  }
  EXPECT_EQ(at_b.acquire(), Outcome::ok);
  EXPECT_EQ(text(at_b.bytes()), "inherited");
  at_b.release();
}

TEST_P(DataOver, AllLeaveAtOnce) {
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 4; ++i) peers.push_back(std::make_unique<Peer>(options()));
  for (auto& each : peers) {
    Data data(*each, "words");
    write(data, std::string(1000, 'x'));
  }
  std::vector<std::jthread> threads;
  for (auto& each : peers) threads.emplace_back([&each] { each.reset(); });
}

TEST_P(DataOver, ACancelledTransferLetsTheLockGoOn) {
  Peer a(options());
  Peer b(options());
  Data at_a(a, "words");
  write(at_a, std::string(std::size_t{64} << 20, 'x'));
  Data at_b(b, "words");
  ASSERT_EQ(at_b.request(), Outcome::ok);
  std::jthread waits([&] {
    Outcome outcome = at_b.acquire();
    bool was_early = outcome == Outcome::not_requested;
    EXPECT_TRUE(was_early || outcome == Outcome::cancelled || outcome == Outcome::ok);
  });
  while (at_b.state() == HandleState::req) std::this_thread::yield();
  Outcome outcome = at_b.cancel();
  waits.join();
  if (outcome == Outcome::busy) at_b.release();
  EXPECT_EQ(read(at_a).size(), std::size_t{64} << 20);
}

TEST(Data, AMutexOfTheSameNameLeavesTheDataAlone) {
  ScratchGroup group;
  Peer a(group.options());
  Peer b(group.options());
  Data at_a(a, "words");
  write(at_a, "untouched");
  Mutex mutex(b, "words");
  { std::scoped_lock guard(mutex); }
  EXPECT_EQ(read(at_a), "untouched");
}

/// The peer's own thread is busy and does not notice. The register, elsewhere, cannot tell it.
TEST(Data, WhoseLeaseIsOverHasTheLockNoMore) {
  using namespace std::chrono_literals;
  ScratchGroup group;
  PeerOptions options = group.options();
  options.lease = 1s;
  options.listen = {"127.0.0.1:0"};
  Peer keeper(options);
  ScratchGroup elsewhere;
  PeerOptions remote = elsewhere.options();
  remote.listen = options.listen;
  remote.join = keeper.listens();
  remote.tcp_only = true;
  Peer peer(remote);
  Data data(peer, "words");
  std::promise<void> has_looked;
  ASSERT_EQ(data.request(), Outcome::ok);
  ASSERT_EQ(data.acquire(), Outcome::ok);
  {
    auto guard = peer.engine().guard();
    peer.engine().call_later([&] { has_looked.get_future().wait(); });
  }
  auto until = std::chrono::steady_clock::now() + 20s;
  while (data.state() == HandleState::locked && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(data.state(), HandleState::lost);
  has_looked.set_value();
  EXPECT_EQ(data.create("words"), Outcome::ok);
  EXPECT_EQ(read(data), "");
}

TEST(Data, TheCountersOfEightThreadsAddUp) {
  ScratchGroup group;
  Peer a(group.options());
  Peer b(group.options());
  auto work = [](Peer& peer) {
    Data data(peer, "count");
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(data.request(), Outcome::ok);
      EXPECT_EQ(data.acquire(), Outcome::ok);
      if (data.bytes().empty()) data.resize(sizeof(long));
      long count = 0;
      std::memcpy(&count, data.bytes().data(), sizeof count);
      ++count;
      std::memcpy(data.bytes().data(), &count, sizeof count);
      EXPECT_EQ(data.release(), Outcome::ok);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { work(i % 2 == 0 ? a : b); });
  }
  Data data(a, "count");
  std::string bytes = read(data);
  long count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  EXPECT_EQ(count, 800);
}

TEST(Data, ReadersShareWhereTheAlgorithmCan) {
  ScratchGroup group;
  PeerOptions options = group.options();
  options.algorithm = "central";
  Peer a(options);
  Peer b(options);
  Data at_a(a, "words");
  Data at_b(b, "words");
  write(at_a, "shared");
  ASSERT_EQ(at_a.request(Access::shared), Outcome::ok);
  ASSERT_EQ(at_a.acquire(), Outcome::ok);
  EXPECT_EQ(read(at_b, Access::shared), "shared") << "at_a is inside, too";
  EXPECT_EQ(text(at_a.bytes()), "shared");
  EXPECT_EQ(at_a.resize(9), Outcome::not_held);
  EXPECT_EQ(at_a.release(), Outcome::ok);
}

TEST(Data, APersistentGroupBeginsWithWhatItEndedWith) {
  ScratchGroup group;
  PeerOptions options = group.options();
  options.persist = true;
  {
    Peer a(options);
    Data data(a, "words");
    write(data, "not lost");
  }
  Peer b(options);
  Peer c(options);
  Data at_c(c, "words");
  EXPECT_EQ(read(at_c), "not lost");
}

TEST(Data, ADamagedFileIsLeftAlone) {
  ScratchGroup group;
  PeerOptions options = group.options();
  options.persist = true;
  {
    Peer a(options);
    Data data(a, "words");
    write(data, "precious");
  }
  std::filesystem::path file =
      *std::filesystem::directory_iterator(group.folder() + "/state/test/data");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  Peer b(options);
  EXPECT_FALSE(group.log().empty()) << "and that is said";
  Data data(b, "words");
  EXPECT_EQ(read(data), "");
  EXPECT_TRUE(std::filesystem::exists(file));
}

/// Whenever the newcomer comes, it finds the data or nothing; it is never told that data are lost.
TEST(Data, TheLastOneLeavesWhileTheNextOneComes) {
  ScratchGroup group;
  auto leaver = std::make_unique<Peer>(group.options());
  int found = 0;
  for (int i = 0; i < 30; ++i) {
    {
      Data data(*leaver, "words");
      write(data, "words");
    }
    std::unique_ptr<Peer> newcomer;
    std::jthread joins([&] { newcomer = std::make_unique<Peer>(group.options()); });
    bool is_in_time = i % 2 == 0;
    if (is_in_time) joins.join();
    std::this_thread::sleep_for(std::chrono::microseconds(300 * i));  // Otherwise it is on its way.
    leaver->leave();
    if (!is_in_time) joins.join();
    Data data(*newcomer, "words");
    if (!read(data).empty()) ++found;
    leaver = std::move(newcomer);
  }
  EXPECT_GE(found, 15) << "those that were in time";
}

TEST(Data, WhatWasEmptiedStaysEmpty) {
  ScratchGroup group;
  PeerOptions options = group.options();
  options.persist = true;
  for (std::string_view words : {"something", ""}) {
    Peer a(options);
    Data data(a, "words");
    write(data, words);
  }
  Peer b(options);
  Data data(b, "words");
  EXPECT_EQ(read(data), "");
}

TEST(Data, WithoutPersistenceItEnds) {
  ScratchGroup group;
  {
    Peer a(group.options());
    Data data(a, "words");
    write(data, "lost");
  }
  Peer b(group.options());
  Data data(b, "words");
  EXPECT_EQ(read(data), "");
}

/// Another thread cancels what the first one waits for, and makes a new request at once.
TEST(Data, AnAcquireThatWasGivenUpEndsThoughAnotherThreadAsksAnew) {
  ScratchGroup group;
  Peer a(group.options());
  Peer b(group.options());
  Data at_a(a, "words");
  at_a.request();
  ASSERT_EQ(at_a.acquire(), Outcome::ok);
  Data at_b(b, "words");
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(at_b.request(), Outcome::ok);
    std::jthread waits([&] { EXPECT_EQ(at_b.acquire(), Outcome::cancelled); });
    while (at_b.state() != HandleState::blocked) std::this_thread::yield();
    ASSERT_EQ(at_b.cancel(), Outcome::ok);
    ASSERT_EQ(at_b.request(), Outcome::ok);
    waits.join();
    ASSERT_EQ(at_b.cancel(), Outcome::ok);
  }
  EXPECT_EQ(at_a.release(), Outcome::ok);
}

TEST(Data, SizesMoveBothWays) {
  ScratchGroup group;
  Peer a(group.options());
  Data data(a, "words");
  write(data, "abc");
  ASSERT_EQ(data.request(), Outcome::ok);
  ASSERT_EQ(data.acquire(), Outcome::ok);
  EXPECT_EQ(data.resize(1), Outcome::ok);
  EXPECT_EQ(data.resize(4), Outcome::ok);
  EXPECT_EQ(text(data.bytes()), std::string("a\0\0\0", 4)) << "what comes in is zero";
  EXPECT_EQ(data.resize(std::size_t{1} << 50), Outcome::no_memory);
  EXPECT_EQ(data.bytes().size(), 4U);
  EXPECT_EQ(data.release(), Outcome::ok);
}

TEST(Data, FencesIncrease) {
  ScratchGroup group;
  Peer a(group.options());
  Data data(a, "words");
  EXPECT_EQ(data.fence(), 0U);
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    data.request();
    data.acquire();
    EXPECT_GT(data.fence(), last);
    last = data.fence();
    data.release();
  }
}

}  // namespace conch::data_test
