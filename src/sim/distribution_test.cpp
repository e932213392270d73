#include "sim/distribution.hpp"

#include <gtest/gtest.h>

namespace conch::sim::distribution_test {

using namespace std::chrono_literals;

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
