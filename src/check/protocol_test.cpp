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

class Protocol : public ::testing::TestWithParam<std::string> {};

TEST_P(Protocol, HoldsInEveryInterleaving) {
  Report report = check(two_ask(GetParam(), 1));
  EXPECT_TRUE(report.complete) << report.incomplete;
  EXPECT_FALSE(report.violation) << report.violation->what;
  EXPECT_TRUE(report.interesting());
}

INSTANTIATE_TEST_SUITE_P(OverARing, Protocol,
                         ::testing::Values("sigma", "end-to-end", "non-end-to-end"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase(name, '-');
                           return name;
                         });

// F9: a token that comes twice lets the second copy's receiver in again.
TEST(FixedRing, ATokenThatCountsTwiceIsFound) {
  Options options = two_ask("end-to-end", 0);
  options.budgets[Budget::duplicate] = 1;
  options.setting.requests = 1;
  options.setting.tuning.without = Without::token_once;
  options.setting.requesters = 3;
  Report report = check(options);
  ASSERT_TRUE(report.violation);
}

TEST(FixedRing, NobodyComesOrGoesOnTheRing) {
  Options options = two_ask("sigma", 1);
  options.budgets[Budget::crash] = 1;
  EXPECT_THROW(check(options), sim::BadText);
}

}  // namespace
}  // namespace conch::check
