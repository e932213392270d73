// How many readers a peer lets in, and when it stops for a writer.
#include <gtest/gtest.h>

#include <atomic>
#include <conch/peer.hpp>
#include <conch/shared_mutex.hpp>
#include <conch/ticket.hpp>
#include <memory>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "node/local_queue.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch::readers_test {

using namespace std::chrono_literals;

class Readers : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Peer> join() {
    PeerOptions options = group_.options();
    options.algorithm = GetParam();
    return std::make_unique<Peer>(options);
  }

  peer::ScratchGroup group_;
};

/// With `central` only the lock's home knows whether a writer waits; with the others each peer
/// knows.
TEST_P(Readers, AnyNumberIsInsideWhileNobodyElseWaits) {
  auto peer = join();
  std::unique_ptr<Peer> other = peer->algorithm() == "central" ? nullptr : join();
  std::vector<Ticket> inside;
  for (unsigned i = 0; i < 5 * node::LocalQueue::shared_entries_max; ++i) {
    Ticket& ticket = inside.emplace_back(*peer, "table", Access::shared);
    ticket.request();
    ASSERT_TRUE(ticket.acquire_until(std::chrono::steady_clock::now() + 1min)) << i;
  }
}

/// Threads that take turns, so that one of them is always inside.
class EndlessReaders {
 public:
  explicit EndlessReaders(Peer& peer) : mutex_(peer, "table") {
    for (std::size_t i = 0; i < 3; ++i) threads_.emplace_back([this] { read(); });
    while (entries_ < 3) std::this_thread::yield();
  }
  ~EndlessReaders() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  EndlessReaders(const EndlessReaders&) = delete;
  EndlessReaders& operator=(const EndlessReaders&) = delete;

  int entries() const { return entries_; }

 private:
  /// Each thread leaves only after another one has entered, so the lock never becomes free by
  /// itself.
  void read() {
    while (!over_) {
      std::shared_lock guard(mutex_);
      int seen = ++entries_;
      auto end = std::chrono::steady_clock::now() + 50ms;
      while (entries_ == seen && !over_ && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
    }
  }

  SharedMutex mutex_;
  std::atomic<int> entries_ = 0;
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

/// The lock's home may be at either peer, so the test runs both ways: readers at one, the writer at
/// the other.
TEST_P(Readers, AWriterElsewhereGetsIn) {
  auto one = join();
  auto other = join();
  for (auto [reading, writing] : {std::pair(one.get(), other.get()), {other.get(), one.get()}}) {
    EndlessReaders readers(*reading);
    SharedMutex mutex(*writing, "table");
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(mutex.try_lock_for(1min));
      mutex.unlock();
    }
  }
}

TEST_P(Readers, WhoeverWasHeldBackEntersWhenTheWriterHasGivenUp) {
  auto one = join();
  std::vector<Ticket> inside;
  auto enter = [&](Duration patience) {
    Ticket& ticket = inside.emplace_back(*one, "table", Access::shared);
    ticket.request();
    return ticket.acquire_until(std::chrono::steady_clock::now() + patience);
  };
  for (unsigned i = 0; i < node::LocalQueue::shared_entries_max; ++i) ASSERT_TRUE(enter(1min));
  {
    auto writer = join();
    Ticket ticket(*writer, "table");
    ticket.request();
    while (enter(1ms)) std::this_thread::yield();  // Until this peer knows of the writer.
  }
  EXPECT_TRUE(inside.back().acquire_until(std::chrono::steady_clock::now() + 1min));
}

INSTANTIATE_TEST_SUITE_P(Peers, Readers, ::testing::Values("elmp", "central", "elmp-lazy"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace conch::readers_test
