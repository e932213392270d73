// Eight processes, one lock, and an overlap detector in shared memory.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "arena.hpp"
#include "brood.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch {
namespace {

using namespace std::chrono_literals;
using conch::testing::SharedArena;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t handovers_wanted = 2'000;
#else
constexpr std::uint64_t handovers_wanted = 20'000;
#endif
constexpr int processes = 8;
constexpr auto patience = 120s;

class PeersTest : public ::testing::Test {
 protected:
  PeersTest() : arena_(group_.folder() + "/arena") {
    arena_->handovers_wanted = handovers_wanted;
    arena_->ready_wanted = processes;
  }

  void start(const std::vector<std::string>& words = {}) {
    std::vector<std::string> arguments{PEER_WORKER, group_.folder(), std::to_string(++seed_)};
    arguments.insert(arguments.end(), words.begin(), words.end());
    workers_.start(arguments);
  }
  void expect_all_end() { workers_.expect_all_end(patience); }
  void expect_exclusion() {
    EXPECT_EQ(arena_->overlaps, 0u);
    EXPECT_EQ(arena_->stale_fences, 0u);
    EXPECT_GE(arena_->handovers, handovers_wanted);
    EXPECT_GE(arena_->entries, arena_->handovers);
  }

  peer::ScratchGroup group_;
  SharedArena arena_;
  testing::Brood workers_;
  unsigned seed_ = 0;
};

TEST_F(PeersTest, TwentyThousandHandovers) {
  for (int i = 0; i < processes; ++i) start();
  expect_all_end();
  expect_exclusion();
}

TEST_F(PeersTest, OverTcp) {
  for (int i = 0; i < processes; ++i) start({"tcp"});
  expect_all_end();
  expect_exclusion();
}

/// To ask takes several messages there: who does not think between two entries enters again and
/// again before others are in its queue.
TEST_F(PeersTest, WithElmp) {
  for (int i = 0; i < processes; ++i) start({"algorithm=elmp", "think"});
  expect_all_end();
  expect_exclusion();
}

/// Who has an odd seed locks the other one first.
TEST_F(PeersTest, TwoLocksInOppositeOrders) {
  arena_->handovers_wanted = handovers_wanted / 100;
  for (int i = 0; i < processes; ++i) start({"two"});
  expect_all_end();
  EXPECT_EQ(arena_->overlaps, 0u);
  EXPECT_GE(arena_->handovers, handovers_wanted / 100);
}

TEST_F(PeersTest, HalfOfThemLeaveAndRejoin) {
  for (int i = 0; i < processes / 2; ++i) start();
  for (int i = 0; i < processes / 2; ++i) start({"rejoin"});
  expect_all_end();
  expect_exclusion();
  EXPECT_GT(arena_->rejoins, 0u);
}

TEST_F(PeersTest, OneIsKilledEverySecond) {
  arena_->handovers_wanted = ~std::uint64_t{0};
  for (int i = 0; i < processes; ++i) start();
  std::minstd_rand dice(7);
  int killed = 0;
  for (int second = 0; second < 6; ++second) {
    std::this_thread::sleep_for(1s);  // The test's own rhythm: nothing is awaited.
    if (workers_.kill_one(dice() % workers_.size())) ++killed;
    start();
  }
  arena_->handovers_wanted = arena_->handovers + 1000;
  expect_all_end();
  EXPECT_EQ(arena_->overlaps, 0u);
  EXPECT_EQ(arena_->stale_fences, 0u);
  EXPECT_GT(arena_->handovers, 1000u);
  EXPECT_EQ(killed, 6);
}

}  // namespace
}  // namespace conch
