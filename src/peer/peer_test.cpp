// What the public classes promise, with several peers in one process, each with its own sockets.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <conch/shared_mutex.hpp>
#include <conch/ticket.hpp>
#include <filesystem>
#include <future>
#include <latch>
#include <random>
#include <shared_mutex>
#include <thread>

#include "catalog/real_algorithms.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch::peer_test {

using namespace std::chrono_literals;
using peer::ScratchGroup;

class PeerTest : public testing::Test {
 protected:
  std::unique_ptr<Peer> join() { return std::make_unique<Peer>(group_.options()); }
  std::unique_ptr<Peer> join(const std::string& algorithm) {
    PeerOptions options = group_.options();
    options.algorithm = algorithm;
    return std::make_unique<Peer>(options);
  }

  ScratchGroup group_;
};

TEST_F(PeerTest, OneAlone) {
  auto peer = join();
  EXPECT_EQ(peer->algorithm(), "naimi-trehel");
  Mutex mutex(*peer, "deploy");
  std::uint64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    std::scoped_lock guard(mutex);
    EXPECT_TRUE(mutex.holds());
    EXPECT_GT(mutex.fence(), last);
    last = mutex.fence();
  }
}

TEST_F(PeerTest, FencesGoOnWhenTheGroupWasEmpty) {
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    auto peer = join();
    Mutex mutex(*peer, "deploy");
    std::scoped_lock guard(mutex);
    EXPECT_GT(mutex.fence(), last);
    last = mutex.fence();
  }
}

TEST_F(PeerTest, LeavesNoSocketBehind) {
  join();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(group_.folder()))
    EXPECT_FALSE(entry.is_socket()) << entry.path();
}

/// A peer that comes later still finds the earlier ones.
TEST_F(PeerTest, ASocketThatSomebodyRemovedIsMadeAgainAndSaidOnce) {
  auto a = join();
  auto b = join();
  std::filesystem::remove_all(group_.folder() + "/state/test/sockets");
  auto times_said = [&] {
    std::vector<std::string> lines = group_.log();
    return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("this peer's socket was removed") != std::string::npos;
    });
  };
  auto until = std::chrono::steady_clock::now() + 20s;
  while (times_said() < 2 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  auto c = join();
  for (Peer* peer : {a.get(), b.get(), c.get()}) {
    Mutex mutex(*peer, "deploy");
    EXPECT_TRUE(mutex.try_lock_for(5s)) << peer->id();
    mutex.unlock();
  }
  EXPECT_EQ(times_said(), 2) << "once by each of the two";
}

TEST_F(PeerTest, ReenteringAnIdleLockCostsNoMessage) {
  auto a = join();
  auto b = join();
  Mutex at_a(*a, "deploy");
  Mutex at_b(*b, "deploy");
  { std::scoped_lock guard(at_a); }
  { std::scoped_lock guard(at_b); }
  {
    std::scoped_lock guard(at_a);
    Receipt receipt = at_a.receipt();
    EXPECT_GT(receipt.messages_sent + receipt.messages_received, 0u);
    EXPECT_GT(receipt.bytes_received, 0u);
  }
  std::scoped_lock guard(at_a);
  Receipt receipt = at_a.receipt();
  EXPECT_EQ(receipt.messages_sent + receipt.messages_received, 0u);
}

TEST_F(PeerTest, LockingTwiceInOneThreadIsAnError) {
  auto peer = join();
  Mutex mutex(*peer, "deploy");
  std::scoped_lock guard(mutex);
  EXPECT_THROW(mutex.lock(), Error);
  EXPECT_FALSE(mutex.try_lock());
}

TEST_F(PeerTest, UnlockingWhatOneHasNotLockedIsAnError) {
  auto peer = join();
  Mutex mutex(*peer, "deploy");
  EXPECT_THROW(mutex.unlock(), Error);
  EXPECT_THROW(mutex.fence(), Error);
}

TEST_F(PeerTest, BadNamesAreRefused) {
  auto peer = join();
  EXPECT_THROW(Mutex(*peer, ""), Error);
  EXPECT_THROW(Mutex(*peer, std::string(256, 'x')), Error);
  PeerOptions options = group_.options();
  options.algorithm = "paxos";
  EXPECT_THROW(Peer{options}, Error);
}

TEST_F(PeerTest, WhoRunsAnotherAlgorithmIsRefused) {
  auto first = join("elmp");
  EXPECT_EQ(join()->algorithm(), "elmp") << "without a word it runs what the group runs";
  try {
    join("central");
    FAIL() << "it was let in";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("elmp"), std::string::npos) << error.what();
  }
}

/// Runs `threads` threads at each peer, each with `entries` entries, and checks that they exclude
/// each other.
void expect_exclusion(std::vector<std::unique_ptr<Peer>>& peers, int threads, int entries) {
  std::atomic<int> inside = 0;
  std::uint64_t count = 0;
  std::uint64_t last_fence = 0;
  std::vector<std::unique_ptr<Mutex>> mutexes;
  for (auto& peer : peers) mutexes.push_back(std::make_unique<Mutex>(*peer, "counter"));
  std::vector<std::thread> running;
  for (auto& mutex : mutexes)
    for (int i = 0; i < threads; ++i)
      running.emplace_back([&] {
        for (int entry = 0; entry < entries; ++entry) {
          std::scoped_lock guard(*mutex);
          EXPECT_EQ(inside.fetch_add(1), 0);
          ++count;
          EXPECT_GT(mutex->fence(), last_fence);
          last_fence = mutex->fence();
          inside.fetch_sub(1);
        }
      });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(count, peers.size() * static_cast<std::uint64_t>(threads * entries));
}

TEST_F(PeerTest, EveryAlgorithmExcludes) {
  for (const std::string& algorithm : real_algorithms()) {
    SCOPED_TRACE(algorithm);
    ScratchGroup group;
    std::vector<std::unique_ptr<Peer>> peers;
    for (int i = 0; i < 3; ++i) {
      PeerOptions options = group.options();
      options.algorithm = algorithm;
      peers.push_back(std::make_unique<Peer>(options));
    }
    expect_exclusion(peers, 2, 20);
    for (const std::string& line : group.log()) ADD_FAILURE() << line;
  }
}

TEST_F(PeerTest, OverTcp) {
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 3; ++i) {
    PeerOptions options = group_.options();
    options.listen = {"127.0.0.1:0"};
    options.tcp_only = true;
    peers.push_back(std::make_unique<Peer>(options));
  }
  expect_exclusion(peers, 2, 200);
}

TEST_F(PeerTest, FromAnotherMachineThroughAPeer) {
  PeerOptions options = group_.options();
  options.listen = {"127.0.0.1:0"};
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(std::make_unique<Peer>(options));
  ScratchGroup elsewhere;
  for (int i = 0; i < 2; ++i) {
    PeerOptions remote = elsewhere.options();
    remote.listen = {"127.0.0.1:0"};
    remote.join = peers.front()->listens();
    remote.tcp_only = true;
    peers.push_back(std::make_unique<Peer>(remote));
  }
  expect_exclusion(peers, 2, 50);
  while (peers.size() > 1) peers.pop_back();
  try {
    Peer lone(elsewhere.options());
    FAIL() << "there are two groups of one name";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--join"), std::string::npos) << error.what();
  }
}

TEST_F(PeerTest, OppositeOrdersDoNotDeadlock) {
  auto a = join();
  auto b = join();
  auto work = [](Peer& peer, const char* first, const char* second) {
    Mutex one(peer, first);
    Mutex two(peer, second);
    for (int i = 0; i < 50; ++i) std::scoped_lock guard(one, two);
  };
  std::thread forth([&] { work(*a, "left", "right"); });
  std::thread back([&] { work(*b, "right", "left"); });
  forth.join();
  back.join();
}

TEST_F(PeerTest, WhoLosesPatienceLeavesNoTrace) {
  auto a = join();
  auto b = join();
  Mutex at_a(*a, "deploy");
  Mutex at_b(*b, "deploy");
  at_a.lock();
  EXPECT_FALSE(at_b.try_lock());
  EXPECT_FALSE(at_b.try_lock_for(5ms));
  at_a.unlock();
  EXPECT_TRUE(at_b.try_lock_for(10s));
  at_b.unlock();
  EXPECT_TRUE(at_a.try_lock());
  at_a.unlock();
}

TEST_F(PeerTest, ManyTimedAndCancelledAcquires) {
  constexpr int rounds = 1700;  // Two acquires a round at three peers make ten thousand.
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 3; ++i) peers.push_back(join());
  std::atomic<int> obtained = 0;
  std::atomic<int> missed = 0;
  std::vector<std::thread> threads;
  for (auto& peer : peers)
    threads.emplace_back([&, seed = threads.size()] {
      std::minstd_rand dice(static_cast<unsigned>(seed) + 1);
      Mutex mutex(*peer, "deploy");
      for (int i = 0; i < rounds; ++i) {
        bool locked = mutex.try_lock_for(std::chrono::microseconds(dice() % 300));
        ++(locked ? obtained : missed);
        if (locked) mutex.unlock();
        Ticket ticket(*peer, "deploy");
        ticket.request();
        if (dice() % 2 == 0) ticket.cancel();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(obtained, 0);
  EXPECT_GT(missed, 0);
  Mutex last(*peers.front(), "deploy");
  EXPECT_TRUE(last.try_lock_for(30s)) << "somebody left a trace in the queue";
  last.unlock();
}

TEST_F(PeerTest, ATicketIsReadyWhenItsTurnHasCome) {
  auto a = join();
  auto b = join();
  Ticket first(*a, "frame");
  Ticket second(*b, "frame");
  first.request();
  first.acquire();
  EXPECT_TRUE(first.ready());
  second.request();
  EXPECT_FALSE(second.ready());
  EXPECT_FALSE(second.acquire_until(std::chrono::steady_clock::now() + 5ms));
  EXPECT_THROW(second.request(), Error);
  first.release();
  second.acquire();
  EXPECT_TRUE(second.holds());
  EXPECT_GT(second.fence(), 0u);
  second.release();
  EXPECT_FALSE(second.holds());
}

TEST_F(PeerTest, TheThreadsOfAPeerDoNotKeepTheLockFromAnother) {
  auto a = join();
  auto b = join();
  Mutex at_a(*a, "deploy");
  Mutex probe_at_a(*a, "probe");
  Mutex probe_at_b(*b, "probe");
  std::vector<std::unique_ptr<Ticket>> line;
  at_a.lock();
  for (int i = 0; i < 10; ++i) line.push_back(std::make_unique<Ticket>(*a, "deploy"));
  for (auto& ticket : line) ticket->request();
  Ticket remote(*b, "deploy");
  remote.request();
  // Channels are FIFO: a peer that answers for the probe has heard of the ticket.
  { std::scoped_lock guard(probe_at_a); }
  { std::scoped_lock guard(probe_at_b); }
  at_a.unlock();
  EXPECT_FALSE(line.front()->ready());
  remote.acquire();
  for (auto& ticket : line) EXPECT_FALSE(ticket->ready());
  remote.release();
  for (auto& ticket : line) {
    ticket->acquire();
    ticket->release();
  }
}

/// One thread of a peer waits for the sockets, and another may consume the wake-up meant for it.
/// With a lease this long nothing else wakes a sleeping thread for a minute, so the test sees it.
TEST_F(PeerTest, NobodySleepsOnWhenItsLockHasCome) {
  PeerOptions options = group_.options();
  options.lease = 10min;
  Peer a(options);
  Peer b(options);
  auto began = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&peer = i % 2 == 0 ? a : b] {
        Ticket ticket(peer, "deploy");
        for (int turn = 0; turn < 300; ++turn) {
          ticket.request();
          ticket.acquire();
          ticket.release();
        }
      });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, 60s);
}

TEST_F(PeerTest, ReadersShare) {
  auto a = join("elmp");
  auto b = join("elmp");
  SharedMutex at_a(*a, "table");
  SharedMutex at_b(*b, "table");
  std::latch both(2);
  auto read = [&](SharedMutex& mutex) {
    std::shared_lock guard(mutex);
    both.arrive_and_wait();  // This would block for ever if readers excluded each other.
  };
  std::thread one([&] { read(at_a); });
  std::thread other([&] { read(at_b); });
  one.join();
  other.join();
  std::unique_lock guard(at_a);
  EXPECT_FALSE(at_b.try_lock_shared());
}

TEST_F(PeerTest, SharingNeedsAnAlgorithmThatCan) {
  auto peer = join();
  EXPECT_THROW(SharedMutex(*peer, "table"), Error);
}

TEST_F(PeerTest, WhoWaitsWhenThePeerLeavesIsTold) {
  auto a = join();
  auto b = join();
  Mutex at_a(*a, "deploy");
  at_a.lock();
  std::promise<void> waiting;
  std::thread waiter([&] {
    Mutex at_b(*b, "deploy");
    waiting.set_value();
    EXPECT_THROW(at_b.lock(), Error);
  });
  waiting.get_future().wait();
  b->leave();
  waiter.join();
  at_a.unlock();
  Mutex again(*b, "deploy");
  EXPECT_THROW(again.lock(), Error);
}

TEST_F(PeerTest, ALeaverGivesBackWhatItHolds) {
  auto a = join();
  auto b = join();
  Mutex at_a(*a, "deploy");
  Mutex at_b(*b, "deploy");
  at_a.lock();
  a->leave();
  EXPECT_FALSE(at_a.holds());
  at_a.unlock();
  EXPECT_TRUE(at_b.try_lock_for(10s));
  at_b.unlock();
}

}  // namespace conch::peer_test
