#include "net/loopback.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <set>
#include <string>

namespace conch::net::testing::loopback_test {

bool can_bind(std::uint16_t port, bool reuse) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int on = reuse ? 1 : 0;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(port);
  return ::bind(socket.number(), reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 &&
         ::listen(socket.number(), 1) == 0;
}

TEST(ReservedPort, IsLeftToServersOnly) {
  ReservedPort port;
  EXPECT_EQ(port.address(), "127.0.0.1:" + std::to_string(port.number()));
  EXPECT_FALSE(can_bind(port.number(), false)) << "as a connection or an unnamed port would";
  EXPECT_TRUE(can_bind(port.number(), true)) << "as a server does";
  EXPECT_TRUE(can_bind(port.number(), true)) << "again, as one that is started again";
}

TEST(ReservedPort, CanBeListenedOnByItsOwner) {
  ReservedPort port;
  EXPECT_EQ(::listen(port.socket().number(), 1), 0);
  EXPECT_FALSE(can_bind(port.number(), true));
}

TEST(ReservedPort, IsAnotherOneEachTime) {
  std::array<ReservedPort, 100> ports;
  std::set<std::uint16_t> numbers;
  for (const ReservedPort& port : ports) numbers.insert(port.number());
  EXPECT_EQ(numbers.size(), ports.size());
}

}  // namespace conch::net::testing::loopback_test
