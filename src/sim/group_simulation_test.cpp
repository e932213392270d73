#include "sim/group_simulation.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/distribution.hpp"

namespace conch::sim::group_simulation_test {

using recovery::Rule;

GroupSimulationOptions of(const std::string& algorithm, std::uint64_t seed,
                          Rule without = Rule::none) {
  GroupSimulationOptions options;
  options.algorithm = algorithm;
  options.seed = seed;
  options.without = without;
  return options;
}

std::string command(const GroupSimulationOptions& options) {
  return "conch survive " + options.algorithm + " --seed " + std::to_string(options.seed);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EveryAlgorithm : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(GroupSimulation, EveryAlgorithm,
                         ::testing::ValuesIn(surviving_algorithms()), test_name);

TEST_P(EveryAlgorithm, Survives) {
  Sightings seen{};
  const CatalogEntry& entry = find_any(GetParam());
  // An overlay is maintained all the time, which takes as long as ten recoveries.
  std::uint64_t seeds = node::find_routed(GetParam()) ? 40 : 150;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    GroupSimulationOptions options = of(GetParam(), seed);
    GroupSimulationReport report = GroupSimulation(options).run();
    ASSERT_FALSE(report.violation) << report.violation->what << "\n  repeat: " << command(options);
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += report.sightings[i];
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    auto sighting = static_cast<Sighting>(i);
    bool is_rare = seeds < 150 && sighting == Sighting::late_holder_told;
    EXPECT_TRUE(seen[i] > 0 || is_rare || !is_expected(sighting, entry)) << word(sighting);
  }
}

TEST(GroupSimulation, EpochsThatAreRenewedAllTheTime) {
  std::uint64_t worn = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    GroupSimulationOptions options = of("naimi-trehel", seed);
    options.entries_max = 0;
    GroupSimulationReport report = GroupSimulation(options).run();
    ASSERT_FALSE(report.violation) << report.violation->what << "\n  seed " << seed;
    worn += report.sightings[static_cast<std::size_t>(Sighting::epoch_worn)];
  }
  EXPECT_GT(worn, 1000U);
}

TEST(GroupSimulation, WhatIsRareHappens) {
  Sightings seen{};
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    GroupSimulationReport report = GroupSimulation(of("central", seed)).run();
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += report.sightings[i];
  }
  for (Sighting rare : {Sighting::copy_found, Sighting::data_restored})
    EXPECT_GT(seen[static_cast<std::size_t>(rare)], 0U) << word(rare);
}

/// The first of so many seeds with a violation.
std::optional<std::uint64_t> caught(GroupSimulationOptions options, std::uint64_t seeds) {
  for (options.seed = 1; options.seed <= seeds; ++options.seed)
    if (GroupSimulation(options).run().violation) return options.seed;
  return std::nullopt;
}

TEST(GroupSimulation, SpecimensWithoutARuleAreCaught) {
  for (Rule rule : {Rule::old_epochs, Rule::new_epochs, Rule::lease, Rule::acceptance, Rule::fences,
                    Rule::command})
    EXPECT_TRUE(caught(of("central", 1, rule), 500)) << word(rule);
  EXPECT_TRUE(caught(of("naimi-trehel", 1, Rule::incarnation), 1000));
}

TEST(GroupSimulation, LeasesThatDoNotAllowForDriftAreCaught) {
  GroupSimulationOptions options = of("naimi-trehel", 1);
  options.lease.drift_percent = 0;
  options.clock_drift_percent = 10;
  EXPECT_TRUE(caught(options, 2000));
}

TEST(GroupSimulation, ARunIsRepeatedByItsSeed) {
  std::ostringstream first, second;
  GroupSimulation(of("elmp", 7), &first).run();
  GroupSimulation(of("elmp", 7), &second).run();
  EXPECT_GT(first.str().size(), 10'000U);
  EXPECT_EQ(first.str(), second.str());
}

TEST(GroupSimulation, WhatMakesNoSenseIsRefused) {
  auto refused = [](auto change) {
    GroupSimulationOptions options;
    change(options);
    EXPECT_THROW(validate(options), BadText);
  };
  refused([](GroupSimulationOptions& options) { options.algorithm = "maekawa-textbook"; });
  refused([](GroupSimulationOptions& options) { options.nodes_max = 1; });
  refused([](GroupSimulationOptions& options) { options.lease.length = {}; });
  refused([](GroupSimulationOptions& options) { options.clock_drift_percent = 50; });
  refused([](GroupSimulationOptions& options) { options.without = Rule::roster; });
  refused([](GroupSimulationOptions& options) {
    options.algorithm = "sigma";
    options.without = Rule::lease;
  });
  EXPECT_THROW(validate(of("no-such", 1)), UnknownName);
}

// Single faults at given steps.

TEST(Strike, IsReadAsItIsPrinted) {
  for (Strike::Kind kind : strikes) {
    std::string text = print(Strike{137, kind, 1});
    EXPECT_EQ(print(parse_strike(text)), text);
  }
  for (const char* text :
       {"", "137", "137:kill", "137:kill:", "137:kill:1x", "x:kill:1", "1:eat:1"})
    EXPECT_THROW(parse_strike(text), BadText) << text;
}

/// `conch survive --everywhere` tries all of them.
TEST(Strike, AtManyStepsOfAShortRunIsSurvived) {
  for (const char* algorithm : {"naimi-trehel", "elmp", "ricart-agrawala"}) {
    GroupSimulationOptions options;
    options.algorithm = algorithm;
    options.nodes_min = options.nodes_max = 2;
    options.stormy_leases = 4;
    options.faults_max = 2;
    options.seed = 7;
    std::uint64_t steps = GroupSimulation(options).run().steps;
    ASSERT_GT(steps, 300u);
    for (std::uint64_t step = 1; step < steps; step += 9)
      for (Strike::Kind kind : strikes) {
        options.strikes = {{step, kind, static_cast<std::uint32_t>(step % 2)}};
        auto violation = GroupSimulation(options).run().violation;
        EXPECT_FALSE(violation) << algorithm << " " << print(options.strikes[0]) << ": "
                                << violation->what;
      }
  }
}

}  // namespace conch::sim::group_simulation_test
