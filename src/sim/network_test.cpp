#include "sim/network.hpp"

#include <gtest/gtest.h>

namespace conch::sim::network_test {

using namespace std::chrono_literals;

constexpr Time start{};

Options two_clusters() {
  Options options;
  options.clusters = {2, 2};
  options.local_latency = Distribution::constant(1ms);
  options.remote_latency = Distribution::constant(10ms);
  return options;
}

TEST(Network, LatencyIsThatOfTheClusters) {
  NetworkModel network(two_clusters());
  EXPECT_EQ(network.carry(0, 1, 8, start).at[0], start + 1ms);
  EXPECT_EQ(network.carry(0, 2, 8, start).at[0], start + 10ms);
}

TEST(Network, LatencyMayDifferBetweenEachTwoClusters) {
  Options options = two_clusters();
  auto constant = [](Duration latency) { return Distribution::constant(latency); };
  options.latencies = {{constant(1ms), constant(20ms)}, {constant(30ms), constant(2ms)}};
  NetworkModel network(options);
  EXPECT_EQ(network.carry(0, 1, 8, start).at[0], start + 1ms);
  EXPECT_EQ(network.carry(1, 2, 8, start).at[0], start + 20ms);
  EXPECT_EQ(network.carry(2, 1, 8, start).at[0], start + 30ms);
  EXPECT_EQ(network.carry(2, 3, 8, start).at[0], start + 2ms);
  EXPECT_EQ(options.latency_max(), 30ms);
}

TEST(Network, AFifoChannelKeepsTheOrderAndAnyDoesNot) {
  Options options = two_clusters();
  options.local_latency = Distribution::exponential(10ms);
  auto overtakings = [&](ChannelOrder channel) {
    options.channel = channel;
    NetworkModel network(options);
    int count = 0;
    Time last;
    for (int i = 0; i < 1000; ++i) {
      Time now = start + i * 1ms;
      Time arrival = network.carry(0, 1, 8, now).at[0];
      count += arrival < last;
      last = std::max(last, arrival);
    }
    return count;
  };
  EXPECT_EQ(overtakings(ChannelOrder::fifo), 0);
  EXPECT_GT(overtakings(ChannelOrder::any), 100);
}

TEST(Network, BandwidthMakesALineBusy) {
  Options options = two_clusters();
  options.bytes_per_s = 1000;
  NetworkModel network(options);
  EXPECT_EQ(network.carry(0, 1, 100, start).at[0], start + 101ms);
  EXPECT_EQ(network.carry(0, 1, 100, start).at[0], start + 201ms);
  EXPECT_EQ(network.carry(1, 0, 100, start).at[0], start + 101ms);
}

TEST(Network, LosesDuplicatesAndClogsAsOftenAsAsked) {
  Options options = two_clusters();
  options.faults.lose = 0.1;
  options.faults.duplicate = 0.2;
  options.faults.clog = {0.05, 1s};
  NetworkModel network(options);
  int lost = 0, duplicated = 0, clogged = 0;
  for (int i = 0; i < 10'000; ++i) {
    Arrivals arrivals = network.carry(0, 1, 8, start);
    lost += arrivals.copies == 0;
    duplicated += arrivals.copies == 2;
    for (int copy = 0; copy < arrivals.copies; ++copy) clogged += arrivals.at[copy] >= start + 1s;
  }
  EXPECT_NEAR(lost, 1000, 150);
  EXPECT_NEAR(duplicated, 1800, 200);
  EXPECT_GT(clogged, 300);
}

TEST(Network, DropsExactlyTheNthMessage) {
  Options options = two_clusters();
  options.faults.drop = 3;
  NetworkModel network(options);
  for (int message = 1; message <= 6; ++message)
    EXPECT_EQ(network.carry(0, 1, 8, start).copies, message == 3 ? 0 : 1);
}

TEST(Network, APartitionSeparatesBothWaysUntilItHeals) {
  NetworkModel network(two_clusters());
  network.part(7, Partition{{0, 1}, false, 0s, 0s});
  EXPECT_EQ(network.carry(0, 1, 8, start).copies, 1);
  EXPECT_EQ(network.carry(0, 2, 8, start).copies, 0);
  EXPECT_EQ(network.carry(2, 0, 8, start).copies, 0);
  network.heal(7);
  EXPECT_EQ(network.carry(0, 2, 8, start).copies, 1);
}

TEST(Network, AnAsymmetricPartitionLosesOnlyWhatTheseNodesSend) {
  NetworkModel network(two_clusters());
  network.part(0, Partition{{0}, true, 0s, 0s});
  EXPECT_EQ(network.carry(0, 1, 8, start).copies, 0);
  EXPECT_EQ(network.carry(1, 0, 8, start).copies, 1);
}

TEST(Faults, AreReadAsOneWritesThem) {
  Crash crash = parse_crash("holder@2s+1s");
  EXPECT_EQ(crash.who.role, Who::Role::holder);
  EXPECT_EQ(crash.at, 2s);
  EXPECT_EQ(crash.length, 1s);
  EXPECT_FALSE(parse_crash("3@2s").length);
  EXPECT_EQ(parse_pause("3@2s+500ms").who.node, 3u);
  EXPECT_EQ(parse_partition("0,1@1s+2s", true).nodes, (std::vector<Node>{0, 1}));
  EXPECT_EQ(parse_clog("1%:200ms").delay, 200ms);
  EXPECT_EQ(parse_suspicion("holder@1s").at, 1s);
}

TEST(Faults, ThatMakeNoSenseAreRefused) {
  EXPECT_THROW(parse_crash("holder"), BadText);
  EXPECT_THROW(parse_crash("king@1s"), BadText);
  EXPECT_THROW(parse_pause("3@1s"), BadText);
  EXPECT_THROW(parse_partition("0,x@1s+1s", false), BadText);
  EXPECT_THROW(parse_suspicion("3@1s+1s"), BadText);
  EXPECT_THROW(parse_clog("1%"), BadText);
}

}  // namespace conch::sim::network_test
