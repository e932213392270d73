#include "sim/election.hpp"

#include <gtest/gtest.h>

namespace conch::sim::election_test {

using namespace std::chrono_literals;

ElectionOptions of(std::string_view algorithm) {
  ElectionOptions options;
  options.algorithm = algorithm;
  options.drawn_nodes = NodeRange{2, 8};
  return options;
}

struct Tally {
  ElectionSights sights;
  std::uint64_t runs = 0;
  std::optional<Violation> violation;
  std::uint64_t seed = 0;
};

/// Runs the seeds until one fails.
Tally run(const ElectionOptions& options, std::uint64_t seeds) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds && !tally.violation; ++seed) {
    ElectionResult result = simulate(for_seed(options, seed));
    tally.sights.add(result.sights);
    ++tally.runs;
    tally.seed = seed;
    tally.violation = result.violation;
  }
  return tally;
}

class EveryElection : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Real, EveryElection,
                         ::testing::Values("chang-roberts", "bully", "bully-polite"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

void expect_held(const ElectionOptions& options) {
  Tally tally = run(options, 500);
  EXPECT_FALSE(tally.violation) << "seed " << tally.seed << ": " << tally.violation->what;
  ElectionOptions seen = options;
  seen.drawn_nodes = NodeRange{3, 8};
  EXPECT_EQ(missed(tally.sights, seen, tally.runs), std::nullopt);
}

TEST_P(EveryElection, HoldsInManySchedules) { expect_held(of(GetParam())); }

TEST_P(EveryElection, HoldsWhenCoordinatorsRetire) {
  ElectionOptions options = of(GetParam());
  options.retires = 2;
  expect_held(options);
}

TEST_P(EveryElection, TheSameSeedIsTheSameRun) {
  ElectionOptions options = for_seed(of(GetParam()), 7);
  EXPECT_EQ(simulate(options).trace_hash, simulate(options).trace_hash);
  EXPECT_NE(simulate(options).trace_hash, simulate(for_seed(options, 8)).trace_hash);
}

TEST_P(EveryElection, TheLargestOfThoseThatAreUpIsElectedWithoutFaults) {
  ElectionOptions options = of(GetParam());
  options.nodes = 6;
  options.drawn_nodes.reset();
  if (GetParam() != "chang-roberts") options.crashes = 0;
  EXPECT_EQ(simulate(options).coordinator, NodeId{5});
}

TEST(Elections, BulliesHoldOnReorderingChannelsWithManyCrashes) {
  for (std::string name : {"bully", "bully-polite"}) {
    ElectionOptions options = of(name);
    options.channel = ChannelOrder::any;
    options.crashes = 5;
    options.retires = 1;
    expect_held(options);
  }
}

/// 23 announces itself and crashes; 22 restarts just in time to hear of it, and 23 is up again
/// before 22 notices anything. Meanwhile all below have elected 21.
TEST(Elections, ACoordinatorOfAFormerLifeIsForgotten) {
  ElectionOptions options;
  options.algorithm = "bully-polite";
  options.nodes = 24;
  options.starts = 8;
  options.crashes = 6;
  options.restarts = 0.7;
  options.latency = Distribution::uniform(1ms, 50ms);
  options.channel = ChannelOrder::any;
  ElectionResult result = simulate(for_seed(options, 743106612966));
  EXPECT_FALSE(result.violation) << result.violation->what;
  EXPECT_GT(result.sights.died_announcing, 0u);
}

// "with timeouts shorter than the truth two coordinators can coexist for a while"
TEST(Elections, TimeoutsShorterThanTheTruthMakeTwoCoordinators) {
  ElectionOptions options = of("bully");
  options.answer_timeout = 1ms;
  Tally tally = run(options, 20);
  ASSERT_TRUE(tally.violation);
  EXPECT_EQ(tally.violation->property, Property::right_coordinator);
  EXPECT_NE(tally.violation->what.find("two coordinators"), std::string::npos)
      << tally.violation->what;
}

TEST(Elections, ASpecimenIsCaught) {
  EXPECT_EQ(run(of("chang-roberts@participant"), 100).violation->property,
            Property::right_coordinator);
  ElectionOptions restless = of("bully@listening");
  restless.crashes = 4;
  EXPECT_EQ(run(restless, 500).violation->property, Property::right_coordinator);
  EXPECT_EQ(run(of("bully-polite@listening"), 1000).violation->property,
            Property::right_coordinator);
}

/// Sixteen processes on channels that reorder.
ElectionOptions crowd(const std::string& name) {
  ElectionOptions options = of(name);
  options.drawn_nodes.reset();
  options.nodes = 16;
  options.crashes = 0;
  options.channel = ChannelOrder::any;
  return options;
}

TEST(Elections, ABullysMessagesGrowWithTheSquareOfTheGroup) {
  for (std::string name : {"bully", "bully-polite"}) {
    Tally tally = run(crowd(name), 300);
    EXPECT_FALSE(tally.violation) << "seed " << tally.seed << ": " << tally.violation->what;
    ElectionOptions alone = crowd(name);
    alone.starts = 1;
    for (std::uint64_t seed = 1; seed <= 300; ++seed)
      EXPECT_LE(simulate(for_seed(alone, seed)).messages.total, 16u * 15 + 15) << "seed " << seed;
  }
}

TEST(Elections, ABullyWithoutRoundsBeginsExponentiallyMany) {
  Tally tally = run(crowd("bully@round"), 300);
  ASSERT_TRUE(tally.violation);
  EXPECT_EQ(tally.violation->property, Property::all_elect);
}

TEST(Elections, WhatCannotBeIsRefused) {
  ElectionOptions options = of("chang-roberts");
  options.crashes = 1;
  EXPECT_THROW(validate(options), BadText);
  options = of("bully");
  options.latency = Distribution::exponential(1ms);
  EXPECT_THROW(validate(options), BadText);
  EXPECT_THROW(validate(of("central")), BadText);
  EXPECT_THROW(find_algorithm("bully"), UnknownName);
}

// The oracles.

Voter voter(Node node, std::optional<Node> elected) {
  Voter voter{node, {}, false, false};
  if (elected) voter.elected = id_of(*elected);
  return voter;
}

TEST(ElectionOracle, FindsAWrongCoordinator) {
  EXPECT_FALSE(wrong_coordinator({voter(0, 2), voter(2, 2)}, Promise::largest));
  EXPECT_TRUE(wrong_coordinator({voter(0, 0), voter(2, 0)}, Promise::largest));
  EXPECT_FALSE(wrong_coordinator({voter(0, 0), voter(2, 0)}, Promise::one));
  EXPECT_TRUE(wrong_coordinator({voter(0, 1), voter(2, 1)}, Promise::one)) << "1 has crashed";
  EXPECT_TRUE(wrong_coordinator({voter(0, 0), voter(2, 2)}, Promise::one));
  Voter retired = voter(2, 0);
  retired.retired = true;
  EXPECT_FALSE(wrong_coordinator({voter(0, 0), retired}, Promise::largest));
}

TEST(ElectionOracle, FindsWhoIsUndecided) {
  EXPECT_FALSE(undecided({voter(0, 1), voter(1, 1)}));
  EXPECT_TRUE(undecided({voter(0, {}), voter(1, 1)}));
  Voter participant = voter(0, 1);
  participant.participant = true;
  EXPECT_TRUE(undecided({participant, voter(1, 1)}));
}

TEST(ElectionOracle, FindsTwoCoordinatorsOfWhichOneShouldHaveKnown) {
  CoordinatorOracle oracle(3);
  for (Node node : {0u, 1u, 2u}) oracle.candidate(node, Time(0ms));
  oracle.asks(1, Time(1ms));
  EXPECT_FALSE(oracle.elects_itself(1));
  EXPECT_TRUE(oracle.elects_itself(2));
}

TEST(ElectionOracle, AllowsWhoRestartsToTakeOver) {
  CoordinatorOracle oracle(3);
  oracle.candidate(1, Time(0ms));
  oracle.asks(1, Time(1ms));
  EXPECT_FALSE(oracle.elects_itself(1));
  oracle.candidate(2, Time(2ms));
  EXPECT_FALSE(oracle.elects_itself(2));
  EXPECT_FALSE(oracle.steps_back(1));
}

}  // namespace conch::sim::election_test
