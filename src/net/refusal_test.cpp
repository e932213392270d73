// A peer that breaks the protocol is refused or dropped, with a log line. Others are not affected.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "net/names.hpp"
#include "net/testing/raw.hpp"
#include "net/testing/station.hpp"

namespace conch::net::testing::refusal_test {

class Refusal : public Group {
 protected:
  wire::Hello hello_to(const Station& station, std::uint64_t from = 9) const {
    return {.group = "kitchen",
            .algorithm = "naimi-trehel",
            .role = wire::Role::peer,
            .self = life(from),
            .address = "tcp:127.0.0.1:1",
            .means = station.self};
  }
  static std::string payload(std::uint32_t number, std::string_view text) {
    std::string body;
    wire::put_number(body, number);
    return frame_of(wire::FrameKind::payload, body += text);
  }
  static std::string tcp_of(const Station& station) { return station.transport.listens().front(); }

  /// The refusal that a caller gets for these first bytes.
  std::string refusal_of(Station& station, const std::string& bytes) {
    Raw raw = Raw::to(tcp_of(station));
    raw.say(bytes);
    EXPECT_TRUE(settle({&station}, [&] { return raw.has_ended(); }));
    return raw.refusal();
  }
};

TEST_F(Refusal, SaysWhyToBothSides) {
  Station a(options(1));
  wire::Hello elsewhere = hello_to(a);
  elsewhere.group = "cellar";
  wire::Hello otherwise = hello_to(a);
  otherwise.algorithm = "ring";
  wire::Hello long_ago = hello_to(a);
  long_ago.means = life(1, 7);
  wire::Hello later = hello_to(a);
  later.speaks = {3, 3};
  wire::Hello client{.group = "kitchen", .role = wire::Role::client};
  const std::vector<std::pair<std::string, std::string>> table{
      {frame_of(elsewhere), "this peer belongs to the group \"kitchen\", not of \"cellar\""},
      {frame_of(otherwise), "the group \"kitchen\" runs \"naimi-trehel\", not \"ring\""},
      {frame_of(long_ago), "this is peer 1 (life 1), not peer 1 (life 7)"},
      {frame_of(client), "clients are served only through the Unix socket of their own machine"},
      {frame_of(later),
       "you speak version 3 of the protocol, this peer versions 1 to 2; first install a release "
       "between the two"}};
  for (const auto& [bytes, why] : table) {
    EXPECT_EQ(refusal_of(a, bytes), why);
    EXPECT_TRUE(a.has_logged(why)) << a.log();
  }
  EXPECT_EQ(a.transport.counts().connections_refused, table.size());
}

TEST_F(Refusal, TransportsOfDifferentAlgorithmsBothSaySo) {
  Station a(options(1));
  TestTransportOptions other = options(2);
  other.algorithm = "ring";
  Station b(other);
  a.knows(b);
  a.transport.send(b.self, "x");
  std::string why = "the group \"kitchen\" runs \"ring\", not \"naimi-trehel\"";
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.has_logged(why) && b.has_logged(why); }));
  EXPECT_TRUE(b.received.empty());
}

TEST_F(Refusal, OfAFrameInTheWrongPlace) {
  Station a(options(1));
  std::string begin = frame_of(hello_to(a)) + payload(0, "first");
  for (const std::string& wrong :
       {payload(2, "third"), frame_of(wire::FrameKind::payload, "abc"), frame_of(hello_to(a)),
        frame_of(wire::FrameKind::acknowledgement, "12345678"),
        frame_of(wire::FrameKind::note, "hello"), frame_of(static_cast<wire::FrameKind>(99), ""),
        std::string("\xff\xff\xff\xff\x04"), std::string(5, '\0')}) {
    a.received.clear();
    a.transport.forget(life(9));
    Raw raw = Raw::to(tcp_of(a));
    raw.say(begin + wrong + payload(1, "second"));
    EXPECT_TRUE(settle({&a}, [&] { return raw.has_ended(); }));
    EXPECT_EQ(a.received[life(9)], std::vector<std::string>{"first"});
  }
}

TEST_F(Refusal, TheNewerConnectionOfALifeReplacesTheOlder) {
  Station a(options(1));
  Raw older = Raw::to(tcp_of(a));
  older.say(frame_of(hello_to(a)) + payload(0, "one"));
  EXPECT_TRUE(settle({&a}, [&] { return a.received[life(9)].size() == 1; }));
  Raw newer = Raw::to(tcp_of(a));
  newer.say(frame_of(hello_to(a)));
  EXPECT_TRUE(settle({&a}, [&] { return older.has_ended(); }));
  ASSERT_TRUE(newer.answer());
  wire::HelloAccepted accepted = std::get<wire::HelloAccepted>(wire::read_answer(*newer.answer()));
  EXPECT_TRUE(accepted.known);
  EXPECT_EQ(accepted.received, 1u);
  newer.say(payload(1, "two"));
  EXPECT_TRUE(settle({&a}, [&] { return a.received[life(9)].size() == 2; }));
}

TEST_F(Refusal, WhoDoesNotSayWhoItIsIsDroppedInTheEnd) {
  Station a(options(1));
  Raw raw = Raw::to(tcp_of(a));
  raw.say("\0");
  EXPECT_TRUE(settle({&a}, [&] { return a.transport.wakes() < steady_now() + seconds(3); }));
  a.transport.work({}, steady_now() + wire::handshake_patience);
  EXPECT_TRUE(settle({&a}, [&] { return raw.has_ended(); }));
  EXPECT_TRUE(a.has_logged("the handshake took too long"));
}

TEST_F(Refusal, OfManyWhoDoNotSayWhoTheyAreTheOldestIsDropped) {
  Station a(options(1));
  std::vector<Raw> many;
  for (std::size_t i = 0; i <= wire::half_open_max; ++i) {
    many.push_back(Raw::to(tcp_of(a)));
    if (i % 50 == 0) a.turn();
  }
  EXPECT_TRUE(settle({&a}, [&] { return many.front().has_ended(); }));
  EXPECT_FALSE(many.back().has_ended());
  many.back().say(frame_of(hello_to(a)) + payload(0, "made it"));
  EXPECT_TRUE(settle({&a}, [&] { return !a.received.empty(); }));
}

TEST_F(Refusal, LogsNoMoreLinesThanSomebodyWouldRead) {
  Station a(options(1));
  for (int i = 0; i < 100; ++i) refusal_of(a, "garbage that is no frame");
  EXPECT_LE(a.lines.size(), 30u);
  EXPECT_EQ(a.transport.counts().connections_refused, 100u);
}

TEST_F(Refusal, AProcessOfAnotherUserIsNotLetIn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  Station a(options(1));
  std::string socket = folder.file("1.sock");
  ::chmod(socket.c_str(), 0777);
  ::chmod(std::filesystem::path(socket).parent_path().c_str(), 0755);
  auto name = name_of_path(socket);
  pid_t child = ::fork();
  if (child == 0) {
    Descriptor stream(::socket(AF_UNIX, SOCK_STREAM, 0));
    bool connected =
        ::setuid(65534) == 0 && ::connect(stream.number(), name->get(), name->size()) == 0;
    char byte = 0;
    while (connected && ::recv(stream.number(), &byte, 1, 0) > 0) {
    }
    ::_exit(connected ? 0 : 1);
  }
  int status = -1;
  EXPECT_TRUE(settle({&a}, [&] { return ::waitpid(child, &status, WNOHANG) == child; }));
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(a.has_logged("the Unix socket is for processes of the same user only")) << a.log();
}

/// Sends whatever a hostile caller could say, at either listener and at every stage, while two
/// peers go on undisturbed.
class Hostility : public Refusal, public ::testing::WithParamInterface<bool> {
 protected:
  std::string listener(const Station& station) const {
    auto ways = *wire::parse_address(station.transport.address());
    return wire::print(GetParam() ? ways.front() : ways.back());
  }
};

INSTANTIATE_TEST_SUITE_P(At, Hostility, ::testing::Bool(), [](const auto& info) {
  return info.param ? "TheUnixSocket" : "TheTcpPort";
});

TEST_P(Hostility, HurtsNobodyElse) {
  Station a(over_tcp(1));
  Station b(over_tcp(2));
  a.knows(b);
  b.on_delivery = [&](const PeerInstance& from, std::string_view payload) {
    if (from == a.self) b.transport.send(from, payload);
  };
  std::string peer = frame_of(hello_to(b));
  std::string client = frame_of(wire::Hello{.group = "kitchen", .role = wire::Role::client});
  wire::Hello for_a_stream = hello_to(b);
  for_a_stream.role = wire::Role::stream;
  std::string stream = frame_of(for_a_stream);
  Dice dice(3);
  auto garbage = [&] {
    std::string bytes;
    for (std::uint64_t i = dice.below(300); i > 0; --i) bytes += static_cast<char>(dice.number());
    return bytes;
  };
  std::vector<std::string> attacks{"", "\r\n\r\n", std::string(10'000, '\0'),
                                   std::string(10'000, '\xff'), payload(0, "no hello")};
  for (const std::string& begin : {std::string(), peer, client, stream, peer + payload(0, "x")}) {
    for (std::size_t cut : {std::size_t{3}, begin.size() / 2, begin.size()})
      attacks.push_back(begin.substr(0, cut));
    for (int i = 0; i < 10; ++i) attacks.push_back(begin + garbage());
    attacks.push_back(begin + std::string("\0\xff\xff\xff\4", 5) + std::string(100'000, 'x'));
  }
  std::size_t echoed = 0;
  for (const std::string& attack : attacks) {
    {
      Raw raw = Raw::to(listener(b));
      raw.say(attack);
      a.transport.send(b.self, "ping");
      ++echoed;
      ASSERT_TRUE(settle({&a, &b}, [&] { return a.received[b.self].size() == echoed; }));
    }
    b.transport.forget(life(9));
  }
  EXPECT_TRUE(a.breaks.empty());
  EXPECT_GT(b.transport.counts().connections_refused, attacks.size() / 2)
      << "sometimes an attack was noticed";
}

}  // namespace conch::net::testing::refusal_test
