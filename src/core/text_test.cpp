#include "core/text.hpp"

#include <gtest/gtest.h>

namespace conch::text_test {

using namespace std::chrono_literals;

TEST(Durations, AreReadAsOneWritesThem) {
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("20us"), 20us);
  EXPECT_EQ(parse_duration("0.3ms"), 300us);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("7ns"), 7ns);
  EXPECT_EQ(parse_duration("0"), 0ns);
}

TEST(Durations, MayHaveSeveralParts) {
  EXPECT_EQ(parse_duration("1m30s"), 90s);
  EXPECT_EQ(parse_duration("1h2m3s4ms5us6ns"), 1h + 2min + 3s + 4ms + 5us + 6ns);
  EXPECT_EQ(parse_duration("1m0.5s"), 60'500ms);
  for (const char* text : {"30s1m", "1s1s", "1m30", "1m 30s", "1m-30s", "s1m", "1m30x"})
    EXPECT_THROW(parse_duration(text), BadText) << text;
}

TEST(Durations, AreSecondsForAPersonWhoGivesNoUnit) {
  EXPECT_EQ(parse_duration_or_seconds("3"), 3s);
  EXPECT_EQ(parse_duration_or_seconds("0.25"), 250ms);
  EXPECT_EQ(parse_duration_or_seconds("0"), 0s);
  EXPECT_EQ(parse_duration_or_seconds("1m30s"), 90s);
  EXPECT_EQ(parse_duration_or_seconds("250ms"), 250ms);
  for (const char* text : {"", ".", "-3", "1m30", "3 s", "1.2.3", "three", "99999999999"})
    EXPECT_THROW(parse_duration_or_seconds(text), BadText) << text;
}

TEST(Durations, OfNoUnitOrSenseAreRefused) {
  for (const char* text :
       {"", "5", "ms", "-1s", "1..s", "1e999s", "nan s", "5 ms", "infs", "1000000h1"})
    EXPECT_THROW(parse_duration(text), BadText) << text;
}

TEST(Durations, ArePrintedShort) {
  EXPECT_EQ(print_duration(1500us), "1.5ms");
  EXPECT_EQ(print_duration(90s), "90s");
  EXPECT_EQ(print_duration(0ns), "0");
  EXPECT_EQ(print_duration(12ns), "12ns");
  EXPECT_EQ(parse_duration(print_duration(100'000s)), 100'000s);
}

TEST(Shares, AreFractionsOrPercent) {
  EXPECT_DOUBLE_EQ(parse_share("0.25"), 0.25);
  EXPECT_DOUBLE_EQ(parse_share("25%"), 0.25);
  for (const char* text : {"", "%", "2", "120%", "-1%", "x"})
    EXPECT_THROW(parse_share(text), BadText) << text;
}

}  // namespace conch::text_test
