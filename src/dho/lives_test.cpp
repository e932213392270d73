// Tests of handles under random calls in any order, and of handles with one rule taken away: the
// tests must catch those.
#include <gtest/gtest.h>

#include "dho/testing/world.hpp"
#include "mutex/central.hpp"
#include "mutex/naimi_trehel.hpp"

namespace conch::dho::testing::lives_test {

/// Runs every seed below `seeds`. Returns the first failure, or what never happened.
template <class H, class LockManager>
std::string lives(std::uint64_t seeds, std::size_t nodes) {
  std::map<std::string_view, std::size_t> total;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RandomLives<H, LockManager> lives(seed, nodes);
    if (std::string failure = lives.run(); !failure.empty()) return failure;
    visit_fields(lives.tally(),
                 [&](std::string_view what, std::size_t count) { total[what] += count; });
  }
  for (const auto& [what, count] : total)
    if (count == 0) return "there were never any " + std::string(what);
  return "";
}

TEST(Lives, OverALockThatIsPlainlyRight) {
  EXPECT_EQ((lives<Handle, PlainLock>(2000, 2)), "");
  EXPECT_EQ((lives<Handle, PlainLock>(4000, 4)), "");
}

TEST(Lives, OverNaimiTrehel) { EXPECT_EQ((lives<Handle, Algorithmic<NaimiTrehel>>(3000, 4)), ""); }

TEST(Lives, OverACentralServer) { EXPECT_EQ((lives<Handle, Algorithmic<Central>>(3000, 3)), ""); }

// Specimens.

/// As printed: a release without an acquire is ignored, and so is a second create.
struct IgnoresRelease : Handle {
  using Handle::Handle;
  CallStatus release(Orders& out) {
    return state() == State::locked ? Handle::release(out) : CallStatus::ignored;
  }
  CallStatus create(std::string_view name, Orders& out) {
    return state() == State::invalid ? Handle::create(name, out) : CallStatus::ignored;
  }
};

/// Node 0 plays listing 1, then node 1 wants the lock. Returns the state in which node 1 ends.
template <class H>
State state_beside_listing_1() {
  World<H, PlainLock> world(Members::first(2), {});
  Dice dice(0);
  auto settle = [&] {
    while (world.step_lock(dice) || world.bring_one(dice)) {
    }
  };
  for (NodeId node : world.nodes()) world.create(node);
  settle();
  world.request(NodeId{0}, Mode::write);
  world.request(NodeId{0}, Mode::write);
  world.release(NodeId{0});
  world.release(NodeId{0});
  world.create(NodeId{0});
  settle();
  world.request(NodeId{1}, Mode::write);
  world.acquire(NodeId{1});
  settle();
  return world.at(NodeId{1}).state();
}

TEST(Specimen, AReleaseThatIsIgnoredStopsEverybody) {
  EXPECT_EQ(state_beside_listing_1<Handle>(), State::locked);
  EXPECT_EQ(state_beside_listing_1<IgnoresRelease>(), State::blocked);
}

/// Leaves "regardless of the currently assigned state", and so keeps its place in the queue.
struct LeavesWhileWaiting : Handle {
  using Handle::Handle;
  CallStatus destroy(Orders& out) {
    bool waits = state() == State::req || state() == State::blocked;
    if (!waits || lock_ != Lock::asked) return Handle::destroy(out);
    end_acquire(AcquireFailed{CallStatus::cancelled}, out);
    forget_lock();
    rest();
    return Handle::destroy(out);
  }
};

TEST(Specimen, AWaiterThatJustLeavesIsCaught) {
  std::string failure = lives<LeavesWhileWaiting, PlainLock>(100, 3);
  EXPECT_NE(failure.find("one leaves who waits or holds"), std::string::npos) << failure;
}

}  // namespace conch::dho::testing::lives_test
