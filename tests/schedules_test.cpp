// Runs every algorithm under thousands of seeded schedules with random cancels: over channels that
// reorder where it needs no FIFO, and over lossy ones below the link. Members come and go where the
// algorithm allows that.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "sim/simulation.hpp"

namespace conch::sim::schedules_test {

using namespace std::chrono_literals;

constexpr std::uint64_t seeds = 2000;

/// A small system whose size, load and latencies depend on the seed.
Options schedule(std::string_view algorithm, std::uint64_t seed) {
  Options options;
  options.algorithm = algorithm;
  options.seed = seed;
  options.clusters = {static_cast<Node>(2 + seed % 8)};
  options.requests = 5;
  options.think = seed % 3 == 0 ? Distribution::constant(0ns) : Distribution::exponential(10ms);
  options.hold = Distribution::exponential(seed % 2 == 0 ? 1ms : 10ms);
  options.local_latency = Distribution::exponential(2ms);
  options.cancel = 0.3;
  return options;
}

std::string repeat(const Options& options) {
  std::string command = "conch sim " + options.algorithm + " --nodes " +
                        std::to_string(options.nodes()) + " --requests 5 --think " +
                        options.think.print() + " --hold " + options.hold.print() + " --latency " +
                        options.local_latency.print() + " --cancel 30%";
  if (options.channel == ChannelOrder::any) command += " --channel any";
  if (options.churn > 0) command += " --churn 50%";
  if (options.readers > 0) command += " --readers 60%";
  if (options.ranges > 1) command += " --ranges " + std::to_string(options.ranges);
  if (options.faults.lose > 0) command += " --lose 10% --duplicate 10%";
  return command + " --seed " + std::to_string(options.seed);
}

/// Runs all seeds. Every run must hold, and all runs together must show the interesting events.
template <class Change>
void run_all(std::string_view algorithm, Change&& change) {
  std::uint64_t entries = 0, withdrawn = 0, contended = 0;
  SharingStats stats;
  std::optional<Options> sharing;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Options options = schedule(algorithm, seed);
    change(options);
    options.remote_latency = options.local_latency;
    Result result = simulate(options);
    ASSERT_FALSE(result.violation) << word(result.violation->property) << ": "
                                   << result.violation->what << "\n  repeat: " << repeat(options);
    entries += result.report.entries;
    withdrawn += result.report.withdrawn;
    contended += result.report.sync_delays;
    if (!result.sharing) continue;
    stats.add(*result.sharing);
    if (options.nodes() == 9) sharing = options;
  }
  if (sharing) {
    EXPECT_EQ(missed(stats, *sharing), std::nullopt);
  }
  EXPECT_GT(entries, seeds * 5);
  EXPECT_GT(withdrawn, seeds);
  EXPECT_GT(contended, seeds);
}

class Schedules : public ::testing::TestWithParam<std::string> {};

enum class Offer : std::uint8_t { all, dynamic, shared };

std::vector<std::string> algorithms(Offer offer) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    bool offered = offer == Offer::all || (offer == Offer::dynamic && entry.can.dynamic) ||
                   (offer == Offer::shared && entry.can.shared);
    if (entry.about.is_sound() && offered) names.emplace_back(entry.about.name);
  }
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, Schedules, ::testing::ValuesIn(algorithms(Offer::all)), test_name);

TEST_P(Schedules, HoldsOnReorderingChannelsOrFifoOnes) {
  bool needs_fifo = find_algorithm(GetParam()).about.needs_fifo;
  run_all(GetParam(), [&](Options& options) {
    options.channel = needs_fifo ? ChannelOrder::fifo : ChannelOrder::any;
  });
}

TEST_P(Schedules, HoldsOnLossyChannelsUnderTheLink) {
  run_all(GetParam(), [](Options& options) {
    options.channel = ChannelOrder::any;
    options.faults.lose = 0.1;
    options.faults.duplicate = 0.1;
  });
}

class Together : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Every, Together, ::testing::ValuesIn(algorithms(Offer::shared)),
                         test_name);

TEST_P(Together, ReadersAndWritersHold) {
  run_all(GetParam(), [](Options& options) {
    options.channel = ChannelOrder::any;
    options.readers = 0.6;
  });
}

TEST_P(Together, RangesHold) {
  run_all(GetParam(), [](Options& options) {
    options.channel = ChannelOrder::any;
    options.ranges = static_cast<std::uint32_t>(2 + options.seed % 7);
  });
}

TEST_P(Together, ReadersAndRangesHoldOnLossyChannels) {
  run_all(GetParam(), [](Options& options) {
    options.channel = ChannelOrder::any;
    options.readers = 0.6;
    options.ranges = static_cast<std::uint32_t>(2 + options.seed % 7);
    options.faults.lose = 0.1;
    options.faults.duplicate = 0.1;
  });
}

class Membership : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Every, Membership, ::testing::ValuesIn(algorithms(Offer::dynamic)),
                         test_name);

TEST_P(Membership, HoldsWithJoinsAndLeaves) {
  const About& about = find_algorithm(GetParam()).about;
  bool needs_fifo = about.needs_fifo || about.leave_needs_fifo;
  run_all(GetParam(), [&](Options& options) {
    options.churn = 0.5;
    options.channel = needs_fifo ? ChannelOrder::fifo : ChannelOrder::any;
  });
}

TEST_P(Membership, HoldsWithJoinsAndLeavesOnLossyChannels) {
  run_all(GetParam(), [](Options& options) {
    options.churn = 0.5;
    options.channel = ChannelOrder::any;
    options.faults.lose = 0.1;
    options.faults.duplicate = 0.1;
  });
}

// Thousands of layouts for the hierarchical algorithms: clusters of one or several members, of
// equal or different sizes, with or without sites, with any threshold.

constexpr std::uint64_t layouts = 5000;

Options layout(std::string_view algorithm, std::uint64_t seed, ChannelOrder channel) {
  Options options = schedule(algorithm, seed);
  Random random(seed, 4711);
  options.tuning.eps = static_cast<unsigned>(seed % 4);
  options.clusters.resize(1 + random.below(5));
  for (Node& size : options.clusters) size = static_cast<Node>(1 + random.below(4));
  auto clusters = static_cast<Node>(options.clusters.size());
  if (clusters > 1 && random.chance(0.3)) {
    auto first = static_cast<Node>(1 + random.below(clusters - 1));
    options.sites = {first, clusters - first};
  }
  options.remote_latency = Distribution::exponential(seed % 5 == 0 ? 2ms : 20ms);
  options.cancel = seed % 2 == 0 ? 0.2 : 0;
  options.channel = channel;
  return options;
}

std::string repeat_layout(const Options& options) {
  std::string sizes, sites;
  for (Node size : options.clusters) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
  for (Node size : options.sites) sites += (sites.empty() ? "" : ",") + std::to_string(size);
  std::string command = "conch sim " + options.algorithm + " --clusters " + sizes;
  if (!sites.empty()) command += " --sites " + sites;
  if (options.channel == ChannelOrder::any) command += " --channel any";
  return command + " --eps " + std::to_string(options.tuning.eps) + " --requests 5 --think " +
         options.think.print() + " --hold " + options.hold.print() + " --local-latency " +
         options.local_latency.print() + " --remote-latency " + options.remote_latency.print() +
         (options.cancel > 0 ? " --cancel 20%" : "") + " --seed " + std::to_string(options.seed);
}

/// The events of all layouts together.
struct Seen {
  std::uint64_t entries = 0, withdrawn = 0, global = 0;
  /// QUEUE messages by eps: without a threshold algorithms aggregate; with one they also preempt.
  std::map<unsigned, std::uint64_t> queues;
};

void run_layouts(std::string_view algorithm, ChannelOrder channel, Seen& seen) {
  for (std::uint64_t seed = 1; seed <= layouts; ++seed) {
    Options options = layout(algorithm, seed, channel);
    Result result = simulate(options);
    ASSERT_FALSE(result.violation)
        << word(result.violation->property) << ": " << result.violation->what
        << "\n  repeat: " << repeat_layout(options);
    seen.entries += result.report.entries;
    seen.withdrawn += result.report.withdrawn;
    seen.global += result.report.messages.global;
    seen.queues[options.tuning.eps] += result.report.messages.by_type["QUEUE"];
  }
  EXPECT_GT(seen.entries, layouts * 5);
  EXPECT_GT(seen.withdrawn, layouts / 10);
}

class Layouts : public ::testing::TestWithParam<ChannelOrder> {};
INSTANTIATE_TEST_SUITE_P(Hierarchical, Layouts,
                         ::testing::Values(ChannelOrder::fifo, ChannelOrder::any),
                         [](const auto& each) {
                           return each.param == ChannelOrder::fifo ? "fifo" : "any";
                         });

TEST_P(Layouts, ProxyHoldsAndKeepsRequestsInTheirCluster) {
  Seen proxy, flat;
  run_layouts("proxy", GetParam(), proxy);
  run_layouts("naimi-trehel", GetParam(), flat);
  EXPECT_LT(proxy.global, flat.global);
}

TEST_P(Layouts, PreemptHoldsAndOvertakesIfItMay) {
  Seen seen;
  run_layouts("preempt", GetParam(), seen);
  EXPECT_EQ(seen.queues[0], 0u);
  for (unsigned eps = 1; eps <= 3; ++eps) EXPECT_GT(seen.queues[eps], layouts / 10) << eps;
}

TEST_P(Layouts, PreemptAggregationHoldsAggregatesAndOvertakesIfItMay) {
  Seen seen;
  run_layouts("preempt-aggregation", GetParam(), seen);
  EXPECT_GT(seen.queues[0], layouts / 10);
  for (unsigned eps = 1; eps <= 3; ++eps) EXPECT_GT(seen.queues[eps], seen.queues[0]) << eps;
}

}  // namespace conch::sim::schedules_test
