#include "core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace conch::random_test {

TEST(Random, TheNumbersOfASeedAreTheSameOnEveryMachine) {
  Random random(42);
  EXPECT_EQ(random.next(), 15021278609987233951u);
  EXPECT_EQ(random.next(), 5881210131331364753u);
  EXPECT_EQ(Random(42, 1).next(), Random(42, 1).next());
  EXPECT_NE(Random(42, 1).next(), Random(42, 2).next());
}

TEST(Random, TheLogarithmIsThatOfTheLibrary) {
  for (double x : {1e-300, 1e-9, 0.1, 0.5, 0.7071, 0.99999, 1.0, 1.5, 2.0, 10.0, 1e15})
    EXPECT_NEAR(exact_log(x), std::log(x), 1e-13 * std::max(1.0, std::abs(std::log(x)))) << x;
}

TEST(Random, TheDistributionsHaveTheirMeans) {
  Random random(1);
  constexpr int draws = 200'000;
  double uniform = 0, exponential = 0, normal = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    uniform += random.uniform();
    exponential += random.exponential();
    double value = random.normal();
    normal += value;
    squares += value * value;
  }
  EXPECT_NEAR(uniform / draws, 0.5, 0.005);
  EXPECT_NEAR(exponential / draws, 1, 0.01);
  EXPECT_NEAR(normal / draws, 0, 0.01);
  EXPECT_NEAR(squares / draws, 1, 0.02);
}

TEST(Random, BelowStaysBelow) {
  Random random(3);
  bool reached_last = false;
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t number = random.below(7);
    ASSERT_LT(number, 7u);
    reached_last |= number == 6;
  }
  EXPECT_TRUE(reached_last);
}

}  // namespace conch::random_test
