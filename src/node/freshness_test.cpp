#include "node/freshness.hpp"

#include <gtest/gtest.h>

namespace conch::node::freshness_test {

using namespace std::chrono_literals;

constexpr PeerInstance a{NodeId{1}, Incarnation{1}};
constexpr PeerInstance b{NodeId{2}, Incarnation{1}};

/// What b's clock shows when a's shows this.
Time at_b(Time time) { return time + 1000h; }

TEST(FreshnessTest, NothingIsKnownBeforeTheOtherHasHeardSomething) {
  Freshness here(1min);
  Freshness there(1min);
  EXPECT_EQ(here.age(b, there.stamp(a, at_b(Time{1s})), Time{2s}), std::nullopt);
}

TEST(FreshnessTest, AnAgeIsTooLargeByOneTransit) {
  Freshness here(1min);
  Freshness there(1min);
  there.age(a, here.stamp(b, Time{10s}), at_b(Time{10s + 3ms}));
  Postmark mark = there.stamp(a, at_b(Time{11s}));
  EXPECT_EQ(here.age(b, mark, Time{11s + 5ms}), 5ms + 3ms);
  // A channel has kept this message.
  EXPECT_EQ(here.age(b, there.stamp(a, at_b(Time{12s})), Time{52s}), 40s + 3ms);
}

/// The first echo may have been slow. A better bound replaces it, a worse one does not.
TEST(FreshnessTest, TheBestBoundCounts) {
  Freshness here(1min);
  Freshness there(1min);
  for (Duration transit : {Duration(2s), Duration(1ms), Duration(3s)}) {
    there.age(a, here.stamp(b, Time{10s}), at_b(Time{10s + transit}));
    here.age(b, there.stamp(a, at_b(Time{14s})), Time{14s});
  }
  EXPECT_EQ(here.age(b, there.stamp(a, at_b(Time{15s})), Time{15s}), 1ms);
}

/// The messages of a clock that is a tenth faster would seem fresher and fresher.
TEST(FreshnessTest, ABoundIsNotBelievedForLong) {
  Freshness here(1s);
  Freshness there(1s);
  auto fast = [](Time time) { return Time(time.time_since_epoch() / 10 * 11); };
  Time now{};
  for (; now < Time{60s}; now += 100ms) {
    there.age(a, here.stamp(b, now), fast(now));
    here.age(b, there.stamp(a, fast(now)), now);
  }
  EXPECT_GT(here.age(b, there.stamp(a, fast(now - 2s)), now), 1800ms);
}

}  // namespace conch::node::freshness_test
