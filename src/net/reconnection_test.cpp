// Connections come and go; channels survive that, or break for good.
#include <gtest/gtest.h>

#include "core/testing/dice.hpp"
#include "net/testing/raw.hpp"
#include "net/testing/station.hpp"

namespace conch::net::testing::reconnection_test {

class Reconnection : public Group {
 protected:
  std::string tcp_of(const Station& station) const {
    return "tcp:" + station.transport.listens().front();
  }
};

TEST_F(Reconnection, EverythingArrivesOnceAndInOrderOverAWireThatBreaks) {
  Station a(over_tcp(1));
  Station b(over_tcp(2));
  Relay relay(tcp_of(b), 7);
  a.transport.know(b.self, relay.address());
  Dice dice(11);
  std::vector<std::string> all;
  auto is_tried_enough = [&] { return all.size() >= 3000 && relay.cuts() >= 10; };
  EXPECT_TRUE(settle(
      {&a, &b}, [&] { return is_tried_enough() && b.received[a.self].size() == all.size(); },
      [&] {
        for (int i = 0; i < 20 && !is_tried_enough(); ++i) {
          all.push_back(std::to_string(all.size()) + std::string(dice.below(200), '.'));
          a.transport.send(b.self, all.back());
        }
        a.transport.flush();
        for (int i = 0; i < 5; ++i) relay.pump();
        if (dice.percent(3) && !is_tried_enough()) relay.cut();
      }))
      << a.log();
  EXPECT_EQ(b.received[a.self], all);
  EXPECT_GT(a.transport.counts().bytes_sent, b.transport.counts().bytes_received)
      << "sometimes payloads were lost, and said again";
  EXPECT_TRUE(a.breaks.empty());
}

TEST_F(Reconnection, WhoIsNotThereYetIsDialedAgain) {
  Station a(options(1));
  TestTransportOptions late = options(2);
  a.transport.know(late.self, "unix:" + LocalHost().boot() + ":" + late.socket);
  a.transport.send(late.self, "are you there?");
  EXPECT_TRUE(settle({&a}, [&] { return a.has_logged("cannot reach"); }));
  EXPECT_LT(a.transport.wakes(), steady_now() + seconds(2));
  Station b(late);
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); }));
}

TEST_F(Reconnection, AWayThatLeadsNowhereIsFollowedByTheNext) {
  Station a(options(1));
  Station b(options(2));
  Station impostor(options(3));
  // The first address belongs to another peer, and nobody listens at the second.
  a.transport.know(b.self, "unix:" + LocalHost().boot() + ":" + folder.file("3.sock") +
                               " tcp:127.0.0.1:1 " + tcp_of(b));
  a.transport.send(b.self, "here");
  EXPECT_TRUE(settle({&a, &b, &impostor}, [&] { return !b.received.empty(); })) << a.log();
  EXPECT_TRUE(impostor.received.empty());
  EXPECT_TRUE(a.has_logged("this is peer 3 (life 1), not peer 2 (life 1)")) << a.log();
  EXPECT_TRUE(impostor.has_logged("this is peer 3 (life 1), not peer 2 (life 1)"));
}

/// A new peer took the port of one that has left, while payloads for the old one are still queued.
TEST_F(Reconnection, AnAddressThatIsSomebodyElsesNowIsSaidOnceAndTriedLessAndLess) {
  Station a(over_tcp(1));
  Station successor(over_tcp(3));
  a.transport.know(life(2), tcp_of(successor));
  a.transport.send(life(2), "for one that has left");
  auto refusals = [](const Station& of) { return of.transport.counts().connections_refused; };
  EXPECT_TRUE(settle({&a, &successor}, [&] { return refusals(a) == 9; })) << a.log();
  Time later = steady_now() + seconds(2);
  a.transport.work({}, later);
  EXPECT_LT(a.transport.wakes(), later + seconds(1)) << "it is not dialed yet";
  EXPECT_EQ(a.lines.size(), 1u) << a.log();
  EXPECT_TRUE(a.has_logged("this is peer 3 (life 1), not peer 2 (life 1)")) << a.log();
  EXPECT_EQ(successor.lines.size(), 1u) << successor.log();
  a.transport.know(successor.self, tcp_of(successor));
  a.transport.send(successor.self, "for its successor");
  EXPECT_TRUE(settle({&a, &successor}, [&] { return !successor.received.empty(); })) << a.log();
}

TEST_F(Reconnection, WhoHasADirectoryOfItsOwnIsReachedAsOnAnotherMachine) {
  TestTransportOptions elsewhere = options(2);
  PrivateFolder made(folder.file("elsewhere"), 1, Missing::make);
  elsewhere.socket = folder.file("elsewhere/2.sock");
  Station a(options(1));
  Station b(elsewhere);
  a.transport.know(b.self, "unix:" + LocalHost().boot() + ":" + elsewhere.socket);
  a.transport.send(b.self, "by the socket");
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.has_logged("cannot reach"); })) << a.log();
  EXPECT_TRUE(b.received.empty());
  a.transport.know(b.self, "unix:" + LocalHost().boot() + ":" + elsewhere.socket + " " + tcp_of(b));
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); })) << a.log();
}

TEST_F(Reconnection, AChannelThatIsFullIsBroken) {
  TestTransportOptions small = options(1);
  small.kept_bytes_max = 1000;
  Station a(small);
  a.transport.know(life(2), "tcp:127.0.0.1:1");
  for (int i = 0; i < 20; ++i) a.transport.send(life(2), std::string(100, 'x'));
  EXPECT_TRUE(settle({&a}, [&] { return !a.breaks.empty(); }));
  EXPECT_EQ(a.breaks.size(), 1u);
  EXPECT_EQ(a.breaks.front(),
            std::pair(life(2), std::string("it has left 981 bytes unacknowledged, and there is no "
                                           "room for 100 more")));
  EXPECT_TRUE(a.transport.unacknowledged(steady_now()).empty());
  a.transport.send(life(2), "x");
  a.turn();
  EXPECT_EQ(a.breaks.size(), 1u) << "for good, and said once";
}

TEST_F(Reconnection, ABreakIsToldAtOnce) {
  TestTransportOptions small = options(1);
  small.kept_bytes_max = 10;
  Station a(small);
  a.transport.know(life(2), "tcp:127.0.0.1:1");
  a.transport.send(life(2), std::string(100, 'x'));
  EXPECT_LE(a.transport.wakes(), steady_now());
}

TEST_F(Reconnection, TimePassesWhileSomebodyDoesNotAcknowledge) {
  Station a(options(1));
  a.transport.know(life(2), "tcp:127.0.0.1:1");
  a.transport.send(life(2), "x");
  a.transport.flush();
  auto silent = a.transport.unacknowledged(steady_now() + seconds(5));
  ASSERT_EQ(silent.size(), 1u);
  EXPECT_EQ(silent.front().first, life(2));
  EXPECT_GT(silent.front().second, milliseconds(4900));
}

/// Plays a receiver that the station dials.
class FakeReceiver : public Reconnection {
 protected:
  /// Accepts the next connection and answers its hello.
  std::optional<Raw> accepts(Station& a, const wire::HelloAccepted& answer) {
    std::optional<Raw> raw;
    EXPECT_TRUE(settle({&a}, [&] {
      if (!raw) raw = listener.accept();
      return raw && raw->answer();
    }));
    std::string bytes;
    wire::put_answer(bytes, answer);
    if (raw) raw->say(bytes);
    return raw;
  }
  wire::HelloAccepted accepted(bool known, std::uint64_t received) const {
    return {life(2), "naimi-trehel", "", known, received, 1};
  }
  static std::string acknowledgement(std::uint64_t received) {
    std::string body(4, '\0');
    wire::put_number(body, static_cast<std::uint32_t>(received));
    return frame_of(wire::FrameKind::acknowledgement, body);
  }

  RawListener listener;
};

TEST_F(FakeReceiver, WhoClaimsMoreThanItWasSentBreaksItsChannel) {
  Station a(options(1));
  a.transport.know(life(2), listener.address());
  a.transport.send(life(2), "x");
  auto raw = accepts(a, accepted(false, 99));
  EXPECT_TRUE(settle({&a}, [&] { return !a.breaks.empty(); }));
  EXPECT_EQ(a.breaks.front().second,
            "it claims to have received 99 payloads, more than it was sent");
  EXPECT_TRUE(settle({&a}, [&] { return raw->has_ended(); }));
}

TEST_F(FakeReceiver, WhoAcknowledgesMoreThanItWasSentBreaksItsChannel) {
  Station a(options(1));
  a.transport.know(life(2), listener.address());
  a.transport.send(life(2), "x");
  auto raw = accepts(a, accepted(false, 0));
  raw->say(acknowledgement(2));
  EXPECT_TRUE(settle({&a}, [&] { return !a.breaks.empty(); }));
  EXPECT_EQ(a.breaks.front().second, "it acknowledges 2 payloads, more than it was sent");
}

TEST_F(FakeReceiver, WhoHasForgottenBreaksItsChannel) {
  Station a(options(1));
  a.transport.know(life(2), listener.address());
  a.transport.send(life(2), "x");
  a.transport.send(life(2), "y");
  {
    auto raw = accepts(a, accepted(false, 0));
    raw->say(acknowledgement(1));
    EXPECT_TRUE(settle({&a}, [&] { return raw->heard().find('y') != std::string::npos; }));
  }
  auto raw = accepts(a, accepted(false, 1));
  EXPECT_TRUE(settle({&a}, [&] { return !a.breaks.empty(); }));
  EXPECT_EQ(a.breaks.front().second, "it has forgotten what it had received");
}

TEST_F(FakeReceiver, WhoAnswersNonsenseIsLeftAndDialedAgain) {
  Station a(options(1));
  a.transport.know(life(2), listener.address());
  a.transport.send(life(2), "x");
  for (const std::string& nonsense :
       {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), frame_of(wire::FrameKind::payload, "abcd"),
        frame_of(wire::FrameKind::accepted, "abcd"),
        frame_of(wire::FrameKind::refused, "\xff\xff")}) {
    std::optional<Raw> raw;
    EXPECT_TRUE(settle({&a}, [&] {
      if (!raw) raw = listener.accept();
      return raw && raw->answer();
    }));
    raw->say(nonsense);
    EXPECT_TRUE(settle({&a}, [&] { return raw->has_ended(); }));
  }
  auto raw = accepts(a, accepted(false, 0));
  EXPECT_TRUE(settle({&a}, [&] { return raw->heard().ends_with('x'); }));
  EXPECT_TRUE(a.breaks.empty());
}

TEST_F(FakeReceiver, WhoNeverAnswersIsLeftInTheEnd) {
  Station a(options(1));
  a.transport.know(life(2), listener.address());
  a.transport.send(life(2), "x");
  a.transport.flush();
  std::optional<Raw> raw;
  EXPECT_TRUE(settle({&a}, [&] {
    if (!raw) raw = listener.accept();
    return raw.has_value();
  }));
  // The timeout is granted twice, in case this process was suspended.
  Time later = steady_now() + wire::handshake_patience;
  for (Time now : {later, later + wire::handshake_patience}) a.transport.work({}, now);
  EXPECT_TRUE(raw->has_ended());
  EXPECT_TRUE(a.has_logged("the handshake took too long")) << a.log();
}

}  // namespace conch::net::testing::reconnection_test
