#include "register/epoch_floor.hpp"

#include <gtest/gtest.h>

namespace conch::epoch_floor_test {

using namespace std::chrono;

constexpr sys_seconds built = sys_days(year(2026) / 11 / 17);

TEST(EpochFloor, IsTheTimeUnlessTheClockIsWrong) {
  struct Case {
    sys_seconds now;
    std::uint32_t floor;
    const char* why;
  };
  constexpr Case cases[] = {
      {built, 1794873600, "the day of the build"},
      {built + hours(1), 1794877200, "an hour later"},
      {built + days(9 * 365), 2078697600, "nine years later"},
      {built - seconds(1), 0, "before the build"},
      {sys_seconds{}, 0, "a machine without a clock says 1970"},
      {built - years(100), 0, "before 1970"},
      {built + years(10) + seconds(1), 0, "more than ten years later"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(epoch_floor(each.now, built), Epoch{each.floor}) << each.why;
}

TEST(EpochFloor, FitsIntoAFence) {
  sys_seconds last{seconds(Fence::last_epoch.value)};
  EXPECT_EQ(epoch_floor(last, last), Fence::last_epoch);
  EXPECT_EQ(epoch_floor(last + seconds(1), last), Epoch{0});
}

TEST(EpochFloor, IsThatOfThisMachine) {
  auto now = floor<seconds>(system_clock::now()).time_since_epoch().count();
  auto since = static_cast<std::int64_t>(epoch_floor().value) - now;
  EXPECT_TRUE(since == 0 || since == 1) << "or this machine's clock is wrong";
}

TEST(FenceFloor, IsTheTimeToThePartOfASecond) {
  Epoch second = epoch_floor(built, built);
  EXPECT_EQ(fence_floor(built, built), Fence(second, 0));
  EXPECT_EQ(fence_floor(built + milliseconds(500), built), Fence(second, std::uint64_t{1} << 31));
  EXPECT_LT(fence_floor(built + nanoseconds(999'999'998), built),
            fence_floor(built + nanoseconds(999'999'999), built));
  EXPECT_EQ(fence_floor(built - seconds(1), built), Fence(Epoch{}, 0)) << "the clock is wrong";
}

TEST(FenceFloor, IsThatOfThisMachine) {
  Epoch before = epoch_floor(), now = fence_floor().epoch();
  EXPECT_TRUE(now >= before && now <= epoch_floor());
}

}  // namespace conch::epoch_floor_test
