#include "net/sockets.hpp"

#include <gtest/gtest.h>

#include <conch/error.hpp>
#include <future>
#include <thread>

#include "net/client_link.hpp"
#include "net/names.hpp"
#include "net/testing/raw.hpp"
#include "net/testing/station.hpp"

namespace conch::net::testing::sockets_test {

enum class Transport { local, tcp };

/// Runs over either transport.
class Transports : public Group, public ::testing::WithParamInterface<Transport> {
 protected:
  TestTransportOptions options(std::uint64_t id) const {
    return GetParam() == Transport::tcp ? over_tcp(id) : Group::options(id);
  }
};

INSTANTIATE_TEST_SUITE_P(Over, Transports, ::testing::Values(Transport::local, Transport::tcp),
                         [](const auto& info) {
                           return info.param == Transport::tcp ? "Tcp" : "UnixSocket";
                         });

TEST_P(Transports, BringPayloadsInOrder) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  std::vector<std::string> all;
  for (int i = 0; i < 1000; ++i) {
    all.push_back(std::to_string(i));
    a.transport.send(b.self, all.back());
    if (i % 10 == 0) a.turn();
  }
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.received[a.self].size() >= all.size(); }));
  EXPECT_EQ(b.received[a.self], all);
  EXPECT_EQ(a.transport.counts().frames_sent, 1000u);
  EXPECT_EQ(b.transport.counts().frames_received, 1000u);
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.transport.unacknowledged(steady_now()).empty(); }))
      << "everything is acknowledged in the end";
  EXPECT_TRUE(a.lines.empty()) << a.log();
}

TEST_P(Transports, WhoHasConnectedCanBeAnswered) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  b.on_delivery = [&](const PeerInstance& from, std::string_view payload) {
    b.transport.send(from, "re: " + std::string(payload));
  };
  a.transport.send(b.self, "who are you?");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.received.empty(); }));
  EXPECT_EQ(a.received[b.self], std::vector<std::string>{"re: who are you?"});
}

TEST_P(Transports, WhatIsForOneWhoseAddressIsUnknownWaitsUntilItCalls) {
  Station a(options(1));
  Station b(options(2));
  a.transport.know(b.self, "");
  a.transport.send(b.self, "a report");
  a.turn();
  b.knows(a);
  b.transport.send(a.self, "where is it?");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); }));
  EXPECT_EQ(b.received[a.self], std::vector<std::string>{"a report"});
}

TEST_P(Transports, ThreeTalkAcrossEachOther) {
  Station a(options(1));
  Station b(options(2));
  Station c(options(3));
  std::vector<Station*> all{&a, &b, &c};
  for (Station* from : all)
    for (Station* to : all)
      if (from != to) from->knows(*to);
  constexpr int rounds = 200;
  for (int i = 0; i < rounds; ++i)
    for (Station* from : all)
      for (Station* to : all)
        if (from != to) from->transport.send(to->self, std::to_string(i));
  EXPECT_TRUE(settle(all, [&] {
    return std::all_of(all.begin(), all.end(), [](Station* each) {
      std::size_t count = 0;
      for (const auto& [life, payloads] : each->received) count += payloads.size();
      return count == std::size_t{2} * rounds;
    });
  }));
  EXPECT_EQ(c.received[a.self], b.received[c.self]);
}

TEST_P(Transports, BringLargePayloads) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  std::string large(5'000'000, 'x');
  large += "end";
  for (int i = 0; i < 3; ++i) a.transport.send(b.self, large);
  a.transport.send(b.self, "small");
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.received[a.self].size() == 4; }));
  EXPECT_EQ(b.received[a.self][2], large);
  EXPECT_EQ(b.received[a.self][3], "small");
}

/// Acknowledgements share the connection with payloads of the other direction. One that falls due
/// while a payload is only partly written must wait for its end.
TEST_P(Transports, BringLargePayloadsBothWaysOverOneConnection) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  a.transport.send(b.self, "hello");  // Makes b answer over the connection that a has opened.
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); }));
  std::string large(3'000'000, 'x');
  constexpr std::size_t rounds = 8;
  for (std::size_t i = 0; i < rounds; ++i) {
    a.transport.send(b.self, large + std::to_string(i));
    b.transport.send(a.self, large + std::to_string(i));
  }
  EXPECT_TRUE(settle({&a, &b},
                     [&] {
                       return b.received[a.self].size() == rounds + 1 &&
                              a.received[b.self].size() == rounds;
                     }))
      << a.log() << b.log();
  EXPECT_EQ(a.received[b.self].back(), large + std::to_string(rounds - 1));
  EXPECT_TRUE(a.lines.empty()) << a.log();
  EXPECT_TRUE(b.lines.empty()) << b.log();
}

TEST_P(Transports, ARecipientMayForgetTheSenderWhileItIsTold) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  b.on_delivery = [&](const PeerInstance& from, std::string_view) { b.transport.forget(from); };
  for (int i = 0; i < 10; ++i) a.transport.send(b.self, "x");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.breaks.empty(); }));
  EXPECT_EQ(a.breaks.front(),
            std::pair(b.self, std::string("it has forgotten what it had received")));
  EXPECT_EQ(b.received[a.self].size(), 1u) << "nothing comes twice";
}

TEST_P(Transports, SaySomethingAgainAfterALongSilence) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  a.transport.send(b.self, "one");
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.received[a.self].size() == 1; }));
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.transport.unacknowledged(steady_now()).empty(); }));
  a.transport.send(b.self, "two");
  EXPECT_EQ(a.transport.unacknowledged(steady_now()).size(), 1u);
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.received[a.self].size() == 2; }));
}

TEST_P(Transports, ANewLifeBeginsAnew) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  a.transport.send(b.self, "of the old life");
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.received[a.self].size() == 1; }));
  PeerInstance old = a.self;
  a.self = life(1, 2);
  a.transport.live_as(a.self);
  a.transport.send(b.self, "of the new one");
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.received[a.self].size() == 1; }));
  b.transport.send(old, "too late");
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.has_logged("this is peer 1 (life 2)"); }));
  EXPECT_TRUE(a.received.empty());
}

class ATransport : public Group {};

TEST_F(ATransport, SaysWhereItIs) {
  Station a(options(1));
  auto ways = wire::parse_address(a.transport.address());
  ASSERT_TRUE(ways) << a.transport.address();
  ASSERT_EQ(ways->size(), 2u);
  EXPECT_EQ(std::get<wire::UnixWay>(ways->front()).path, folder.file("1.sock"));
  EXPECT_EQ(wire::print(std::get<wire::TcpWay>(ways->back())), a.transport.listens().front());
}

TEST_F(ATransport, SaysWhatItIsToldToSay) {
  TestTransportOptions options = this->options(1);
  options.advertise = "conch.example:4711";
  Station a(options);
  EXPECT_TRUE(a.transport.address().ends_with(" tcp:conch.example:4711")) << a.transport.address();
}

TEST_F(ATransport, SpeaksWithoutItsOwnDoorsWhenAskedAtOthers) {
  TestTransportOptions six = options(1);
  six.listen = {"[::1]:0"};
  Station a(six);
  Station b(over_tcp(2));
  b.knows(a);
  b.transport.send(a.self, "over IPv6");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.received.empty(); })) << b.log();
}

TEST_F(ATransport, ToWhomIsNotKnownNothingIsSent) {
  Station a(options(1));
  a.transport.send(life(2), "x");
  a.turn();
  EXPECT_EQ(a.transport.counts().frames_sent, 0u);
}

TEST_F(ATransport, AsksWhoIsThereUntilItIsTold) {
  Station a(options(1));
  RawListener nobody;
  std::string address = nobody.address().substr(4);
  { RawListener gone = std::move(nobody); }
  a.transport.contact(address);
  EXPECT_TRUE(settle({&a}, [&] { return a.has_logged("cannot reach"); }));
  TestTransportOptions there = options(2);
  there.listen = {address};
  Station b(there);
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.contacts.empty(); }));
  EXPECT_EQ(a.contacts.front(), std::pair(address, b.self));
  a.transport.send(b.self, "found you");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); }));
  EXPECT_EQ(a.contacts.size(), 1u);
}

TEST_F(ATransport, AStrangerIsToldWhoThisIs) {
  Station a(options(1));
  for (const std::string& address : {a.transport.listens().front(), a.transport.address()}) {
    auto asked =
        std::async(std::launch::async, [&] { return ask_who(address, "kitchen", {}, patience); });
    EXPECT_TRUE(
        settle({&a}, [&] { return asked.wait_for(seconds(0)) == std::future_status::ready; }));
    PeerInfo who = asked.get();
    EXPECT_EQ(who.life, a.self);
    EXPECT_EQ(who.algorithm, "naimi-trehel");
    EXPECT_EQ(who.address, a.transport.address());
  }
}

TEST_F(ATransport, AStrangerOfAnotherGroupIsToldThat) {
  Station a(options(1));
  auto asked = std::async(std::launch::async, [&] {
    return ask_who(a.transport.listens().front(), "cellar", {}, patience);
  });
  EXPECT_TRUE(
      settle({&a}, [&] { return asked.wait_for(seconds(0)) == std::future_status::ready; }));
  try {
    asked.get();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("this peer belongs to the group \"kitchen\", not"),
              std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(a.has_logged("refused tcp")) << a.log();
}

TEST_F(ATransport, NobodyAnswersForEver) {
  RawListener silent;
  EXPECT_THROW(ask_who(silent.address(), "kitchen", {}, milliseconds(50)), Error);
  EXPECT_THROW(ask_who("nonsense", "kitchen", {}, milliseconds(50)), Error);

  std::stop_source stop;
  std::thread impatient([&] { stop.request_stop(); });
  EXPECT_THROW(
      ask_who(silent.address(), "kitchen", {}, std::chrono::hours(1), {}, stop.get_token()), Error);
  impatient.join();
}

TEST_F(ATransport, IsWokenByAPoke) {
  Station a(options(1));
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { a.transport.wait(steady_now() + patience); });
  Time begun = steady_now();
  a.transport.poke();
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(steady_now() - begun, patience / 2);
}

TEST_F(ATransport, WaitsUntilItsTimeAndNotLonger) {
  Station a(options(1));
  Time until = steady_now() + milliseconds(5);
  EXPECT_EQ(a.transport.wait(until).count, 0);
  EXPECT_GE(steady_now(), until);
  EXPECT_EQ(a.transport.wait(Time{}).count, 0);
}

TEST_F(ATransport, AnEventOfAConnectionThatHasGoneIsNothing) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  a.transport.send(b.self, "x");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); }));
  a.transport.send(b.self, "y");
  a.transport.flush();
  Readiness seen = b.transport.wait(steady_now() + patience);
  EXPECT_GT(seen.count, 0);
  b.transport.forget(a.self);
  b.transport.work(seen, steady_now());
  EXPECT_EQ(b.received[a.self].size(), 1u);
}

TEST_F(ATransport, LeavesNoSocketBehind) {
  {
    Station a(options(1));
    EXPECT_TRUE(std::filesystem::exists(folder.file("1.sock")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("1.sock")));
}

TEST_F(ATransport, ReplacesTheSocketOfADeadProcessOnly) {
  auto name = name_of_path(folder.file("1.sock"));
  {
    Descriptor dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(dead.number(), name->get(), name->size()), 0);
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("1.sock")));
  Station a(options(1));
  EXPECT_THROW(Station{options(1)}, Error) << "this one is alive";
  EXPECT_TRUE(std::filesystem::exists(folder.file("1.sock")));
}

TEST_F(ATransport, WillNotListenWhereAnybodyCouldTakeItsLocks) {
  TestTransportOptions open = options(1);
  open.listen = {"0.0.0.0:0"};
  try {
    Station transport(open);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--insecure"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("1.sock")));
  open.insecure = true;
  Station transport(open);
  EXPECT_EQ(transport.transport.address().find("0.0.0.0"), std::string::npos)
      << transport.transport.address();
}

TEST_F(ATransport, SaysWhyItCannotListen) {
  Station a(options(1));
  TestTransportOptions taken = options(2);
  taken.listen = a.transport.listens();
  EXPECT_THROW(Station{taken}, Error);
  TestTransportOptions malformed = options(2);
  malformed.listen = {"4711"};
  EXPECT_THROW(Station{malformed}, Error);
  TestTransportOptions long_path = options(2);
  long_path.socket = folder.file(std::string(120, 'x'));
  EXPECT_THROW(Station{long_path}, Error);
}

}  // namespace conch::net::testing::sockets_test
