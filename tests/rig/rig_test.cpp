// Tests how the kernel's TCP works over the wire, with sockets of several sites in one process.
#include "rig/rig.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <filesystem>
#include <numeric>

#include "rig/packet.hpp"
#include "shared_page.hpp"

namespace conch::rig::rig_test {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 7947;

std::size_t open_descriptors() {
  std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

sockaddr_in name_of(std::size_t site) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(address_of(site));
  name.sin_port = htons(port);
  return name;
}

void bind_to(const net::Descriptor& socket, std::size_t site) {
  sockaddr_in name = name_of(site);
  ASSERT_EQ(::bind(socket.number(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
}

void connect_to(const net::Descriptor& socket, std::size_t site) {
  sockaddr_in name = name_of(site);
  ASSERT_EQ(::connect(socket.number(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
}

class RigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::optional<std::string> missing = missing_for_sites()) GTEST_SKIP() << *missing;
    rig_.emplace(3, 7);
  }

  struct Connection {
    net::Descriptor client;
    net::Descriptor server;
  };
  Connection connect(std::size_t from, std::size_t to) {
    net::Descriptor listener = rig_->site(to).socket(SOCK_STREAM);
    net::Descriptor client = rig_->site(from).socket(SOCK_STREAM);
    bind_to(listener, to);
    ::listen(listener.number(), 1);
    connect_to(client, to);
    net::Descriptor server(::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    return {std::move(client), std::move(server)};
  }
  static void say(const net::Descriptor& socket, const std::string& text) {
    ASSERT_EQ(::send(socket.number(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  static std::string hear(const net::Descriptor& socket, std::size_t bytes) {
    std::string heard;
    std::array<char, 4096> room{};
    while (heard.size() < bytes && readable(socket.number(), patience)) {
      ssize_t size = ::recv(socket.number(), room.data(), room.size(), 0);
      if (size <= 0) break;
      heard.append(room.data(), static_cast<std::size_t>(size));
    }
    return heard;
  }

  std::optional<Rig> rig_;
};

TEST_F(RigTest, SitesAreMachinesOfTheirOwn) {
  Process& shell = rig_->start(
      1, {"sh", "-c", "uname -n; cat /proc/sys/kernel/random/boot_id; echo $XDG_STATE_HOME"});
  EXPECT_EQ(shell.await_exit(), 0);
  EXPECT_EQ(shell.output(),
            "site1\n77777777-7777-4777-8001-000000000001\n" + rig_->site(1).folder() + "/state\n");
  EXPECT_EQ(rig_->site(1).address(), "10.77.2.1");
}

TEST_F(RigTest, ASiteBootsAgainWithAnotherClock) {
  try {
    rig_->site(1).boot_again(1'000'000s);
  } catch (const NoSites& complaint) {
    GTEST_SKIP() << complaint.what();
  }
  Process& shell =
      rig_->start(1, {"sh", "-c", "cat /proc/sys/kernel/random/boot_id; cut -d. -f1 /proc/uptime"});
  EXPECT_EQ(shell.await_exit(), 0);
  std::string id = "77777777-7777-4777-8002-000000000001\n";
  ASSERT_TRUE(shell.output().starts_with(id)) << shell.output();
  long up = std::stol(shell.output().substr(id.size()));
  EXPECT_GE(up, 1'000'000);
  EXPECT_LE(up, 1'000'000 + patience.count());
}

TEST_F(RigTest, ASiteKnowsItsProcesses) {
  EXPECT_TRUE(rig_->site(1).processes().empty());
  Process& sleeper = rig_->start(1, {"sleep", "1000"});
  rig_->start(2, {"sleep", "1000"});
  while (rig_->site(1).processes().empty()) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(rig_->site(1).processes(), std::vector{sleeper.id()});
}

TEST_F(RigTest, ARoundTripTakesTwiceTheDelay) {
  rig_->wire().set({.delay = 20ms});
  Stopwatch handshake;
  Connection connection = connect(0, 1);
  EXPECT_GE(handshake.elapsed(), 40ms);
  Stopwatch round;
  say(connection.client, "ping");
  EXPECT_EQ(hear(connection.server, 4), "ping");
  EXPECT_GE(round.elapsed(), 20ms);
  say(connection.server, "pong");
  EXPECT_EQ(hear(connection.client, 4), "pong");
  EXPECT_GE(round.elapsed(), 40ms);
}

TEST_F(RigTest, WithinASiteNothingCrosses) {
  rig_->wire().set({.delay = 10s});
  Connection connection = connect(2, 2);
  say(connection.client, "near");
  EXPECT_EQ(hear(connection.server, 4), "near");
  EXPECT_EQ(rig_->wire().traffic(), Traffic{});
}

TEST_F(RigTest, TcpGoesOnWhenAPartitionHeals) {
  Connection parted = connect(0, 1);
  Connection whole = connect(1, 2);
  rig_->wire().part({0});
  say(parted.client, "through");
  say(whole.client, "besides");
  EXPECT_EQ(hear(whole.server, 7), "besides");
  while (rig_->wire().traffic({0, 1}).cut == 0) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(readable(parted.server.number(), 0ms));
  rig_->wire().heal();
  EXPECT_EQ(hear(parted.server, 7), "through");
}

TEST_F(RigTest, TcpDeliversOverABadLine) {
  rig_->wire().set({.delay = 1ms, .lose = 0.05, .duplicate = 0.05, .clog = {0.05, 5ms}});
  Connection connection = connect(0, 1);
  std::string text(300'000, '\0');
  std::iota(text.begin(), text.end(), '\0');
  std::thread talker([&] { say(connection.client, text); });
  EXPECT_TRUE(hear(connection.server, text.size()) == text);
  talker.join();
  Traffic there = rig_->wire().traffic({0, 1});
  EXPECT_GE(there.segments, text.size() / 1500);
  EXPECT_GT(there.bytes, text.size());
  EXPECT_GT(there.lost, 0u);
  EXPECT_GT(there.duplicated, 0u);
  EXPECT_GT(there.clogged, 0u);
  Traffic back = rig_->wire().traffic({1, 0});
  EXPECT_GT(back.packets, 0u);
  EXPECT_EQ(back.segments, 0u);
}

TEST_F(RigTest, ANarrowLineTakesItsTime) {
  rig_->wire().set({.bytes_per_second = 500'000});
  Connection connection = connect(0, 1);
  std::string text(100'000, 'x');
  Stopwatch watch;
  std::thread talker([&] { say(connection.client, text); });
  EXPECT_EQ(hear(connection.server, text.size()).size(), text.size());
  talker.join();
  EXPECT_GE(watch.elapsed(), 200ms);
}

TEST_F(RigTest, ProcessesEndWithIt) {
  Process& sleeper = rig_->start(0, {"sleep", "1000"});
  net::Descriptor end(static_cast<int>(::syscall(SYS_pidfd_open, sleeper.id(), 0)));
  EXPECT_FALSE(readable(end.number(), 0ms));
  rig_.reset();
  EXPECT_TRUE(readable(end.number(), 0ms));
}

TEST_F(RigTest, NoDescriptorIsLeft) {
  rig_.reset();
  std::size_t before = open_descriptors();
  {
    Rig other(3, 1);
    other.start(2, {"true"});
    EXPECT_GT(open_descriptors(), before);
  }
  EXPECT_EQ(open_descriptors(), before);
}

/// Kills the process that has the rig; the sleeper in the rig dies, too.
TEST_F(RigTest, NothingOutlivesATestThatIsKilled) {
  rig_.reset();
  ScratchFolder folder;
  testing::SharedPage<std::atomic<pid_t>> sleeper(folder.path() + "/sleeper");
  net::Descriptor end;
  {
    Child test([&] {
      ::setenv("TMPDIR", folder.path().c_str(), 1);  // its files remain
      Rig rig(2, 1);
      *sleeper = rig.start(1, {"sleep", "1000"}).id();
      return ::pause();
    });
    while (*sleeper == 0) std::this_thread::sleep_for(1ms);
    end = net::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, sleeper->load(), 0)));
    ASSERT_TRUE(end);
    EXPECT_FALSE(readable(end.number(), 50ms));
  }
  EXPECT_TRUE(readable(end.number(), patience));
}

}  // namespace conch::rig::rig_test
