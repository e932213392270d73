#include "rig/emulated_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "packets.hpp"

namespace conch::rig::emulated_line_test {

using namespace std::chrono_literals;
using Arrivals = std::vector<Time>;

constexpr Time noon(Time::duration(12h));

/// A line with packets of 1000 bytes.
class Probe {
 public:
  explicit Probe(const Quality& quality, std::uint64_t seed = 1, Direction way = {0, 1})
      : line(seed, way), bytes_(packet_to(1, std::string(980, 'x'))) {
    line.set(quality);
  }

  Arrivals send(Time at) { return line.carry(*Packet::read(bytes_), bytes_.size(), at); }
  /// Sends a packet every millisecond.
  std::vector<Arrivals> send(int packets) {
    std::vector<Arrivals> all;
    for (int i = 0; i < packets; ++i) all.push_back(send(noon + i * 1ms));
    return all;
  }
  EmulatedLine line;

 private:
  std::string bytes_;
};

TEST(Packet, ReadsWhatMatters) {
  std::string bytes = tcp_to(1, "hello");
  std::optional<Packet> packet = Packet::read(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->destination(), 0x0a4d0201u);
  EXPECT_EQ(packet->tcp_payload(), 5u);
  std::string acknowledgement = tcp_to(1, "");
  EXPECT_EQ(Packet::read(acknowledgement)->tcp_payload(), 0u);
  std::string datagram = packet_to(1, std::string(40, 'x'));
  EXPECT_EQ(Packet::read(datagram)->tcp_payload(), 0u);
}

TEST(Packet, RefusesWhatIsNone) {
  EXPECT_FALSE(Packet::read(""));
  EXPECT_FALSE(Packet::read(std::string(19, 0x45)));
  EXPECT_FALSE(Packet::read(std::string(40, 0x60)));  // IPv6
  std::string torn = tcp_to(1, "").substr(0, 39);
  EXPECT_EQ(Packet::read(torn)->tcp_payload(), 0u);
}

TEST(Line, DelaysByWhatItIsTold) {
  Probe probe({.delay = 30ms});
  EXPECT_EQ(probe.send(noon), Arrivals{noon + 30ms});
  EXPECT_EQ(probe.send(noon + 1ms), Arrivals{noon + 31ms});
}

TEST(Line, JitterKeepsTheOrder) {
  Probe probe({.delay = 30ms, .jitter = 20ms});
  std::vector<Arrivals> all = probe.send(1000);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_GE(all.front().front(), noon + 30ms);
  bool some_are_late = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Duration took = all[i].front() - (noon + i * 1ms);
    EXPECT_GE(took, 30ms);
    EXPECT_LE(took, 50ms);
    some_are_late |= took > 45ms;
  }
  EXPECT_TRUE(some_are_late);
}

TEST(Line, ClogsAreOvertaken) {
  Probe probe({.delay = 1ms, .clog = {0.1, 20ms}});
  std::vector<Arrivals> all = probe.send(1000);
  EXPECT_FALSE(std::ranges::is_sorted(all));
  std::uint64_t clogged = probe.line.traffic().clogged;
  EXPECT_NEAR(static_cast<double>(clogged), 100, 40);
}

TEST(Line, LosesAndDoublesTheirShare) {
  Probe probe({.lose = 0.1, .duplicate = 0.05});
  std::size_t arrived = 0;
  for (const Arrivals& arrivals : probe.send(10'000)) arrived += arrivals.size();
  const Traffic& traffic = probe.line.traffic();
  EXPECT_EQ(traffic.packets, 10'000u);
  EXPECT_EQ(traffic.bytes, 10'000'000u);
  EXPECT_NEAR(static_cast<double>(traffic.lost), 1000, 150);
  EXPECT_NEAR(static_cast<double>(traffic.duplicated), 450, 100);
  EXPECT_EQ(arrived, traffic.packets - traffic.lost + traffic.duplicated);
}

TEST(Line, IsAsBroadAsItIsTold) {
  Probe probe({.delay = 5ms, .bytes_per_second = 100'000, .backlog_max = 25ms});
  EXPECT_EQ(probe.send(noon), Arrivals{noon + 10ms + 5ms});
  EXPECT_EQ(probe.send(noon), Arrivals{noon + 20ms + 5ms});
  EXPECT_EQ(probe.send(noon), Arrivals{});
  EXPECT_EQ(probe.line.traffic().overflowed, 1u);
  EXPECT_EQ(probe.send(noon + 1s), Arrivals{noon + 1s + 10ms + 5ms});
}

TEST(Line, DropsEverythingWhileItIsCut) {
  Probe probe({.delay = 5ms});
  EXPECT_EQ(probe.send(noon + 1s).size(), 1u);
  probe.line.cut(1);
  EXPECT_EQ(probe.send(noon), Arrivals{});
  EXPECT_EQ(probe.line.traffic().cut, 2u);
  probe.line.heal();
  EXPECT_EQ(probe.send(noon), Arrivals{noon + 5ms});
}

TEST(Line, TheSeedRepeatsEverything) {
  Quality bad{.delay = 5ms, .jitter = 5ms, .lose = 0.2, .duplicate = 0.2, .clog = {0.2, 9ms}};
  EXPECT_EQ(Probe(bad).send(1000), Probe(bad).send(1000));
  EXPECT_NE(Probe(bad, 1).send(1000), Probe(bad, 2).send(1000));
  EXPECT_NE(Probe(bad, 1, {0, 1}).send(1000), Probe(bad, 1, {1, 0}).send(1000));
}

TEST(Line, ItsPastQualityShiftsNoDecision) {
  Probe fair({});
  Probe foul({.lose = 0.5, .duplicate = 0.5});
  fair.send(100);
  foul.send(100);
  for (Probe* probe : {&fair, &foul}) probe->line.set({.jitter = 50us, .lose = 0.3});
  EXPECT_EQ(fair.send(noon + 1s), foul.send(noon + 1s));
  EXPECT_EQ(fair.send(noon + 2s), foul.send(noon + 2s));
}

TEST(Line, TrafficSinceThen) {
  Probe probe({});
  probe.send(10);
  Traffic before = probe.line.traffic();
  probe.send(5);
  Traffic since = probe.line.traffic() - before;
  EXPECT_EQ(since.packets, 5u);
  EXPECT_EQ(before + since, probe.line.traffic());
}

}  // namespace conch::rig::emulated_line_test
