// A peer's beat comes from the loop that does its work.
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <conch/mutex.hpp>

#include "peer/engine.hpp"
#include "peer/testing/scratch_group.hpp"
#include "register/testing/scratch.hpp"

namespace conch::peer::beat_test {

using namespace std::chrono_literals;

/// A peer whose beats a test can await.
struct Beating {
  explicit Beating(ScratchGroup& group) : peer(group.options()) {
    Guard guard = peer.engine().guard();
    peer.engine().beat_every(5ms, [this] { ::eventfd_write(beats.number(), 1); });
  }
  bool beats_within(std::chrono::milliseconds time) const {
    eventfd_t count = 0;
    return readable(beats.number(), time) && ::eventfd_read(beats.number(), &count) == 0;
  }

  net::Descriptor beats{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  Peer peer;
};

TEST(Beat, ComesWhileAPeerHasNothingToDo) {
  ScratchGroup group;
  Beating one(group);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(one.beats_within(20s));
}

TEST(Beat, CeasesWhenNobodyCanWorkOnThePeersState) {
  ScratchGroup group;
  Beating one(group);
  {
    Guard hanging = one.peer.engine().guard();
    one.beats_within(0s);  // Drops beats from before.
    EXPECT_FALSE(one.beats_within(200ms));
  }
  EXPECT_TRUE(one.beats_within(20s));
}

TEST(Beat, ComesFromAThreadThatDrivesWhileItWaits) {
  ScratchGroup group;
  Beating one(group);
  Peer other(group.options());
  Mutex theirs(other, "a");
  theirs.lock();
  std::thread waiter([&] {
    Mutex ours(one.peer, "a");
    std::scoped_lock guard(ours);
  });
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(one.beats_within(20s));
  theirs.unlock();
  waiter.join();
}

}  // namespace conch::peer::beat_test
