// Eight processes hand over a block of 50 MiB; each checks and changes it.
#include "block.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "child_processes.hpp"
#include "peer/testing/scratch_group.hpp"
#include "shared_page.hpp"

namespace conch::block_test {

using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t handovers_wanted = 50;
constexpr std::size_t block_bytes = std::size_t{4} << 20;
#else
constexpr std::uint64_t handovers_wanted = 500;
constexpr std::size_t block_bytes = std::size_t{50} << 20;
#endif
constexpr int processes = 8;
constexpr auto patience = 200s;

class BlockTest : public ::testing::Test {
 protected:
  BlockTest() : memory_(group_.folder() + "/arena") {
    memory_->handovers_wanted = handovers_wanted;
    memory_->ready_wanted = processes;
  }

  void start(const std::vector<std::string>& words = {}, std::size_t bytes = block_bytes) {
    std::vector<std::string> arguments{BLOCK_WORKER, group_.folder(), std::to_string(bytes)};
    arguments.insert(arguments.end(), words.begin(), words.end());
    workers_.start(arguments);
  }
  void start_all(const std::vector<std::string>& words = {}) {
    for (int i = 0; i < processes; ++i) start(words);
  }
  /// Twenty times, 400 ms apart, kills a worker and starts another one.
  void kill_some(const std::vector<std::string>& words, std::size_t bytes) {
    memory_->handovers_wanted = ~std::uint64_t{0};
    for (int i = 0; i < processes; ++i) start(words, bytes);
    std::minstd_rand dice(3);
    for (int round = 0; round < 20; ++round) {
      std::this_thread::sleep_for(400ms);  // the test's own rhythm: it awaits nothing
      std::size_t any = dice() % workers_.size();
      bool aims = round % 2 == 0;  // at the worker that is or was inside last
      if (workers_.kill_one(aims ? workers_.find(memory_->last_process, any) : any)) ++killed_;
      start(words, bytes);
    }
    memory_->handovers_wanted = memory_->handovers + 50;
    workers_.expect_all_end(patience);
  }

  peer::ScratchGroup group_;
  testing::SharedPage<testing::BlockArena> memory_;
  testing::ChildProcesses workers_;
  int killed_ = 0;
};

TEST_F(BlockTest, TheMemoryIsPassed) {
  start_all();
  workers_.expect_all_end(patience);
  EXPECT_EQ(memory_->wrong_sums, 0u);
  EXPECT_EQ(memory_->torn + memory_->rolled_back, 0u);
  EXPECT_GE(memory_->handovers, handovers_wanted);
  EXPECT_EQ(memory_->releases, memory_->released - 1) << "each counted once";
}

TEST_F(BlockTest, TheBytesAreStreamed) {
  start_all({"tcp"});
  workers_.expect_all_end(patience);
  EXPECT_EQ(memory_->wrong_sums, 0u);
  EXPECT_EQ(memory_->torn + memory_->rolled_back, 0u);
  EXPECT_GE(memory_->handovers, handovers_wanted);
  EXPECT_EQ(memory_->releases, memory_->released - 1) << "each counted once";
}

TEST_F(BlockTest, WithACopyNothingReleasedIsLost) {
  kill_some({"copies=1"}, block_bytes);
  EXPECT_GT(killed_, 10);
  EXPECT_EQ(memory_->versions_lost, 0u);
  EXPECT_EQ(memory_->wrong_sums, 0u);
  EXPECT_EQ(memory_->torn, 0u) << "who dies has worked on a copy";
  EXPECT_EQ(memory_->rolled_back, 0u);
  EXPECT_GT(memory_->releases, 50u);
}

TEST_F(BlockTest, WithACopyNothingReleasedIsLostOverTcp) {
  kill_some({"copies=1", "tcp"}, block_bytes / 5);
  EXPECT_GT(killed_, 10);
  EXPECT_EQ(memory_->versions_lost, 0u);
  EXPECT_EQ(memory_->wrong_sums, 0u);
  EXPECT_EQ(memory_->torn, 0u);
  EXPECT_EQ(memory_->rolled_back, 0u);
  EXPECT_GT(memory_->releases, 50u);
}

TEST_F(BlockTest, WithoutCopiesTornDataAreReported) {
  kill_some({}, block_bytes);
  EXPECT_GT(killed_, 10);
  EXPECT_EQ(memory_->wrong_sums, 0u) << "nobody was handed garbage without being told";
  EXPECT_GT(memory_->torn, 0u);
  EXPECT_GT(memory_->releases, 50u);
}

}  // namespace conch::block_test
