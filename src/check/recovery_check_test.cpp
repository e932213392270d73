#include "check/recovery_check.hpp"

#include <gtest/gtest.h>

#include "catalog/real_algorithms.hpp"
#include "sim/distribution.hpp"

namespace conch::check::group::recovery_check_test {

using Budgets = std::map<Budget, std::uint32_t>;

Options of(const std::string& algorithm, Node nodes, const Budgets& budgets) {
  Options options;
  options.setting.algorithm = algorithm;
  options.setting.nodes = nodes;
  options.budgets = budgets;
  return options;
}

void expect_holds(const Options& options) {
  CheckReport report = check(options);
  std::string story = report.violation ? report.violation->what + "\n" : "";
  if (report.violation) story += describe_counterexample(options, report);
  EXPECT_TRUE(report.complete) << command(options) << "\n" << report.incomplete << story;
  for (auto [sometimes, seen] : report.sometimes)
    EXPECT_TRUE(seen) << command(options) << "\n" << word(sometimes);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EveryRecovery : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithm, EveryRecovery, ::testing::ValuesIn(real_algorithms()),
                         test_name);

TEST_P(EveryRecovery, HoldsWhenOneOfTwoFails) {
  expect_holds(of(GetParam(), 2, {{Budget::crash, 1}, {Budget::restart, 1}}));
  expect_holds(of(GetParam(), 2, {{Budget::pause, 1}}));
  expect_holds(of(GetParam(), 2, {{Budget::usurp, 1}}));
  expect_holds(of(GetParam(), 2, {{Budget::suspect, 1}, {Budget::restart, 1}}));
}

TEST_P(EveryRecovery, HoldsWhenSomebodyComesOrGoes) {
  expect_holds(of(GetParam(), 2, {{Budget::join, 1}, {Budget::leave, 1}}));
  expect_holds(of(GetParam(), 2, {{Budget::join, 2}}));
  expect_holds(of(GetParam(), 2, {{Budget::leave, 1}, {Budget::crash, 1}}));
}

TEST(Recovery, HoldsWhenOneOfThreeCrashes) {
  for (const char* algorithm : {"naimi-trehel", "central"}) {
    expect_holds(of(algorithm, 3, {{Budget::crash, 1}}));
    expect_holds(of(algorithm, 3, {{Budget::crash, 1}, {Budget::cancel, 1}}));
    expect_holds(of(algorithm, 3, {{Budget::pause, 1}}));
    expect_holds(of(algorithm, 3, {{Budget::join, 1}, {Budget::crash, 1}}));
  }
}

TEST(Recovery, HoldsWhenTwoOfThreeCrash) {
  for (const char* algorithm : {"naimi-trehel", "central"})
    expect_holds(of(algorithm, 3, {{Budget::crash, 2}}));
}

TEST(Recovery, EveryRuleIsNeeded) {
  // The checker runs no commands: `conch survive` tests that rule (group_simulation_test.cpp).
  ASSERT_EQ(specimens().size() + 1, recovery::rules.size());
  EXPECT_EQ(recovery::rules.back(), recovery::Rule::command);
  for (std::size_t i = 0; i < specimens().size(); ++i) {
    const Specimen& specimen = specimens()[i];
    EXPECT_EQ(specimen.rule, recovery::rules[i]);
    Options options = specimen.options();
    CheckReport report = check(options);
    ASSERT_TRUE(report.violation) << command(options);
    EXPECT_EQ(word(report.violation->property), word(specimen.caught_by)) << command(options);
    EXPECT_LE(report.steps.size(), 16u) << describe_counterexample(options, report);
    options.setting.without = Rule::none;
    expect_holds(options);
  }
}

TEST(Recovery, AStoryHasAllItsSteps) {
  const Specimen& lease = specimens()[3];
  CheckReport report = check(lease.options());
  std::string story = describe_counterexample(lease.options(), report);
  EXPECT_NE(story.find("'s lease ends"), std::string::npos) << story;
  EXPECT_NE(story.find(std::to_string(report.steps.size()) + ". "), std::string::npos) << story;
  EXPECT_NE(story.find(" enters with fence 2.1"), std::string::npos) << story;
  EXPECT_EQ(command(lease.options()),
            "check naimi-trehel --recovery --nodes 2 --requests 1 --pause 1 --without lease");
}

TEST(Recovery, SeveralThreadsFindTheSame) {
  Options options = of("naimi-trehel", 3, {{Budget::crash, 1}});
  CheckReport one = check(options);
  options.threads = 3;
  CheckReport three = check(options);
  EXPECT_EQ(one.states, three.states);
  EXPECT_EQ(one.transitions, three.transitions);
  EXPECT_EQ(one.depth, three.depth);
}

TEST(Recovery, MemoryEndsARun) {
  Options options = of("naimi-trehel", 3, {{Budget::crash, 2}});
  options.bytes_max = 1 << 20;
  CheckReport report = check(options);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.incomplete, "the limit of --memory is reached");
}

TEST(Recovery, WhatMakesNoSenseIsRefused) {
  auto refusal = [](const Options& options) -> std::string {
    try {
      check(options);
    } catch (const BadText& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_NE(refusal(of("maekawa-textbook", 3, {})).find("is a specimen"), std::string::npos);
  EXPECT_NE(refusal(of("central", 5, {{Budget::restart, 3}})).find("up to 16 lives"),
            std::string::npos);
  EXPECT_NE(refusal(of("central", 2, {{Budget::join, 3}})).find("only 2 nodes"), std::string::npos);
  Options roster = of("central", 2, {{Budget::join, 1}});
  roster.setting.without = Rule::roster;
  EXPECT_NE(refusal(roster).find("central has none"), std::string::npos);
}

}  // namespace conch::check::group::recovery_check_test
