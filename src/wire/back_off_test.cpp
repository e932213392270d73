// Tests of the pauses between dials, and of the limit of log lines.
#include "wire/back_off.hpp"

#include <gtest/gtest.h>

#include "wire/line_rate.hpp"

namespace conch::wire::back_off_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BackOff, DoublesUpToASecond) {
  struct Row {
    unsigned failures;
    milliseconds wait;
  };
  for (Row row : {Row{0, milliseconds(0)},
                  {1, milliseconds(10)},
                  {2, milliseconds(20)},
                  {3, milliseconds(40)},
                  {7, milliseconds(640)},
                  {8, milliseconds(1000)},
                  {9, milliseconds(1000)},
                  {4'000'000'000, milliseconds(1000)}})
    EXPECT_EQ(back_off(row.failures), row.wait) << row.failures;
}

TEST(BackOff, IsLongerForWhoRefuses) {
  EXPECT_EQ(back_off(8, longest_refusal), milliseconds(1280));
  EXPECT_EQ(back_off(14, longest_refusal), longest_refusal);
  EXPECT_EQ(back_off(4'000'000'000, longest_refusal), longest_refusal);
}

TEST(LineRate, LetsSomeThroughAtOnceAndThenOneNowAndThen) {
  LineRate rate;
  Time now(seconds(1000));
  int facts = 0;
  auto allows = [&](Time time) { return rate.allows(time, std::to_string(++facts)); };
  for (int i = 0; i < LineRate::at_once_max; ++i) EXPECT_TRUE(allows(now)) << i;
  EXPECT_FALSE(allows(now));
  EXPECT_FALSE(allows(now));
  EXPECT_EQ(rate.left_out(), " (left out before it: 2)");
  EXPECT_EQ(rate.left_out(), "");
  EXPECT_TRUE(allows(now + LineRate::one_every));
  EXPECT_FALSE(allows(now + LineRate::one_every));
  EXPECT_TRUE(allows(now + seconds(100)));
}

TEST(LineRate, TellsAFactOnceAndThenAfterLongerAndLongerPauses) {
  LineRate rate;
  Time now(seconds(1000));
  EXPECT_TRUE(rate.allows(now, "a"));
  EXPECT_FALSE(rate.allows(now + LineRate::first_pause / 2, "a"));
  EXPECT_TRUE(rate.allows(now + LineRate::first_pause / 2, "b"));
  EXPECT_EQ(rate.left_out(), " (left out before it: 1)");
  int told = 0;
  for (Time day = now + seconds(86'400); now < day; now += seconds(1))
    if (rate.allows(now, "a")) ++told;
  EXPECT_LE(told, 30);
  EXPECT_GE(told, 24) << "but at least once an hour";
}

TEST(LineRate, RemembersSoManyFactsAndNoMore) {
  LineRate rate;
  Time now(seconds(1000));
  for (std::size_t i = 0; i <= LineRate::facts_max; ++i, now += LineRate::one_every)
    EXPECT_TRUE(rate.allows(now, std::to_string(i))) << i;
  EXPECT_FALSE(rate.allows(now, "1"));
  EXPECT_TRUE(rate.allows(now, "0")) << "the oldest was forgotten";
}

}  // namespace conch::wire::back_off_test
