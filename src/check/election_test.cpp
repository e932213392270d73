// Explores every interleaving of small elections.
#include <gtest/gtest.h>

#include "check/check.hpp"
#include "check/counterexample.hpp"
#include "sim/distribution.hpp"
#include "sim/scenario.hpp"

namespace conch::check::election_test {

Options of(const std::string& algorithm, Node nodes) {
  Options options;
  options.setting.algorithm = algorithm;
  options.setting.nodes = nodes;
  options.fifo = find_any(algorithm).about.needs_fifo;
  options.threads = 2;
  return options;
}

void expect_held(const Options& options) {
  CheckReport report = check(options);
  EXPECT_FALSE(report.violation) << report.violation->what
                                 << describe_counterexample(options, report);
  EXPECT_TRUE(report.complete) << report.incomplete;
  EXPECT_TRUE(report.interesting());
}

TEST(CheckElections, ChangRobertsHoldsOnEveryRingWithEveryStarter) {
  for (Node nodes : {1u, 2u, 3u, 4u}) expect_held(of("chang-roberts", nodes));
}

TEST(CheckElections, ChangRobertsHoldsWhenCoordinatorsRetire) {
  Options options = of("chang-roberts", 3);
  options.setting.requests = 2;
  options.budgets[Budget::retire] = 2;
  expect_held(options);
}

TEST(CheckElections, ChangRobertsNeedsFifo) {
  EXPECT_THROW(
      {
        Options options = of("chang-roberts", 3);
        options.fifo = false;
        check(options);
      },
      BadText);
}

TEST(CheckElections, BulliesHoldWithACrash) {
  for (std::string name : {"bully", "bully-polite"}) {
    Options options = of(name, 3);
    options.budgets[Budget::crash] = 1;
    expect_held(options);
  }
}

TEST(CheckElections, BulliesOfTwoHoldWithACrashARestartAndARetirement) {
  for (std::string name : {"bully", "bully-polite"}) {
    Options options = of(name, 2);
    options.budgets = {{Budget::crash, 1}, {Budget::restart, 1}, {Budget::retire, 2}};
    expect_held(options);
  }
}

TEST(CheckElections, FewerStepsReachTheSameStates) {
  for (std::string name : {"chang-roberts", "bully"}) {
    Options options = of(name, 3);
    CheckReport reduced = check(options);
    options.reduce = false;
    CheckReport full = check(options);
    EXPECT_EQ(reduced.states, full.states);
    EXPECT_EQ(reduced.depth, full.depth);
    EXPECT_LT(reduced.transitions, full.transitions);
  }
}

class EveryElectionSpecimen : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> specimens() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : elections())
    if (!entry.about.is_sound() && !entry.about.caught_in.timed)
      names.emplace_back(entry.about.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Election, EveryElectionSpecimen, ::testing::ValuesIn(specimens()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '-' || c == '@') c = '_';
                           return name;
                         });

TEST_P(EveryElectionSpecimen, IsCaughtByItsPropertyAndReplayed) {
  const About& about = find_any(GetParam()).about;
  Options options = of(GetParam(), about.caught_in.nodes);
  options.budgets = {{Budget::crash, about.caught_in.crashes},
                     {Budget::restart, about.caught_in.restarts},
                     {Budget::retire, about.caught_in.retires}};
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation) << report.incomplete;
  EXPECT_EQ(word(report.violation->property), about.caught_by) << report.violation->what;
  EXPECT_LE(report.steps.size(), 20u);
  std::string script = to_scenario(options, report);
  EXPECT_NE(script.find("VIOLATION " + std::string(about.caught_by)), std::string::npos) << script;
  EXPECT_EQ(sim::replay(script), script);
}

}  // namespace conch::check::election_test
