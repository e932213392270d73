#include "sim/metrics.hpp"

#include <gtest/gtest.h>

namespace conch::sim::metrics_test {

using namespace std::chrono_literals;

Time at(Duration since_start) { return Time(since_start); }

Posted message(Node from, Node to) {
  return {.from = from, .to = to, .slot = 0, .kind = 0, .token = false, .bytes = 10, .hash = 0};
}

TEST(Summary, OfValues) {
  std::vector<double> values;
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  Summary summary = summarize(values);
  EXPECT_DOUBLE_EQ(summary.mean, 50.5);
  EXPECT_NEAR(summary.std, 28.866, 0.001);
  EXPECT_DOUBLE_EQ(summary.p50, 50);
  EXPECT_DOUBLE_EQ(summary.p95, 95);
  EXPECT_DOUBLE_EQ(summary.p99, 99);
  EXPECT_DOUBLE_EQ(summary.max, 100);
  EXPECT_DOUBLE_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summarize({}).max, 0);
}

TEST(JainIndex, IsOneForEqualSharesAndAnNthForOneThatHasAll) {
  EXPECT_DOUBLE_EQ(jain_index({2, 2, 2}), 1);
  EXPECT_DOUBLE_EQ(jain_index({6, 0, 0}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(jain_index({}), 1);
}

TEST(Metrics, TellLocalFromGlobalMessages) {
  Metrics metrics({0, 0, 1}, {"A"}, false);
  metrics.sent(message(0, 1));
  metrics.sent(message(0, 2));
  metrics.sent(message(2, 1));
  Traffic traffic = metrics.report(at(1s)).messages;
  EXPECT_EQ(traffic.total, 3u);
  EXPECT_EQ(traffic.local, 1u);
  EXPECT_EQ(traffic.global, 2u);
  EXPECT_EQ(traffic.bytes, 30u);
  EXPECT_EQ(traffic.by_type.at("A"), 3u);
}

TEST(Metrics, ClientDelayIsOfRequestsOnAnIdleSystemAndSyncDelayOfHandovers) {
  Metrics metrics({0, 0}, {"A"}, false);
  metrics.requested(0, at(0ms));
  metrics.entered(0, at(2ms));
  metrics.requested(1, at(3ms));
  metrics.exited(0, at(10ms));
  metrics.entered(1, at(11ms));
  metrics.exited(1, at(20ms));
  MetricsReport report = metrics.report(at(20ms));
  EXPECT_EQ(report.client_delays, 1u);
  EXPECT_DOUBLE_EQ(report.client_delay_s, 2e-3);
  EXPECT_EQ(report.sync_delays, 1u);
  EXPECT_DOUBLE_EQ(report.sync_delay_s, 1e-3);
  EXPECT_DOUBLE_EQ(report.wait_s.max, 8e-3);
  EXPECT_DOUBLE_EQ(report.throughput_per_s, 100);
}

TEST(Metrics, IdleMessagesAreThoseOfARestlessAlgorithmWhenNobodyWantsAnything) {
  Metrics metrics({0, 0}, {"TOKEN"}, true);
  metrics.sent(message(0, 1));
  metrics.requested(0, at(0ms));
  metrics.sent(message(1, 0));
  metrics.entered(0, at(1ms));
  MetricsReport report = metrics.report(at(1ms));
  EXPECT_EQ(report.messages.idle, 1u);
  EXPECT_DOUBLE_EQ(report.messages_per_entry, 2);
  EXPECT_DOUBLE_EQ(report.busy_messages_per_entry, 1);
}

TEST(Metrics, AWithdrawnRequestIsNoEntry) {
  Metrics metrics({0, 0}, {"A"}, false);
  metrics.requested(0, at(0ms));
  metrics.gave_up(0);
  MetricsReport report = metrics.report(at(1ms));
  EXPECT_EQ(report.requests, 1u);
  EXPECT_EQ(report.withdrawn, 1u);
  EXPECT_EQ(report.entries, 0u);
  EXPECT_EQ(metrics.waiting(), 0u);
}

}  // namespace conch::sim::metrics_test
