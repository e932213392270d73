#include "node/freshness.hpp"

#include <gtest/gtest.h>

namespace conch::node::freshness_test {

using namespace std::chrono_literals;
using recovery::Life;

constexpr Life a{NodeId{1}, recovery::Incarnation{1}};
constexpr Life b{NodeId{2}, recovery::Incarnation{1}};

/// What the clock of b shows when that of a shows this.
Time at_b(Time time) { return time + 1000h; }

TEST(FreshnessTest, NothingIsKnownBeforeTheOtherHasHeardSomething) {
  Freshness here;
  Freshness there;
  EXPECT_EQ(here.age(b, there.stamp(a, at_b(Time{1s})), Time{2s}), std::nullopt);
}

TEST(FreshnessTest, AnAgeIsTooLargeByOneTransit) {
  Freshness here;
  Freshness there;
  there.age(a, here.stamp(b, Time{10s}), at_b(Time{10s + 3ms}));
  Postmark mark = there.stamp(a, at_b(Time{11s}));
  EXPECT_EQ(here.age(b, mark, Time{11s + 5ms}), 5ms + 3ms);
  // Of one that a channel has kept.
  EXPECT_EQ(here.age(b, there.stamp(a, at_b(Time{12s})), Time{52s}), 40s + 3ms);
}

/// The first that comes back may have been slow; a better bound replaces it, a worse one does not.
TEST(FreshnessTest, TheBestBoundCounts) {
  Freshness here;
  Freshness there;
  for (Duration transit : {Duration(2s), Duration(1ms), Duration(3s)}) {
    there.age(a, here.stamp(b, Time{10s}), at_b(Time{10s + transit}));
    here.age(b, there.stamp(a, at_b(Time{14s})), Time{14s});
  }
  EXPECT_EQ(here.age(b, there.stamp(a, at_b(Time{15s})), Time{15s}), 1ms);
}

}  // namespace conch::node::freshness_test
