#include "sim/visits.hpp"

#include <gtest/gtest.h>

#include "sim/simulation.hpp"

namespace conch::sim::visits_test {

using namespace std::chrono_literals;

/// Two clusters of two; a visit may have three entries.
VisitOracle oracle(Duration known_after = {}) {
  return VisitOracle({{0, 0, 1, 1}, known_after, {3, 3}});
}
Finding enter(VisitOracle& oracle, Node node, Time now) {
  oracle.requested(node, now);
  return oracle.entered(node, now);
}

TEST(Visits, AreTooLongWhileSomebodyOutsideWaits) {
  VisitOracle visits = oracle();
  visits.requested(2, Time(0s));
  for (Node node : {0u, 1u, 0u}) EXPECT_EQ(enter(visits, node, Time(1s)), std::nullopt);
  Finding finding = enter(visits, 1, Time(2s));
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->find("4 entries"), std::string::npos) << *finding;
  EXPECT_EQ(visits.visits().longest, 4u);
}

TEST(Visits, MayBeLongWhileNobodyOutsideWaits) {
  VisitOracle visits = oracle();
  visits.requested(1, Time(0s));  // of the same cluster
  for (int i = 0; i < 9; ++i) EXPECT_EQ(enter(visits, 0, Time(1s)), std::nullopt);
  visits.requested(2, Time(1s));
  visits.gave_up(2);
  EXPECT_EQ(enter(visits, 0, Time(2s)), std::nullopt);
  EXPECT_EQ(visits.visits().count, 0u);
}

TEST(Visits, EndWhenAnotherClusterEnters) {
  VisitOracle visits = oracle();
  visits.requested(3, Time(0s));
  for (Node node : {0u, 1u, 0u}) EXPECT_EQ(enter(visits, node, Time(1s)), std::nullopt);
  visits.requested(1, Time(1s));
  EXPECT_EQ(enter(visits, 2, Time(2s)), std::nullopt);
  for (Node node : {0u, 0u, 0u}) EXPECT_EQ(enter(visits, node, Time(3s)), std::nullopt);
  EXPECT_EQ(visits.visits().count, 3u);
}

TEST(Visits, CountFromWhenARequestIsKnown) {
  VisitOracle visits = oracle(10s);
  visits.requested(2, Time(0s));
  for (int i = 0; i < 9; ++i) EXPECT_EQ(enter(visits, 0, Time(9s)), std::nullopt);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(enter(visits, 0, Time(10s)), std::nullopt);
  EXPECT_TRUE(enter(visits, 0, Time(10s)));
}

TEST(Visits, CountWhoseRequestIsYoungerAsPreempting) {
  VisitOracle visits = oracle();
  visits.requested(0, Time(0s));
  visits.requested(2, Time(1s));
  visits.requested(1, Time(2s));
  visits.entered(0, Time(3s));  // it was first
  EXPECT_EQ(visits.visits().most_preemptions, 0u);
  visits.entered(1, Time(4s));
  EXPECT_EQ(enter(visits, 0, Time(5s)), std::nullopt);
  EXPECT_EQ(visits.visits().longest, 3u);
  EXPECT_EQ(visits.visits().most_preemptions, 2u);
}

/// Realistic latencies: local ones far below the others.
Options realistic(std::string_view algorithm, unsigned eps, std::uint64_t seed) {
  Options options;
  options.algorithm = algorithm;
  options.seed = seed;
  options.tuning.eps = eps;
  options.clusters = {3, 3, 3};
  options.hold = Distribution::constant(500ms);
  options.think = Distribution::exponential(seed % 2 == 0 ? 100ms : 500ms);
  options.local_latency = Distribution::uniform(100us, 500us);
  options.remote_latency = Distribution::constant(600ms);
  options.visits_checked = true;
  return options;
}

std::uint64_t longest_visit(const Options& options) {
  Result result = simulate(options);
  EXPECT_FALSE(result.violation) << options.algorithm << ": " << result.violation->what;
  return result.visits->longest;
}

TEST(Visits, HaveAtMostNAndEpsAndOneEntriesAtRealisticLatencies) {
  for (std::string name : {"preempt", "preempt-aggregation"}) {
    for (unsigned eps = 0; eps <= 3; ++eps) {
      std::uint64_t longest = 0;
      for (std::uint64_t seed = 1; seed <= 250; ++seed)
        longest = std::max(longest, longest_visit(realistic(name, eps, seed)));
      EXPECT_GE(longest, 3 + eps) << name << ", eps " << eps;  // or no node overtook
      EXPECT_LE(longest, 3 + eps + 1) << name << ", eps " << eps;
    }
  }
}

TEST(Visits, HoldInRandomLayoutsWithAndWithoutSites) {
  for (std::string name : {"preempt", "preempt-aggregation"}) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      Random random(seed, 77);
      Options options = realistic(name, static_cast<unsigned>(random.below(4)), seed);
      options.clusters.resize(2 + random.below(4));
      for (Node& size : options.clusters) size = static_cast<Node>(1 + random.below(4));
      auto clusters = static_cast<Node>(options.clusters.size());
      if (random.chance(0.5)) {
        auto first = static_cast<Node>(1 + random.below(clusters - 1));
        options.sites = {first, clusters - first};
        options.site_latency = Distribution::uniform(5ms, 20ms);
      }
      longest_visit(options);
      if (HasFailure()) return;
    }
  }
}

// With a larger eps, racks of a site overtake other sites, so the lock changes sites less often.
TEST(Visits, ARackOfTheSameSiteOvertakesAnotherSite) {
  std::map<unsigned, double> waits;
  for (unsigned eps : {0u, 2u}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Options options = realistic("preempt-aggregation", eps, seed);
      options.clusters = {1, 1, 1, 1};
      options.sites = {2, 2};
      options.site_latency = Distribution::constant(5ms);
      Result result = simulate(options);
      ASSERT_FALSE(result.violation) << result.violation->what;
      waits[eps] += result.report.wait_s.mean;
    }
  }
  EXPECT_LT(waits[2], 0.95 * waits[0]);
}

TEST(Visits, CatchWhatIsSafeAndLiveAndStarves) {
  std::size_t specimens = 0;
  for (const CatalogEntry& entry : catalog()) {
    const Trap& trap = entry.about.caught_in;
    if (entry.about.is_sound() || !trap.timed) continue;
    ++specimens;
    std::uint64_t caught = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Result result = simulate(realistic(entry.about.name, trap.eps, seed));
      if (!result.violation) continue;
      ++caught;
      EXPECT_EQ(word(result.violation->property), entry.about.caught_by);
      Options unwatched = realistic(entry.about.name, trap.eps, seed);
      unwatched.visits_checked = false;
      EXPECT_FALSE(simulate(unwatched).violation) << "it is safe and live";
    }
    EXPECT_GT(caught, 5u) << entry.about.name;
  }
  EXPECT_EQ(specimens, 2u);
}

}  // namespace conch::sim::visits_test
