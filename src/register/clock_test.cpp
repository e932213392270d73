#include "register/clock.hpp"

#include <gtest/gtest.h>

namespace conch::clock_test {

using namespace std::chrono_literals;

TEST(Clock, ReadsTheOffsetOfATimeNamespace) {
  EXPECT_EQ(file::boot_offset_in("monotonic           0         0\nboottime       100000         "
                                 "0\n"),
            100000s);
  EXPECT_EQ(file::boot_offset_in("monotonic 7 8\nboottime -12 500000000\n"), -11'500ms);
  EXPECT_EQ(file::boot_offset_in("monotonic 7 8\n"), std::nullopt);
  EXPECT_EQ(file::boot_offset_in("boottime soon"), std::nullopt);
  EXPECT_EQ(file::boot_offset_in(""), std::nullopt);
}

TEST(Clock, ATimerIsSetOnTheClockOfTheProcess) {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  timespec same = file::on_own_clock(file::since_boot());
  EXPECT_TRUE(same.tv_sec == now.tv_sec || same.tv_sec == now.tv_sec + 1);
  timespec past = file::on_own_clock(-std::chrono::hours(1000000));
  EXPECT_EQ(past.tv_sec, 0);
  EXPECT_EQ(past.tv_nsec, 1) << "zero would disarm a timer";
}

}  // namespace conch::clock_test
