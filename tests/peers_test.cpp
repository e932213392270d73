// Tests eight processes with one lock; shared memory detects overlaps.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "child_processes.hpp"
#include "peer/engine.hpp"
#include "peer/testing/scratch_group.hpp"
#include "shared_memory.hpp"
#include "wire/address.hpp"

namespace conch::peers_test {

using namespace std::chrono_literals;
using conch::testing::SharedMemoryFile;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t handovers_wanted = 2'000;
#else
constexpr std::uint64_t handovers_wanted = 20'000;
#endif
constexpr int processes = 8;
constexpr auto patience = 120s;

class PeersTest : public ::testing::Test {
 protected:
  PeersTest() : memory_(group_.folder() + "/arena") {
    memory_->handovers_wanted = handovers_wanted;
    memory_->ready_wanted = processes;
  }

  void start(const std::vector<std::string>& words = {}) {
    std::vector<std::string> arguments{PEER_WORKER, group_.folder(), std::to_string(++seed_)};
    arguments.insert(arguments.end(), words.begin(), words.end());
    workers_.start(arguments);
  }
  template <class Predicate>
  static bool await(Predicate&& has_come) {
    auto deadline = std::chrono::steady_clock::now() + patience;
    while (!has_come() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(1ms);
    return has_come();
  }
  /// Waits until the newest worker has been inside, and then for this many handovers.
  bool await_newest(std::uint64_t handovers) {
    if (!await([&] { return memory_->last_process == workers_.newest(); })) return false;
    std::uint64_t wanted = memory_->handovers + handovers;
    return await([&] { return memory_->handovers >= wanted; });
  }
  /// The address of the only worker, as the view names it to members.
  std::string address_of_the_other() {
    Peer peer(group_.options());
    peer::Guard guard = peer.engine().guard();
    for (const recovery::Member& member : peer.engine().node().group_member().view().roster)
      for (const wire::Way& way : wire::parse_address(member.address).value_or(wire::Ways{}))
        if (const auto* tcp = std::get_if<wire::TcpWay>(&way)) return wire::print(*tcp);
    return "";
  }
  void expect_all_end() { workers_.expect_all_end(patience); }
  void expect_exclusion() {
    EXPECT_EQ(memory_->overlaps, 0u);
    EXPECT_EQ(memory_->stale_fences, 0u);
    EXPECT_GE(memory_->handovers, handovers_wanted);
    EXPECT_GE(memory_->entries, memory_->handovers);
  }

  peer::ScratchGroup group_;
  SharedMemoryFile memory_;
  testing::ChildProcesses workers_;
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

/// A request takes several messages with this algorithm. Without a pause between two entries a
/// worker enters again and again before the requests of others are in its queue.
TEST_F(PeersTest, WithElmp) {
  for (int i = 0; i < processes; ++i) start({"algorithm=elmp", "think"});
  expect_all_end();
  expect_exclusion();
}

/// Workers with an odd seed lock `other` first.
TEST_F(PeersTest, TwoLocksInOppositeOrders) {
  memory_->handovers_wanted = handovers_wanted / 100;
  for (int i = 0; i < processes; ++i) start({"two"});
  expect_all_end();
  EXPECT_EQ(memory_->overlaps, 0u);
  EXPECT_GE(memory_->handovers, handovers_wanted / 100);
}

TEST_F(PeersTest, HalfOfThemLeaveAndRejoin) {
  for (int i = 0; i < processes / 2; ++i) start();
  for (int i = 0; i < processes / 2; ++i) start({"rejoin"});
  expect_all_end();
  expect_exclusion();
  EXPECT_GT(memory_->rejoins, 0u);
}

TEST_F(PeersTest, OneIsKilledEverySecond) {
  memory_->handovers_wanted = ~std::uint64_t{0};
  for (int i = 0; i < processes; ++i) start();
  std::minstd_rand dice(7);
  int killed = 0;
  for (int second = 0; second < 6; ++second) {
    std::this_thread::sleep_for(1s);  // the test's own rhythm: it awaits nothing
    if (workers_.kill_one(dice() % workers_.size())) ++killed;
    start();
  }
  memory_->handovers_wanted = memory_->handovers + 1000;
  expect_all_end();
  EXPECT_EQ(memory_->overlaps, 0u);
  EXPECT_EQ(memory_->stale_fences, 0u);
  EXPECT_GT(memory_->handovers, 1000u);
  EXPECT_EQ(killed, 6);
}

TEST_F(PeersTest, AreReplacedByTheNextReleaseOneByOne) {
  memory_->handovers_wanted = ~std::uint64_t{0};
  memory_->ready_wanted = 4;
  for (int i = 0; i < 4; ++i) start({"tcp"});
  for (int i = 0; i < 4; ++i) {
    workers_.kill_one(0);
    start({"tcp", "speaks=2-3"});
    ASSERT_TRUE(await_newest(100)) << i << " of 4 had been replaced";
  }
  memory_->handovers_wanted = memory_->handovers + 100;
  expect_all_end();
  EXPECT_EQ(memory_->overlaps, 0u);
  EXPECT_EQ(memory_->stale_fences, 0u);
}

TEST_F(PeersTest, DoNotTakeAReleaseThatHasForgottenTheirProtocol) {
  memory_->handovers_wanted = ~std::uint64_t{0};
  memory_->ready_wanted = 2;
  for (int i = 0; i < 2; ++i) start({"tcp"});
  ASSERT_TRUE(await_newest(100));
  std::string errors = group_.folder() + "/errors";
  std::string command =
      std::string(PEER_WORKER) + " " + group_.folder() + " 9 speaks=3-4 2>" + errors;
  EXPECT_NE(std::system(command.c_str()), 0);
  std::string said;
  std::getline(std::ifstream(errors), said);
  EXPECT_NE(said.find("the group speaks versions 1 to 2 of the protocol, this release versions 3 "
                      "to 4; first install a release between the two everywhere"),
            std::string::npos)
      << said;
  EXPECT_TRUE(await_newest(100));
  memory_->handovers_wanted = memory_->handovers.load();
  expect_all_end();
  EXPECT_EQ(memory_->overlaps, 0u);
}

TEST_F(PeersTest, AskNobodyOfAFormerReleaseToRememberALockDelay) {
  memory_->handovers_wanted = ~std::uint64_t{0};
  memory_->ready_wanted = 1;
  start({"tcp", "speaks=1-1"});
  ASSERT_TRUE(await([&] { return memory_->ready == 1; }));
  PeerOptions distant;
  distant.group = "test";
  distant.state_directory = group_.folder() + "/distant";
  distant.join = {address_of_the_other()};
  distant.listen = {"127.0.0.1:0"};
  EXPECT_NO_THROW(Peer{distant});
  distant.lock_delay = 1s;
  distant.admission_patience = 2s;
  try {
    Peer peer(distant);
    ADD_FAILURE() << "somebody was asked";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a release without lock delays"), std::string::npos)
        << error.what();
  }
  memory_->handovers_wanted = 0;
  expect_all_end();
}

}  // namespace conch::peers_test
