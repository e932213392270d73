#include "wire/address.hpp"

#include <gtest/gtest.h>

#include "wire/limits.hpp"

namespace conch::wire::address_test {

class OneMachine : public HostInfo {
 public:
  const std::string& boot() const override { return boot_; }
  std::string path_here(const std::string& path) const override {
    return path == "/run/a.sock" || path == "/mnt/run/a.sock" ? "/run/a.sock" : "";
  }

 private:
  std::string boot_ = "b1";
};

const UnixWay local{"b1", "/run/a.sock"};
const TcpWay remote{"10.0.0.7", 4711};

TEST(Address, IsPrintedAsItIsParsed) {
  for (std::string text :
       {"tcp:10.0.0.7:4711", "unix:b1:/run/a.sock tcp:host.example:1", "tcp:[::1]:65535",
        "unix:b1:/run/with%20blank%25:colon", "tcp:a:1 tcp:b:2 unix:b1:/x"}) {
    auto ways = parse_address(text);
    ASSERT_TRUE(ways) << text;
    EXPECT_EQ(print(*ways), text);
  }
}

TEST(Address, APathMayHaveAnythingInIt) {
  UnixWay odd{"b1", "/tmp/\xc3\xa4 \n%41"};
  EXPECT_EQ(parse_address(print(Way(odd))), (Ways{odd}));
}

TEST(Address, WhatIsMalformedIsNone) {
  for (std::string text : {"",
                           " ",
                           "tcp:",
                           "tcp:a",
                           "tcp:a:",
                           "tcp::1",
                           "tcp:a:0",
                           "tcp:a:65536",
                           "tcp:a:1x",
                           "tcp:a:-1",
                           "tcp:::1:80",
                           "tcp:[a]:1",
                           "tcp:[::1:80",
                           "unix:/run/a",
                           "unix::/run/a",
                           "unix:b1:run/a",
                           "unix:b1:/a%2",
                           "unix:b1:/a%zz",
                           "unix:b1:/a%00",
                           "udp:a:1",
                           "a:1",
                           "tcp:a:1 ",
                           " tcp:a:1",
                           "tcp:a:1  tcp:b:1",
                           "tcp:a\n:1",
                           "tcp:\xc3\xa4:1"})
    EXPECT_FALSE(parse_address(text)) << '"' << text << '"';
  EXPECT_FALSE(parse_address("tcp:" + std::string(address_bytes_max, 'a') + ":1"));
}

TEST(Address, AListenerMayLeaveThePortToTheSystem) {
  EXPECT_EQ(parse_host_and_port("127.0.0.1:0"), (TcpWay{"127.0.0.1", 0}));
  EXPECT_EQ(parse_host_and_port("[::]:80"), (TcpWay{"::", 80}));
  EXPECT_FALSE(parse_host_and_port("127.0.0.1"));
}

TEST(Address, OnOneMachineTheSocketIsPreferred) {
  Ways all{remote, local};
  EXPECT_EQ(usable(all, OneMachine(), false), (Ways{local, remote}));
}

TEST(Address, ASocketIsWhereItIsHere) {
  EXPECT_EQ(usable({UnixWay{"b1", "/mnt/run/a.sock"}}, OneMachine(), false), Ways{local});
}

TEST(Address, WithoutASocketOrElsewhereItIsTcp) {
  Ways elsewhere{UnixWay{"b2", "/run/a.sock"}, remote};
  Ways gone{UnixWay{"b1", "/run/b.sock"}, remote};
  EXPECT_EQ(usable(elsewhere, OneMachine(), false), Ways{remote});
  EXPECT_EQ(usable(gone, OneMachine(), false), Ways{remote});
  EXPECT_EQ(usable({local, remote}, OneMachine(), true), Ways{remote});
  EXPECT_EQ(usable({local}, OneMachine(), true), Ways{});
}

}  // namespace conch::wire::address_test
