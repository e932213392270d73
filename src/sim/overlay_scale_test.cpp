// The rounds of section VI of Muhammad 2005, with fixed seeds: nothing here can fail by chance.
#include "sim/overlay_scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace conch::sim::overlay_scale_test {

OverlayScaleOptions small(const std::string& protocol, const std::string& overlay,
                          std::uint64_t seed) {
  OverlayScaleOptions options;
  options.protocol = protocol;
  options.overlay = overlay;
  options.seed = seed;
  options.nodes = 300;
  options.locks = 5;
  options.rounds = 12;
  options.requests = 6;
  options.by_keys = protocol == "sigma" && seed % 2 == 0;
  return options;
}

template <class Check>
void for_each_world(Check&& check) {
  for (const char* protocol : {"sigma", "end-to-end", "non-end-to-end"})
    for (const char* overlay : {"pastry", "chord"})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(std::string(protocol) + " over " + overlay + ", seed " + std::to_string(seed));
        check(small(protocol, overlay, seed));
      }
}

/// The world itself reports two holders, and a lock that is free and wanted when all is quiet.
void expect_sound(const OverlayScaleOptions& options, const OverlayScaleResult& result) {
  EXPECT_FALSE(result.violation) << result.violation->what;
  EXPECT_EQ(result.asked, options.rounds * options.requests);
  EXPECT_LE(result.granted, result.asked);
  EXPECT_GT(result.granted, options.locks);
  EXPECT_EQ(std::accumulate(result.loads.begin(), result.loads.end(), std::uint64_t{0}),
            result.messages);
  for (std::size_t i = 0; i < result.loads.size(); ++i) {
    EXPECT_LE(result.peaks[i], result.loads[i]);
    EXPECT_GE(result.peaks[i] * options.rounds, result.loads[i]);
  }
}

/// A node's peak is less than its load over all rounds, and equal to it in a single round.
TEST(OverlayScaleRun, APeakIsOfASingleRound) {
  for_each_world([](OverlayScaleOptions options) {
    OverlayScaleResult all = run_overlay_scale(options);
    auto peak = *std::max_element(all.peaks.begin(), all.peaks.end());
    EXPECT_LT(peak, *std::max_element(all.loads.begin(), all.loads.end()));
    options.rounds = 1;
    OverlayScaleResult first = run_overlay_scale(options);
    EXPECT_EQ(first.peaks, first.loads);
    for (std::size_t i = 0; i < first.loads.size(); ++i) EXPECT_GE(all.peaks[i], first.peaks[i]);
  });
}

TEST(OverlayScaleRun, NobodyAsksTwiceWhereEverybodyHasAsked) {
  OverlayScaleOptions options = small("end-to-end", "pastry", 1);
  options.nodes = 20;
  options.locks = 1;
  options.requests = 15;
  OverlayScaleResult result = run_overlay_scale(options);
  EXPECT_FALSE(result.violation);
  EXPECT_LT(result.asked, options.rounds * options.requests);
}

TEST(OverlayScaleRun, EveryRequestIsGrantedOrWaitsForAHolder) {
  for_each_world([](const OverlayScaleOptions& options) {
    expect_sound(options, run_overlay_scale(options));
  });
}

TEST(OverlayScaleRun, IsDeterministic) {
  for_each_world([](OverlayScaleOptions options) {
    options.churn = 20;
    OverlayScaleResult once = run_overlay_scale(options), again = run_overlay_scale(options);
    EXPECT_EQ(once.kinds, again.kinds);
    EXPECT_EQ(once.loads, again.loads);
    EXPECT_EQ(once.granted, again.granted);
    ++options.seed;
    EXPECT_NE(once.loads, run_overlay_scale(options).loads);
  });
}

/// Nodes leave without a lease: what a replica has voted for must go to the new root of its key, or
/// there would be two holders, or a lock that nobody gets any more.
TEST(OverlayScaleRun, RootsHandOverWhatTheyKnowWhenNodesComeAndGo) {
  std::uint64_t handover = 0;
  for_each_world([&](OverlayScaleOptions options) {
    for (HandOff hand_off : {HandOff::token, HandOff::winner, HandOff::cleanup}) {
      if (options.protocol != "end-to-end" && hand_off != HandOff::token) continue;
      options.churn = 150;
      options.replication.hand_off = hand_off;
      OverlayScaleResult result = run_overlay_scale(options);
      EXPECT_FALSE(result.violation) << result.violation->what;
      EXPECT_GT(result.granted, options.locks);
      handover += result.handover;
    }
  });
  EXPECT_GT(handover, 1000u);
}

TEST(OverlayScaleRun, WaitersOfSigmaAskAgainAsTheyAreTold) {
  std::map<RetryPolicy, std::uint64_t> requests;
  for (RetryPolicy retry : {RetryPolicy::never, RetryPolicy::informed, RetryPolicy::always}) {
    OverlayScaleOptions options = small("sigma", "pastry", 1);
    options.requests = 20;  // 2400 to replicas
    options.replication.retry = retry;
    requests[retry] = run_overlay_scale(options).routed;
  }
  // Only a node that has some votes, but not enough, asks the other replicas once more.
  EXPECT_GE(requests[RetryPolicy::never], 2400u);
  EXPECT_LT(requests[RetryPolicy::never], 2500u);
  EXPECT_GT(requests[RetryPolicy::informed], requests[RetryPolicy::never]);
  EXPECT_GT(requests[RetryPolicy::always], requests[RetryPolicy::informed]);
}

TEST(OverlayScaleRun, RemembersNothingOfNodesThatWereOnlyPassedThrough) {
  OverlayScaleOptions options = small("sigma", "pastry", 1);
  OverlayScaleResult result = run_overlay_scale(options);
  std::uint64_t copies = std::uint64_t{options.locks} * options.replication.replicas;
  EXPECT_LE(result.values_most, copies + result.asked + 1);
}

// Bands of docs/lab.md, one seed each.

OverlayScaleResult at_default_load(const std::string& protocol, HandOff hand_off) {
  OverlayScaleOptions options;
  options.protocol = protocol;
  options.replication.hand_off = hand_off;
  return run_overlay_scale(options);
}

TEST(OverlayScaleRun, CountsWhatAFaithfulImplementationCounts) {
  OverlayScaleResult t0 = at_default_load("end-to-end", HandOff::token);
  OverlayScaleResult t1 = at_default_load("end-to-end", HandOff::winner);
  OverlayScaleResult non = at_default_load("non-end-to-end", HandOff::winner);
  EXPECT_NEAR(t0.mean_route, 3.04, 0.1);
  EXPECT_NEAR(static_cast<double>(t0.counted()), 34'400, 0.08 * 34'400);
  EXPECT_NEAR(static_cast<double>(t1.counted()), 37'500, 0.08 * 37'500);
  EXPECT_NEAR(static_cast<double>(non.counted()), 31'000, 0.08 * 31'000);
}

}  // namespace conch::sim::overlay_scale_test
