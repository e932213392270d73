// The protocols over an overlay, on a ring of three that stays: every interleaving, with as many
// timers as are stated.
#include <gtest/gtest.h>

#include "check/check.hpp"
#include "sim/distribution.hpp"

namespace conch::check {
namespace {

/// Three nodes, a replica at each, and two who ask.
Options two_ask(const std::string& protocol, std::uint32_t timers) {
  Options options;
  options.setting.algorithm = protocol;
  options.setting.nodes = 3;
  options.setting.requesters = 2;
  options.budgets[Budget::timer] = timers;
  return options;
}

void expect_no_violation(const Options& options) {
  Report report = check(options);
  EXPECT_TRUE(report.complete) << report.incomplete;
  EXPECT_FALSE(report.violation) << report.violation->what;
  EXPECT_TRUE(report.interesting());
}

TEST(FixedRing, SigmaHoldsInEveryInterleaving) { expect_no_violation(two_ask("sigma", 0)); }

TEST(FixedRing, NonEndToEndHoldsInEveryInterleaving) {
  expect_no_violation(two_ask("non-end-to-end", 1));
}

// With a timer or a second copy a run of Sigma has too many states; this is what it found before.
TEST(FixedRing, AVoteThatComesAgainIsReleasedWithTheDataOfTheHolder) {
  Options options = two_ask("sigma", 1);
  options.bytes_max = std::size_t{64} << 20;
  Report report = check(options);
  EXPECT_FALSE(report.violation) << report.violation->what;
  EXPECT_GT(report.states, 200'000U);
}

TEST(FixedRing, NobodyComesOrGoesOnTheRing) {
  Options options = two_ask("sigma", 1);
  options.budgets[Budget::crash] = 1;
  EXPECT_THROW(check(options), sim::BadText);
}

}  // namespace
}  // namespace conch::check
