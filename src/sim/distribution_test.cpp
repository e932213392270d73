#include "sim/distribution.hpp"

#include <gtest/gtest.h>

namespace conch::sim::distribution_test {

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
}

TEST(Shares, AreFractionsOrPercent) {
  EXPECT_DOUBLE_EQ(parse_share("0.25"), 0.25);
  EXPECT_DOUBLE_EQ(parse_share("25%"), 0.25);
  for (const char* text : {"", "%", "2", "120%", "-1%", "x"})
    EXPECT_THROW(parse_share(text), BadText) << text;
}

TEST(Distributions, AreReadAndPrintedAlike) {
  for (const char* text : {"500ms", "exp:500ms", "uniform:0..1s", "normal:500ms,225ms"})
    EXPECT_EQ(Distribution::parse(text).print(), text);
  for (const char* text : {"exp", "exp:", "gauss:1s", "uniform:2s..1s", "uniform:1s", "normal:1s"})
    EXPECT_THROW(Distribution::parse(text), BadText) << text;
}

TEST(Distributions, HaveTheirMeanAndAreNeverNegative) {
  for (const char* text : {"500ms", "exp:500ms", "uniform:0..1s", "normal:500ms,225ms"}) {
    Distribution distribution = Distribution::parse(text);
    Random random(9);
    double sum_s = 0;
    for (int i = 0; i < 50'000; ++i) {
      Duration drawn = distribution.draw(random);
      ASSERT_GE(drawn, 0ns);
      sum_s += seconds_of(drawn);
    }
    EXPECT_EQ(distribution.mean(), 500ms);
    EXPECT_NEAR(sum_s / 50'000, 0.5, 0.01) << text;
  }
}

}  // namespace conch::sim::distribution_test
