// Tests peers without a register as processes: they join through one another, are killed, and
// leave. A ledger checks their fences.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "child_processes.hpp"
#include "ledger.hpp"
#include "overlay/replicas.hpp"
#include "peer/testing/scratch_group.hpp"
#include "shared_page.hpp"

namespace conch::overlay_peers_test {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using conch::testing::Ledger;

/// The timeout for whatever has no bound of its own.
constexpr auto patience = 30s;

class OverlayPeersTest : public ::testing::Test {
 protected:
  OverlayPeersTest() : ledger_(group_.folder() + "/ledger") {}

  /// Sets the options of the first peer, which founds the group; the others only join.
  void choose(const std::string& algorithm, const std::string& dht, unsigned replicas,
              std::chrono::milliseconds lease) {
    founding_ = {"algorithm=" + algorithm, "dht=" + dht, "replicas=" + std::to_string(replicas),
                 "lease=" + std::to_string(lease.count())};
    replicas_ = replicas;
  }
  std::size_t start(bool works) {
    std::size_t seat = started_++;
    std::vector<std::string> words{OVERLAY_WORKER, group_.folder(), std::to_string(seat)};
    if (!works) words.emplace_back("idle");
    if (seat == 0) {
      words.insert(words.end(), founding_.begin(), founding_.end());
    } else {
      // A peer joins through the nearest living one before it: no peer is special.
      std::size_t contact = seat - 1;
      while (dead_.contains(contact)) --contact;
      words.push_back("join=127.0.0.1:" + std::to_string(ledger_->seats[contact].port));
    }
    children_.start(words);
    EXPECT_TRUE(await([&] { return ledger_->seats[seat].port != 0; })) << "peer " << seat;
    return seat;
  }
  void kill(std::size_t seat) {
    dead_.insert(seat);
    EXPECT_TRUE(children_.kill_one(children_.find(ledger_->seats[seat].process, 0)));
  }
  /// Polls every millisecond: a condition on the memory that workers share has nothing to wait for.
  template <class Predicate>
  bool await(Predicate&& is_so, Clock::duration within = patience) {
    auto deadline = Clock::now() + within;
    while (!is_so() && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
    return is_so();
  }

  /// The seat of the node that is nearest to a key, which is its root in Pastry.
  std::size_t root(overlay::Key key) const {
    std::size_t best = 0;
    auto away = [&](std::size_t seat) {
      overlay::Key place{ledger_->seats[seat].id.load()};
      return std::min(overlay::distance(place, key), overlay::distance(key, place));
    };
    for (std::size_t seat = 1; seat < started_; ++seat)
      if (!dead_.contains(seat) && away(seat) < away(best)) best = seat;
    return best;
  }
  std::set<std::size_t> roots(std::uint32_t lock) const {
    Replication terms;
    terms.name = overlay::hash_of_name("ledger-" + std::to_string(lock));
    terms.replicas = replicas_;
    overlay::Replicas replicas(terms);
    std::set<std::size_t> nodes;
    for (overlay::Index i = 0; i < replicas.size(); ++i) nodes.insert(root(replicas.key(i)));
    return nodes;
  }
  /// Starts the work on a lock whose replicas are all on different nodes.
  void begin_work() {
    std::uint32_t lock = 1;
    while (roots(lock).size() < replicas_ && lock < 10'000) ++lock;
    ASSERT_EQ(roots(lock).size(), replicas_);
    ledger_->lock = lock;
  }

  /// Expects that every living worker enters again in time.
  void expect_progress(std::size_t workers, Clock::duration within) {
    std::vector<std::uint64_t> before;
    for (const Ledger::ProcessSlot& seat : ledger_->seats) before.push_back(seat.entries);
    auto began = Clock::now();
    for (std::size_t seat = 0; seat < workers; ++seat) {
      if (dead_.contains(seat)) continue;
      auto left = std::max<Clock::duration>(within - (Clock::now() - began), 0s);
      EXPECT_TRUE(await([&] { return ledger_->seats[seat].entries > before[seat]; }, left))
          << "worker " << seat << " after " << ledger_->seats[seat].entries << " entries";
    }
    auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
    RecordProperty("progress_ms_" + std::to_string(++phases_), static_cast<int>(took.count()));
  }
  /// Expects that no living worker has ever waited for longer.
  void expect_no_gap(std::size_t workers, std::chrono::milliseconds longest) {
    for (std::size_t seat = 0; seat < workers; ++seat) {
      if (dead_.contains(seat)) continue;
      EXPECT_GT(ledger_->seats[seat].longest_ms, 0u);
      EXPECT_LE(ledger_->seats[seat].longest_ms, static_cast<std::uint64_t>(longest.count()))
          << "worker " << seat;
      RecordProperty("longest_ms_" + std::to_string(seat),
                     static_cast<int>(ledger_->seats[seat].longest_ms));
    }
  }
  void expect_end() {
    ledger_->done = true;
    children_.expect_all_end(patience);
    EXPECT_EQ(ledger_->old_fences, 0u);
    EXPECT_EQ(ledger_->overtaken, 0u);
    RecordProperty("accepted", static_cast<int>(ledger_->accepted));
    RecordProperty("refused", static_cast<int>(ledger_->refused));
  }

  peer::ScratchGroup group_;
  testing::SharedPage<Ledger> ledger_;
  testing::ChildProcesses children_;
  std::vector<std::string> founding_;
  unsigned replicas_ = 0;
  std::size_t started_ = 0;
  unsigned phases_ = 0;
  std::set<std::size_t> dead_;
};

TEST_F(OverlayPeersTest, TwelveOfWhomTwoAreKilledAndTwoJoin) {
  constexpr auto lease = 2000ms;
  choose("end-to-end", "pastry", 5, lease);
  constexpr std::size_t workers = 8;
  for (std::size_t i = 0; i < 12; ++i) start(i < workers);
  begin_work();
  expect_progress(workers, patience);

  // Kills a holder of the lock and a node with a replica of it.
  std::set<std::size_t> keepers = roots(ledger_->lock);
  ASSERT_EQ(keepers.size(), 5u);
  ledger_->victim = 3 + 1;
  ASSERT_TRUE(await([&] { return ledger_->caught.load(); }));
  kill(3);
  ledger_->victim = 0;
  keepers.erase(3);
  kill(*keepers.begin());
  expect_progress(workers, patience);

  start(false);
  start(false);
  expect_progress(workers, patience);
  expect_end();
  EXPECT_EQ(dead_.size(), 2u);
  expect_no_gap(workers, patience);
}

class OverlayPeersAlgorithmTest
    : public OverlayPeersTest,
      public ::testing::WithParamInterface<std::pair<std::string, std::string>> {};

TEST_P(OverlayPeersAlgorithmTest, FiveOfWhomTheHolderIsKilledAndOneJoins) {
  choose(GetParam().first, GetParam().second, 3, 1000ms);
  constexpr std::size_t workers = 4;
  for (std::size_t i = 0; i < 5; ++i) start(i < workers);
  ledger_->lock = 1;
  expect_progress(workers, patience);
  ledger_->victim = 1 + 1;
  ASSERT_TRUE(await([&] { return ledger_->caught.load(); }));
  kill(1);
  ledger_->victim = 0;
  start(false);
  expect_progress(workers, patience);
  expect_end();
}

INSTANTIATE_TEST_SUITE_P(All, OverlayPeersAlgorithmTest,
                         ::testing::Values(std::pair("sigma", "pastry"),
                                           std::pair("non-end-to-end", "pastry"),
                                           std::pair("end-to-end", "chord"),
                                           std::pair("sigma", "chord")),
                         [](const auto& info) {
                           std::string name = info.param.first + "_" + info.param.second;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace conch::overlay_peers_test
