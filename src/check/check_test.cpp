#include "check/check.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "check/counterexample.hpp"
#include "sim/distribution.hpp"
#include "sim/scenario.hpp"

namespace conch::check::check_test {

Options of(const std::string& algorithm, Node nodes, std::uint32_t requests) {
  Options options;
  options.setting.algorithm = algorithm;
  options.setting.nodes = nodes;
  options.setting.requests = requests;
  options.fifo = find_algorithm(algorithm).about.needs_fifo;
  return options;
}

/// All sound algorithms, or all specimens that can be caught without a clock.
std::vector<std::string> algorithms(bool sound) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog())
    if (entry.about.is_sound() == sound && !entry.about.caught_in.timed)
      names.emplace_back(entry.about.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-' || c == '@') c = '_';
  return name;
}

// Spin finds the same numbers for a Promela model of the algorithm (bench/naimi_trehel.pml).
TEST(Check, CountsTheStatesOfNaimiTrehelAsSpinDoes) {
  struct Row {
    Node nodes;
    std::uint32_t requests;
    std::uint64_t states, transitions;
  };
  for (Row row : {Row{2, 1, 21, 27}, Row{3, 1, 164, 296}, Row{4, 1, 1476, 3352},
                  Row{5, 1, 15456, 42000}, Row{3, 2, 2412, 4488}, Row{4, 2, 107110, 237380}}) {
    Options options = of("naimi-trehel", row.nodes, row.requests);
    options.reduce = false;
    CheckReport report = check(options);
    EXPECT_TRUE(report.complete);
    EXPECT_EQ(report.states, row.states);
    EXPECT_EQ(report.transitions, row.transitions);
  }
}

class Every : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithm, Every, ::testing::ValuesIn(algorithms(true)), test_name);

/// The most nodes that can be explored in a moment.
Node small(const std::string& algorithm) {
  return algorithm == "lamport" || algorithm.starts_with("elmp") ? 2 : 3;
}

TEST_P(Every, HoldsInEveryInterleaving) {
  for (std::uint32_t requests : {1u, 2u}) {
    CheckReport report = check(of(GetParam(), small(GetParam()), requests));
    EXPECT_FALSE(report.violation) << report.violation->what;
    EXPECT_TRUE(report.complete) << report.incomplete;
    EXPECT_TRUE(report.interesting());
  }
}

TEST_P(Every, HoldsInEveryInterleavingWithACancel) {
  Options options = of(GetParam(), small(GetParam()), 1);
  options.budgets[Budget::cancel] = 1;
  CheckReport report = check(options);
  EXPECT_FALSE(report.violation) << report.violation->what
                                 << describe_counterexample(options, report);
  EXPECT_TRUE(report.complete) << report.incomplete;
  EXPECT_TRUE(report.interesting());
}

TEST_P(Every, ReducedExplorationReachesTheSameStatesWithFewerSteps) {
  Options options = of(GetParam(), small(GetParam()), 1);
  options.budgets[Budget::cancel] = 1;
  CheckReport reduced = check(options);
  options.reduce = false;
  CheckReport full = check(options);
  EXPECT_EQ(reduced.states, full.states);
  EXPECT_EQ(reduced.depth, full.depth);
  EXPECT_EQ(reduced.sometimes, full.sometimes);
  EXPECT_EQ(reduced.violation.has_value(), full.violation.has_value());
  EXPECT_LT(reduced.transitions, full.transitions);
}

TEST_P(Every, SeveralThreadsFindTheSame) {
  Options options = of(GetParam(), small(GetParam()), 1);
  options.reduce = false;
  CheckReport one = check(options);
  options.threads = 3;
  CheckReport three = check(options);
  EXPECT_EQ(one.states, three.states);
  EXPECT_EQ(one.transitions, three.transitions);
  EXPECT_EQ(one.depth, three.depth);
  EXPECT_EQ(one.complete, three.complete);
}

class EverySpecimen : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithm, EverySpecimen, ::testing::ValuesIn(algorithms(false)),
                         test_name);

TEST_P(EverySpecimen, IsCaughtByItsPropertyAndToldInAFewSteps) {
  const About& about = find_algorithm(GetParam()).about;
  const Trap& trap = about.caught_in;
  Options options = of(GetParam(), trap.nodes, trap.requests);
  options.fifo |= trap.leaves > 0 && about.leave_needs_fifo;
  options.setting.newcomers = trap.joins;
  options.setting.tuning.eps = trap.eps;
  for (unsigned size : trap.clusters)
    if (size > 0) options.setting.clusters.push_back(size);
  if (trap.clusters[0] > 0) options.setting.nodes = 0;
  for (Node size : options.setting.clusters) options.setting.nodes += size;
  options.budgets = {
      {Budget::cancel, trap.cancels}, {Budget::leave, trap.leaves}, {Budget::join, trap.joins}};
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation) << report.incomplete;
  EXPECT_EQ(word(report.violation->property), about.caught_by) << report.violation->what;
  EXPECT_LE(report.steps.size(), options.setting.nodes == 2 ? 8u : 40u);
  if (!report.steps.empty()) {
    EXPECT_NE(describe_counterexample(options, report).find("   1. "), std::string::npos);
  }
}

TEST(Check, NaimiTrehelHoldsWithACancelAJoinAndALeave) {
  Options options = of("naimi-trehel", 3, 1);
  options.fifo = true;
  options.setting.newcomers = 1;
  options.budgets = {{Budget::cancel, 1}, {Budget::join, 1}, {Budget::leave, 1}};
  options.threads = 2;
  CheckReport report = check(options);
  EXPECT_FALSE(report.violation) << report.violation->what
                                 << describe_counterexample(options, report);
  EXPECT_TRUE(report.complete);
  EXPECT_TRUE(report.interesting());
}

Options in_clusters(const std::string& algorithm, const std::vector<Node>& sizes,
                    std::uint32_t requests, unsigned eps) {
  Options options = of(algorithm, 0, requests);
  for (Node size : sizes) options.setting.nodes += size;
  options.setting.clusters = sizes;
  options.setting.tuning.eps = eps;
  options.threads = 2;
  return options;
}

class InClusters : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Hierarchical, InClusters,
                         ::testing::Values("proxy", "preempt", "preempt-aggregation"), test_name);

TEST_P(InClusters, HoldsInEveryInterleaving) {
  using Sizes = std::vector<Node>;
  for (const Sizes& sizes : {Sizes{2, 1}, Sizes{1, 2}, Sizes{2, 2}, Sizes{3, 1}, Sizes{2, 1, 1}}) {
    std::uint64_t states_before = 0;
    for (unsigned eps = 0; eps <= (GetParam() == "proxy" ? 0u : 2u); ++eps) {
      Options options = in_clusters(GetParam(), sizes, sizes.size() == 3 ? 1 : 2, eps);
      CheckReport report = check(options);
      EXPECT_FALSE(report.violation)
          << report.violation->what << describe_counterexample(options, report);
      EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
      // With eps 1 requests overtake each other, so there are more states than with eps 0.
      EXPECT_GT(report.states, eps == 1 ? states_before : 0) << eps;
      states_before = report.states;
    }
  }
}

TEST_P(InClusters, HoldsInEveryInterleavingWithCancels) {
  for (const std::vector<Node>& sizes : {std::vector<Node>{2, 1}, {1, 2}}) {
    Options options = in_clusters(GetParam(), sizes, 1, 1);
    options.budgets[Budget::cancel] = 2;
    CheckReport report = check(options);
    EXPECT_FALSE(report.violation)
        << report.violation->what << describe_counterexample(options, report);
    EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
  }
}

// With sites, the algorithm keeps a count for each level of nearness, and requests of the same site
// overtake, too.
TEST_P(InClusters, HoldsInEveryInterleavingWithSites) {
  Options options = in_clusters(GetParam(), {2, 1, 1}, 1, 1);
  std::uint64_t states_without = check(options).states;
  options.setting.sites = {1, 2};
  CheckReport report = check(options);
  EXPECT_FALSE(report.violation) << report.violation->what
                                 << describe_counterexample(options, report);
  EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
  EXPECT_NE(report.states, states_without);
}

TEST(Check, SitesHaveAllTheClusters) {
  Options options = in_clusters("preempt", {1, 1, 1}, 1, 0);
  options.setting.sites = {1, 1};
  EXPECT_THROW(validate(options), BadText);
}

TEST(Check, ClustersHaveAllTheNodes) {
  Options options = in_clusters("preempt", {2, 1}, 1, 0);
  options.setting.nodes = 4;
  EXPECT_THROW(validate(options), BadText);
}

TEST(Check, ACounterexampleInClustersReplays) {
  Options options = in_clusters("preempt-aggregation@stored-queue", {2, 1}, 1, 1);
  CheckReport report = check(options);
  std::string scenario = to_scenario(options, report);
  EXPECT_EQ(sim::replay(scenario), scenario);
  EXPECT_NE(scenario.find("eps 1 clusters 2 1"), std::string::npos) << scenario;
  EXPECT_NE(scenario.find("violated"), std::string::npos) << scenario;
  options.setting.sites = {1, 1};
  scenario = to_scenario(options, check(options));
  EXPECT_EQ(sim::replay(scenario), scenario);
  EXPECT_NE(scenario.find("clusters 2 1 sites 1 1"), std::string::npos) << scenario;
}

TEST(Check, AStructureIsExamined) {
  CheckReport report = check(of("elmp", 2, 1));
  EXPECT_FALSE(report.violation) << report.violation->what;
  EXPECT_TRUE(report.sometimes.at(Sometimes::examined));
  EXPECT_FALSE(check(of("naimi-trehel", 2, 1)).sometimes.contains(Sometimes::examined));
}

TEST(Check, ElmpHoldsWithThreeMembersAndACancel) {
  for (std::string name : {"elmp", "elmp-trylock"}) {
    Options options = of(name, 3, 1);
    options.budgets[Budget::cancel] = 1;
    CheckReport report = check(options);
    EXPECT_FALSE(report.violation)
        << report.violation->what << describe_counterexample(options, report);
    EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
  }
}

// `conch check elmp --cancel 1 --join 1 --leave 1` explores all of these together, in half a
// minute.
TEST(Check, ElmpHoldsWithNewcomersAndLeavers) {
  for (auto [cancels, joins, leaves] : {std::array{0U, 1U, 1U}, {1U, 1U, 0U}, {0U, 0U, 2U}}) {
    for (std::string name : {"elmp", "elmp-lazy"}) {
      Options options = of(name, leaves == 2 ? 2 : 3, 1);
      options.setting.newcomers = joins;
      options.budgets = {{Budget::cancel, cancels}, {Budget::join, joins}, {Budget::leave, leaves}};
      options.threads = 2;
      CheckReport report = check(options);
      EXPECT_FALSE(report.violation)
          << report.violation->what << describe_counterexample(options, report);
      EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
    }
  }
}

TEST(Check, NaimiTrehelHoldsWhenSeveralLeaveAtOnce) {
  for (std::string name : {"naimi-trehel", "proxy"}) {
    for (Node nodes : {2u, 3u}) {
      Options options = of(name, nodes, 1);
      options.fifo = true;
      options.budgets[Budget::leave] = 2;
      options.threads = 2;
      CheckReport report = check(options);
      EXPECT_FALSE(report.violation)
          << report.violation->what << describe_counterexample(options, report);
      EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
    }
  }
}

// The newcomer joins through a leaver, even when only that leaver still keeps the group alive.
TEST(Check, ANewcomerIsWelcomedWhileAllOthersLeave) {
  for (std::string name : {"naimi-trehel", "proxy"}) {
    Options options = of(name, 3, 1);
    options.fifo = true;
    options.setting.newcomers = 1;
    options.budgets = {{Budget::join, 1}, {Budget::leave, 2}};
    options.threads = 2;
    CheckReport report = check(options);
    EXPECT_FALSE(report.violation)
        << report.violation->what << describe_counterexample(options, report);
    EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
  }
}

// The nearest violation is that a suspected waiter is forgotten. To suspect a holder, so that its
// successor enters too early, takes more steps.
TEST(Check, AFalseSuspicionBreaksTheServersPromises) {
  Options options = of("central", 3, 1);
  options.budgets[Budget::suspect] = 1;
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->property, sim::Property::progress);
}

// A process may crash in any state, and each of the others may be told of it at any time.
TEST(Check, RicartAgrawalaStandsACrashThatEverybodyIsToldOf) {
  for (auto [nodes, cancels] : {std::pair{3U, 0U}, {2U, 1U}}) {
    Options options = of("ricart-agrawala", nodes, 1);
    options.budgets = {{Budget::crash, 1}, {Budget::cancel, cancels}};
    options.detect = true;
    options.threads = 2;
    CheckReport report = check(options);
    EXPECT_FALSE(report.violation)
        << report.violation->what << describe_counterexample(options, report);
    EXPECT_TRUE(report.complete && report.interesting()) << report.incomplete;
    options.detect = false;
    report = check(options);
    ASSERT_TRUE(report.violation);
    EXPECT_EQ(report.violation->property, sim::Property::progress);
  }
}

// A suspect gets no reply, so the first violation is a waiter that is stuck, not two holders.
TEST(Check, AFalseSuspicionBreaksThePromisesOfRicartAgrawala) {
  Options options = of("ricart-agrawala", 2, 1);
  options.budgets[Budget::suspect] = 1;
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->property, sim::Property::progress);
}

TEST(Check, ReadersAndAWriterHoldAtTheServer) {
  for (Node readers : {2u, 3u}) {
    Options options = of("central", 3, 2);
    options.setting.readers = readers;
    options.budgets[Budget::cancel] = 1;
    CheckReport report = check(options);
    EXPECT_FALSE(report.violation)
        << report.violation->what << describe_counterexample(options, report);
    EXPECT_TRUE(report.complete);
    EXPECT_TRUE(report.interesting());
  }
}

// The suspected holder still reads while node 2 writes.
TEST(Check, AFalselySuspectedReaderMeetsAWriter) {
  Options options = of("central", 3, 1);
  options.setting.readers = 2;
  options.budgets[Budget::suspect] = 1;
  options.livelock = false;
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation);
  EXPECT_NE(to_scenario(options, report).find("request 1 read"), std::string::npos);
}

TEST(Check, ReadersNeedAnAlgorithmThatShares) {
  Options options = of("raymond", 3, 1);
  options.setting.readers = 1;
  EXPECT_THROW(validate(options), BadText);
}

TEST(Check, ALostMessageStopsThoseThatWait) {
  Options options = of("naimi-trehel", 2, 1);
  options.budgets[Budget::lose] = 1;
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->property, sim::Property::progress);
}

TEST(Check, ADuplicatedTokenBreaksSafety) {
  Options options = of("naimi-trehel", 2, 1);
  options.budgets[Budget::duplicate] = 1;
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation);
  EXPECT_TRUE(sim::is_safety(report.violation->property));
}

TEST(Check, ACrashedHolderTakesTheTokenAlong) {
  Options options = of("naimi-trehel", 2, 1);
  options.budgets[Budget::crash] = 1;
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->property, sim::Property::progress);
}

TEST(Check, ALivelockIsACycleOneCanRead) {
  Options options = of("ring@passes-by", 2, 1);
  CheckReport report = check(options);
  ASSERT_TRUE(report.violation);
  EXPECT_NE(report.violation->what.find("livelock"), std::string::npos);
  ASSERT_TRUE(report.cycle);
  EXPECT_NE(describe_counterexample(options, report).find("round and round"), std::string::npos);
}

TEST(Check, AScenarioOfACounterexampleReplaysStepForStep) {
  for (const char* name : {"naimi-trehel@idle-owner", "maekawa-textbook"}) {
    Options options = of(name, 3, 1);
    CheckReport report = check(options);
    std::string scenario = to_scenario(options, report);
    EXPECT_EQ(sim::replay(scenario), scenario);
    EXPECT_EQ(scenario.find("error:"), std::string::npos) << scenario;
    EXPECT_NE(scenario.find("violated"), std::string::npos) << scenario;
  }
}

TEST(Check, ATraceOfACounterexampleHasClocks) {
  Options options = of("naimi-trehel@idle-owner", 2, 1);
  CheckReport report = check(options);
  std::ostringstream out;
  auto sink = sim::shiviz_sink(out);
  write_trace(options, report, *sink);
  EXPECT_NE(out.str().find("0 {\"0\":1,\"1\":2}\nreceive <- 1 REQUEST(origin 1)"),
            std::string::npos)
      << out.str();
}

TEST(Check, ARunThatIsStoppedSaysSo) {
  std::atomic<bool> stop = true;
  Options options = of("naimi-trehel", 4, 2);
  options.stop = &stop;
  CheckReport report = check(options);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.incomplete, "interrupted");
}

TEST(State, KeepsTheOrderOfAFifoChannelAndSortsAnyOther) {
  auto packet = [](std::uint32_t message) { return PackedMessage::make(0, 1, MessageId{message}); };
  for (bool fifo : {true, false}) {
    State state(2);
    state.add(packet(7), fifo);
    state.add(packet(3), fifo);
    EXPECT_EQ(state.packet(0), fifo ? packet(7) : packet(3));
  }
}

TEST(State, HasRoomForSoManyMessagesOnly) {
  State state(2);
  auto fill = [&] {
    for (std::uint32_t i = 0; i < 1000; ++i)
      state.add(PackedMessage::make(0, 1, MessageId{i}), false);
  };
  EXPECT_THROW(fill(), std::length_error);
}

TEST(Check, WhatCannotBeCombinedIsRefused) {
  Options options = of("lamport", 3, 1);
  options.fifo = false;
  EXPECT_THROW(check(options), BadText);
  options = of("naimi-trehel", 16, 1);
  EXPECT_THROW(check(options), BadText);
  options = of("naimi-trehel", 3, 1);
  options.budgets[Budget::leave] = 1;
  EXPECT_THROW(check(options), BadText);
  options = of("ring", 3, 1);
  options.budgets[Budget::suspect] = 1;
  EXPECT_THROW(check(options), BadText);
  options.budgets = {{Budget::crash, 1}};
  options.detect = true;
  EXPECT_THROW(check(options), BadText);
}

}  // namespace conch::check::check_test
