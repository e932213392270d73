#include <gtest/gtest.h>

#include <conch/deadline.hpp>
#include <limits>

namespace conch::peer::deadline_test {

using namespace std::chrono_literals;
using std::chrono::duration;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using std::chrono::sys_time;
using std::chrono::system_clock;

TEST(Deadline, EveryDurationIsANumberOfNanosecondsOrForEver) {
  using Limits = std::numeric_limits<double>;
  struct Row {
    nanoseconds got;
    nanoseconds wanted;
  };
  const Row rows[] = {
      {bounded_wait(0s), 0ns},
      {bounded_wait(1ns), 1ns},
      {bounded_wait(-1ns), 0ns},
      {bounded_wait(100h), 360'000s},
      {bounded_wait(nanoseconds::max()), longest_wait},
      {bounded_wait(nanoseconds::min()), 0ns},
      {bounded_wait(std::chrono::hours::max()), longest_wait},
      {bounded_wait(std::chrono::hours::min()), 0ns},
      {bounded_wait(longest_wait - 1ns), longest_wait - 1ns},
      {bounded_wait(longest_wait), longest_wait},
      {bounded_wait(std::chrono::years::max()), longest_wait},
      {bounded_wait(duration<unsigned long, std::milli>::max()), longest_wait},
      {bounded_wait(duration<signed char>(100)), 100s},
      {bounded_wait(duration<int, std::pico>(1)), 1ns},
      {bounded_wait(duration<int, std::pico>(1000)), 1ns},
      {bounded_wait(duration<int, std::ratio<1, 3>>(1)), 333'333'334ns},
      {bounded_wait(duration<long, std::ratio<1, 3>>(10'000'000'000)), 3'333'333'333'333'333'334ns},
      {bounded_wait(duration<double>(1.5e-9)), 2ns},
      {bounded_wait(duration<float, std::milli>(0.5F)), 500us},
      {bounded_wait(duration<double>(-0.0)), 0ns},
      {bounded_wait(duration<double>(Limits::quiet_NaN())), 0ns},
      {bounded_wait(duration<double>(Limits::infinity())), longest_wait},
      {bounded_wait(duration<double>(-Limits::infinity())), 0ns},
      {bounded_wait(duration<double>(Limits::max())), longest_wait},
      {bounded_wait(duration<double>(Limits::denorm_min())), 1ns},
  };
  for (const Row& row : rows) EXPECT_EQ(row.got, row.wanted) << "row " << &row - rows;
}

TEST(Deadline, NoDifferenceOfTwoTimesOverflows) {
  using Steady = steady_clock::time_point;
  using Hours = sys_time<std::chrono::hours>;
  using Float = sys_time<duration<float>>;
  const Steady now(100h);
  const system_clock::time_point today = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
  EXPECT_EQ(time_left(now, now), 0ns);
  EXPECT_EQ(time_left(now + 1ns, now), 1ns);
  EXPECT_EQ(time_left(now - 1ns, now), 0ns);
  EXPECT_EQ(time_left(Steady::max(), now), longest_wait);
  EXPECT_EQ(time_left(Steady::min(), now), 0ns);
  EXPECT_EQ(time_left(Steady::max(), Steady::min()), longest_wait);
  EXPECT_EQ(time_left(Steady::min(), Steady::max()), 0ns);
  EXPECT_EQ(time_left(system_clock::time_point::min(), today), 0ns);
  EXPECT_EQ(time_left(Hours::max(), today), longest_wait);
  EXPECT_EQ(time_left(Hours::min(), today), 0ns);
  EXPECT_EQ(time_left(std::chrono::sys_days(std::chrono::year(2026) / 1 / 2), today), 24h);
  EXPECT_EQ(time_left(Float::max(), today), longest_wait);
}

TEST(Deadline, ComesWhenItsTimeHasCome) {
  EXPECT_TRUE(Deadline::after(0s).has_come());
  EXPECT_TRUE(Deadline::at(steady_clock::now()).has_come());
  EXPECT_TRUE(Deadline::at(system_clock::time_point::min()).has_come());
  EXPECT_FALSE(Deadline::after(1h).has_come());
  EXPECT_LE(Deadline::after(1h).left(), 1h);
  EXPECT_EQ(Deadline().left(), longest_wait);
  EXPECT_TRUE(Deadline::after(std::chrono::hours::max()).is_never());
  EXPECT_EQ(Deadline::at(steady_clock::time_point::max()).left(), longest_wait);
  EXPECT_EQ(Deadline::at(system_clock::time_point::max()).left(), longest_wait);
}

TEST(Deadline, AClockThatMayBeSetIsLookedAtAgain) {
  EXPECT_GT(Deadline::at(steady_clock::now() + 1h).left(), 59min);
  EXPECT_LT(Deadline::at(system_clock::now() + 1h).left(), 1s);
}

}  // namespace conch::peer::deadline_test
