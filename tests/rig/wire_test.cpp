// Tests the thread of the wire, with sockets in place of devices. It needs no privileges.
#include "rig/wire.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "packets.hpp"
#include "process.hpp"

namespace conch::rig::wire_test {

using namespace std::chrono_literals;
using Contents = std::vector<std::string>;

/// A wire between three sites that are sockets of this process.
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : wire_(ends(), seed) {}

  void send(std::size_t from, std::size_t to, const std::string& content) {
    send(from, packet_to(to, content));
  }
  void send(std::size_t from, const std::string& packet) {
    ASSERT_EQ(::write(sites_[from].number(), packet.data(), packet.size()),
              static_cast<ssize_t>(packet.size()));
  }
  /// The content of the next packet; "nothing" if none comes.
  std::string receive(std::size_t at, Milliseconds within = patience) {
    pollfd source{sites_[at].number(), POLLIN, 0};
    if (::poll(&source, 1, static_cast<int>(within.count())) <= 0) return "nothing";
    std::string room(2000, '\0');
    ssize_t size = ::read(sites_[at].number(), room.data(), room.size());
    return content_of(room.substr(0, static_cast<std::size_t>(size)));
  }
  /// The contents of all packets before the one with this content.
  Contents receive_until(std::size_t at, const std::string& last) {
    Contents all;
    for (;;) {
      std::string next = receive(at);
      if (next == last || next == "nothing") return all;
      all.push_back(next);
    }
  }

 private:
  std::vector<net::Descriptor> ends() {
    std::vector<net::Descriptor> ends;
    for (int i = 0; i < 3; ++i) {
      std::array<int, 2> pair{};
      if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0)
        throw std::runtime_error("no sockets");
      sites_.emplace_back(pair[0]);
      ends.emplace_back(pair[1]);
    }
    return ends;
  }

  std::vector<net::Descriptor> sites_;

 public:
  Wire wire_;
};

class WireTest : public ::testing::Test, protected Bench {
 protected:
  WireTest() : Bench(7) {}
};

TEST_F(WireTest, BringsEachPacketToItsDestination) {
  send(0, 1, "to one");
  send(0, 2, "to two");
  send(2, 0, "to nought");
  EXPECT_EQ(receive(1), "to one");
  EXPECT_EQ(receive(2), "to two");
  EXPECT_EQ(receive(0), "to nought");
  send(0, "no packet at all");
  send(0, 77, "to nobody");
  send(0, 1, "last");
  EXPECT_EQ(receive(1), "last");
  EXPECT_EQ(wire_.traffic().packets, 4u);
}

TEST_F(WireTest, TakesAsLongAsItIsTold) {
  wire_.set({.delay = 20ms});
  for (int i = 0; i < 10; ++i) {
    Stopwatch watch;
    send(0, 1, "slow");
    EXPECT_EQ(receive(1), "slow");
    EXPECT_GE(watch.elapsed(), 20ms);
  }
}

/// The order does not depend on the machine's speed, because one thread's clock decides both
/// arrivals.
TEST_F(WireTest, TheShorterLineIsTheFasterOne) {
  wire_.set({0, 2}, {.delay = 300ms});
  wire_.set({1, 2}, {.delay = 20ms});
  for (int i = 0; i < 3; ++i) {
    send(1, 2, "near");
    send(0, 2, "far");
    EXPECT_EQ(receive(2), "near");
    EXPECT_EQ(receive(2), "far");
  }
}

TEST_F(WireTest, KeepsTheOrderUnlessToldOtherwise) {
  wire_.set({.delay = 1ms, .jitter = 3ms});
  Contents sent;
  for (int i = 0; i < 50; ++i) send(0, 1, sent.emplace_back(std::to_string(i)));
  send(0, 1, "end");
  EXPECT_EQ(receive_until(1, "end"), sent);
  wire_.set({.delay = 1ms, .clog = {0.2, 300ms}});
  for (int i = 0; i < 50; ++i) send(0, 1, std::to_string(i));
  Contents received;
  for (int i = 0; i < 50; ++i) received.push_back(receive(1));
  EXPECT_NE(received, sent);
  std::ranges::sort(sent);
  std::ranges::sort(received);
  EXPECT_EQ(received, sent);
}

TEST_F(WireTest, PartsAndHeals) {
  wire_.part({0});
  send(0, 1, "lost");
  send(1, 0, "lost");
  send(1, 2, "behind the wall");
  EXPECT_EQ(receive(2), "behind the wall");
  while (wire_.traffic().cut < 2) std::this_thread::sleep_for(1ms);
  wire_.heal();
  send(0, 1, "healed");
  send(1, 0, "healed");
  EXPECT_EQ(receive(1), "healed");
  EXPECT_EQ(receive(0), "healed");
}

TEST_F(WireTest, PartsInOneDirection) {
  wire_.part({0}, true);
  send(0, 1, "lost");
  while (wire_.traffic().cut < 1) std::this_thread::sleep_for(1ms);
  send(1, 0, "heard");
  EXPECT_EQ(receive(0), "heard");
  EXPECT_EQ(wire_.traffic({0, 1}).cut, 1u);
  EXPECT_EQ(wire_.traffic({1, 0}).delivered, 1u);
}

TEST_F(WireTest, WhatIsOnItsWayIsCut) {
  wire_.set({.delay = 1h});
  send(0, 1, "on its way");
  while (wire_.traffic().packets < 1) std::this_thread::sleep_for(1ms);
  wire_.part({0});
  EXPECT_EQ(wire_.traffic({0, 1}).cut, 1u);
  wire_.heal();
  wire_.set({});
  send(0, 1, "later");
  EXPECT_EQ(receive(1), "later");
}

TEST_F(WireTest, CountsForEachWay) {
  send(0, tcp_to(1, "payload"));
  send(0, tcp_to(1, ""));
  send(1, 0, "not TCP");
  receive(1);
  receive(1);
  receive(0);
  Traffic there = wire_.traffic({0, 1});
  EXPECT_EQ(there.packets, 2u);
  EXPECT_EQ(there.segments, 1u);
  EXPECT_EQ(there.bytes, 40u + 47u);
  EXPECT_EQ(there.delivered, 2u);
  Traffic back = wire_.traffic({1, 0});
  EXPECT_EQ(back.packets, 1u);
  EXPECT_EQ(back.segments, 0u);
  EXPECT_EQ(wire_.traffic({0, 2}), Traffic{});
}

/// The packets that a bad line lets through while another line is busy.
Contents survivors(std::uint64_t seed) {
  Bench bench(seed);
  bench.wire_.set({.lose = 0.3, .duplicate = 0.3});
  for (int i = 0; i < 100; ++i) {
    bench.send(0, 1, std::to_string(i));
    bench.send(2, 1, "besides");
  }
  while (bench.wire_.traffic().packets < 200) std::this_thread::sleep_for(1ms);
  bench.wire_.set({});
  bench.send(0, 1, "end");
  Contents all = bench.receive_until(1, "end");
  std::erase(all, "besides");
  return all;
}

TEST(WireSeed, RepeatsWhatIsLostAndDoubled) {
  Contents first = survivors(5);
  EXPECT_GT(first.size(), 50u);
  EXPECT_EQ(survivors(5), first);
  EXPECT_NE(survivors(6), first);
}

}  // namespace conch::rig::wire_test
