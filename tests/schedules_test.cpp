// Every algorithm under thousands of seeded schedules: reordering channels where it needs no FIFO,
// and lossy ones under the link, with random cancels; where members may come and go they do, too.
#include <gtest/gtest.h>

#include "sim/simulation.hpp"

namespace conch::sim {
namespace {

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
  if (options.channel == Channel::any) command += " --channel any";
  if (options.churn > 0) command += " --churn 50%";
  if (options.readers > 0) command += " --readers 60%";
  if (options.ranges > 1) command += " --ranges " + std::to_string(options.ranges);
  if (options.faults.lose > 0) command += " --lose 10% --duplicate 10%";
  return command + " --seed " + std::to_string(options.seed);
}

/// Runs all seeds; every run must hold, and over all of them the interesting things must happen.
template <class Change>
void run_all(std::string_view algorithm, Change&& change) {
  std::uint64_t entries = 0, withdrawn = 0, contended = 0;
  Company company;
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
    if (!result.company) continue;
    company.add(*result.company);
    if (options.nodes() == 9) sharing = options;
  }
  if (sharing) {
    EXPECT_EQ(missed(company, *sharing), std::nullopt);
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
    if (entry.about.use == Use::real && offered) names.emplace_back(entry.about.name);
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
  run_all(GetParam(),
          [&](Options& options) { options.channel = needs_fifo ? Channel::fifo : Channel::any; });
}

TEST_P(Schedules, HoldsOnLossyChannelsUnderTheLink) {
  run_all(GetParam(), [](Options& options) {
    options.channel = Channel::any;
    options.faults.lose = 0.1;
    options.faults.duplicate = 0.1;
  });
}

class Together : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Every, Together, ::testing::ValuesIn(algorithms(Offer::shared)),
                         test_name);

TEST_P(Together, ReadersAndWritersHold) {
  run_all(GetParam(), [](Options& options) {
    options.channel = Channel::any;
    options.readers = 0.6;
  });
}

TEST_P(Together, RangesHold) {
  run_all(GetParam(), [](Options& options) {
    options.channel = Channel::any;
    options.ranges = static_cast<std::uint32_t>(2 + options.seed % 7);
  });
}

TEST_P(Together, ReadersAndRangesHoldOnLossyChannels) {
  run_all(GetParam(), [](Options& options) {
    options.channel = Channel::any;
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
    options.channel = needs_fifo ? Channel::fifo : Channel::any;
  });
}

TEST_P(Membership, HoldsWithJoinsAndLeavesOnLossyChannels) {
  run_all(GetParam(), [](Options& options) {
    options.churn = 0.5;
    options.channel = Channel::any;
    options.faults.lose = 0.1;
    options.faults.duplicate = 0.1;
  });
}

/// Whether the specimen's property breaks in one of so many runs of its trap.
bool is_caught(const About& about, std::string& otherwise) {
  const Trap& trap = about.caught_in;
  for (std::uint64_t seed = 1; seed <= trap.schedules; ++seed) {
    Options options = schedule(about.name, seed);
    options.clusters = {trap.nodes};
    options.requests = trap.requests;
    options.remote_latency = options.local_latency;
    options.channel = about.needs_fifo || about.leave_needs_fifo ? Channel::fifo : Channel::any;
    options.cancel = trap.cancels > 0 ? 0.3 : 0;
    options.churn = trap.leaves + trap.joins > 0 ? 0.5 : 0;
    std::optional<Violation> violation = simulate(options).violation;
    if (!violation) continue;
    if (word(violation->property) == about.caught_by) return true;
    otherwise += std::string(word(violation->property)) + ": " + violation->what + "\n";
  }
  return false;
}

TEST(Specimens, AreCaughtWhereTheyAreTooLargeToExplore) {
  for (const CatalogEntry& entry : catalog()) {
    std::string otherwise;
    if (entry.about.caught_in.schedules == 0) continue;
    EXPECT_TRUE(is_caught(entry.about, otherwise)) << entry.about.name << "\n" << otherwise;
  }
}

}  // namespace
}  // namespace conch::sim
