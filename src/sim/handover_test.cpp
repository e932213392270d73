#include "sim/handover.hpp"

#include <gtest/gtest.h>

#include "sim/distribution.hpp"
#include "sim/handover_peers.hpp"

namespace conch::sim::handover::handover_test {

using namespace std::chrono_literals;

constexpr double latency_s = 0.001;
/// A byte a microsecond, and messages of no length: every time below is exact.
constexpr double bytes_per_s = 1e6;

Workload saturated(std::string_view algorithm = "naimi-trehel") {
  Workload workload;
  workload.algorithm = algorithm;
  workload.peers = 10;
  workload.locked = 100ms;
  workload.bytes = 50'000;
  workload.message_bytes = 0;
  workload.wires = Uniform{.latency = 1ms, .bytes_per_s = bytes_per_s};
  return workload;
}

/// FETCH there, DATA back.
double fetch_s(const Workload& workload) {
  return 2 * latency_s + static_cast<double>(workload.bytes) / bytes_per_s;
}

/// The time that a peer takes in each round: equation 4's bracket.
double slot_s(const Workload& workload, double messages = 1) {
  return seconds_of(workload.locked) + fetch_s(workload) + messages * latency_s;
}

constexpr double exact = 1e-9;

TEST(Handover, ASaturatedCycleIsASlotForEveryPeer) {
  Workload workload = saturated();
  Measured measured = run(workload);
  EXPECT_NEAR(measured.steady.dho_s, 10 * slot_s(workload), exact);
  EXPECT_NEAR(measured.steady.fetch_s, fetch_s(workload), exact);
  EXPECT_NEAR(measured.steady.handover_s, latency_s, exact);
  EXPECT_NEAR(measured.steady.wait_s, measured.steady.dho_s - 0.1, exact);
  EXPECT_NEAR(measured.steady.blocking_s, measured.steady.wait_s, exact);
  EXPECT_EQ(measured.all.cycles, 200u);
  EXPECT_GT(measured.steady.cycles, 150u);
  EXPECT_GT(measured.messages, 200u);
}

TEST(Handover, AServerTakesAMessageMoreForEachSlot) {
  Workload workload = saturated("central");
  Measured measured = run(workload);
  // The server's own client is told, and tells, at once.
  EXPECT_NEAR(measured.steady.dho_s, 10 * slot_s(workload, 2) - 2 * latency_s, exact);
}

TEST(Handover, OverlapIsHiddenUpToTheKnee) {
  Workload workload = saturated();
  double round_s = 10 * slot_s(workload);
  workload.overlap = 1s;
  Measured measured = run(workload);
  EXPECT_NEAR(measured.steady.dho_s, round_s, exact);
  EXPECT_NEAR(measured.steady.blocking_s, measured.steady.wait_s - 1, exact);
}

TEST(Handover, BeyondTheKneeOnlyTheFetchIsWaitedFor) {
  Workload workload = saturated();
  workload.overlap = 5s;
  Measured measured = run(workload);
  EXPECT_NEAR(measured.steady.blocking_s, fetch_s(workload), exact);
  EXPECT_NEAR(measured.steady.dho_s, 5 + slot_s(workload, 0), exact);
}

TEST(Handover, PrefetchHidesTheFetch) {
  Workload workload = saturated();
  workload.overlap = 5s;
  workload.prefetch = true;
  Measured measured = run(workload);
  EXPECT_NEAR(measured.steady.blocking_s, 0, exact);
  EXPECT_NEAR(measured.steady.fetch_s, fetch_s(workload), exact);
}

TEST(Handover, WhoIsAloneWaitsForNobody) {
  Workload workload = saturated();
  workload.peers = 1;
  workload.idle = 10ms;
  Measured measured = run(workload);
  EXPECT_NEAR(measured.steady.dho_s, 0.11, exact);
  EXPECT_EQ(measured.handle_messages, 0u);
}

TEST(Handover, ChurnersDropLeaveAndComeBackAndTheOthersGoOn) {
  Workload workload = saturated();
  workload.churners = 4;
  workload.first_wait = workload.second_wait = 300ms;
  Measured measured = run(workload);
  EXPECT_EQ(measured.all.cycles, 6u * 20u);
  EXPECT_GT(measured.leaves, 40u);
  EXPECT_EQ(measured.joins, measured.leaves + 10 - 4);
  workload.peers = 6;
  workload.churners = 0;
  double alone_s = run(workload).steady.dho_s;
  EXPECT_NEAR(measured.steady.dho_s, alone_s, 4 * 3 * latency_s);
}

TEST(Handover, TheSameSeedIsTheSameRun) {
  Workload workload = saturated();
  workload.wires = Grid{};
  EXPECT_EQ(run(workload).ended_s, run(workload).ended_s);
  double first = run(workload).ended_s;
  workload.seed = 2;
  EXPECT_NE(run(workload).ended_s, first);
}

TEST(Handover, WhatMakesNoSenseIsRefused) {
  Workload workload = saturated("central");
  workload.churners = 1;
  EXPECT_THROW(run(workload), BadText);
  workload = saturated();
  workload.churners = workload.peers;
  EXPECT_THROW(run(workload), BadText);
  EXPECT_THROW(run(saturated("ring")), BadText);
}

/// Loses everything.
class Nowhere final : public HandoverEngine {
 public:
  Time now() const override { return {}; }
  void carry(const HandoverMessage&, std::uint64_t) override {}
  void remind(const Reminder&, Duration) override {}
};

TEST(Handover, AnEngineThatStopsIsNotAResult) {
  Nowhere nowhere;
  HandoverPeers peers(saturated(), nowhere);
  peers.start();
  EXPECT_THROW(peers.measured(), Stuck);
}

}  // namespace conch::sim::handover::handover_test
