#include "net/tls.hpp"

#include <gtest/gtest.h>

#include <conch/error.hpp>
#include <future>

#include "net/client_link.hpp"
#include "net/testing/certificates.hpp"
#include "net/testing/raw.hpp"
#include "net/testing/station.hpp"

namespace conch::net::testing::tls_test {

class UnderTls : public Group {
 protected:
  TestTransportOptions secured(std::uint64_t id, const Tls& tls) const {
    TestTransportOptions options = over_tcp(id);
    options.tls = tls;
    return options;
  }
  Tls certified(const std::string& name, Authority& authority) {
    return authority.certify(folder.file(name));
  }

  Authority ours{folder.file("ours")};
  Authority theirs{folder.file("theirs")};
};

TEST_F(UnderTls, PeersOfOneAuthorityTalk) {
  Station a(secured(1, certified("a", ours)));
  Station b(secured(2, certified("b", ours)));
  a.knows(b);
  std::vector<std::string> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) * 50, '.'));
    a.transport.send(b.self, all.back());
  }
  all.emplace_back(5'000'000, 'x');
  a.transport.send(b.self, all.back());
  EXPECT_TRUE(settle({&a, &b}, [&] { return b.received[a.self].size() == all.size(); }))
      << a.log() << b.log();
  EXPECT_EQ(b.received[a.self], all);
  b.transport.send(a.self, "back");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.received.empty(); }));
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.transport.unacknowledged(steady_now()).empty(); }));
}

TEST_F(UnderTls, WireCutsAreOvercome) {
  Station a(secured(1, certified("a", ours)));
  Station b(secured(2, certified("b", ours)));
  Relay relay(b.transport.listens().front(), 5);
  a.transport.know(b.self, relay.address());
  Dice dice(1);
  std::size_t sent = 0;
  EXPECT_TRUE(settle(
      {&a, &b}, [&] { return b.received[a.self].size() >= 300; },
      [&] {
        for (; sent < 300 && dice.percent(70); ++sent)
          a.transport.send(b.self, std::to_string(sent));
        a.transport.flush();
        relay.pump();
        if (dice.percent(1)) relay.cut();
      }))
      << a.log();
  for (std::size_t i = 0; i < b.received[a.self].size(); ++i)
    ASSERT_EQ(b.received[a.self][i], std::to_string(i));
}

TEST_F(UnderTls, WhoIsCertifiedByAnotherAuthorityGetsNothing) {
  Station a(secured(1, certified("a", ours)));
  Station b(secured(2, certified("b", theirs)));
  a.knows(b);
  a.transport.send(b.self, "secret");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.lines.empty() && !b.lines.empty(); }));
  EXPECT_TRUE(a.has_logged("its certificate is not accepted")) << a.log();
  EXPECT_TRUE(b.received.empty());
  b.knows(a);
  b.transport.send(a.self, "let me in");
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.has_logged("dropped the connection with tcp"); }))
      << a.log();
  EXPECT_TRUE(a.received.empty());
}

TEST_F(UnderTls, WhoHasNoCertificateGetsNothing) {
  Station a(secured(1, certified("a", ours)));
  UncertifiedClient client(a.transport.listens().front());
  EXPECT_TRUE(settle({&a}, [&] { return client.is_turned_away(); }));
  EXPECT_TRUE(a.has_logged("peer did not return a certificate")) << a.log();
  EXPECT_EQ(client.heard(), "");
}

TEST_F(UnderTls, WhoSpeaksInTheClearGetsNothing) {
  Station a(secured(1, certified("a", ours)));
  Station b(over_tcp(2));
  b.knows(a);
  b.transport.send(a.self, "in the clear");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.lines.empty() && !b.lines.empty(); }));
  EXPECT_TRUE(a.has_logged("dropped the connection with tcp")) << a.log();
  EXPECT_TRUE(a.received.empty());

  Raw raw = Raw::to(a.transport.listens().front());
  raw.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(settle({&a}, [&] { return raw.has_ended(); }));
  EXPECT_EQ(raw.answer(), std::nullopt) << "not even a refusal";
}

TEST_F(UnderTls, WhoExpectsItAtAPlainPortIsDropped) {
  Station a(secured(1, certified("a", ours)));
  Station b(over_tcp(2));
  a.knows(b);
  a.transport.send(b.self, "x");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !a.lines.empty() && !b.lines.empty(); }));
  EXPECT_TRUE(b.received.empty());
}

TEST_F(UnderTls, WhoNeverShakesHandsIsDroppedInTheEnd) {
  Station a(secured(1, certified("a", ours)));
  Raw raw = Raw::to(a.transport.listens().front());
  EXPECT_TRUE(settle({&a}, [&] { return a.transport.wakes() < steady_now() + seconds(3); }));
  a.transport.work({}, steady_now() + wire::handshake_patience);
  EXPECT_TRUE(settle({&a}, [&] { return raw.has_ended(); }));
}

TEST_F(UnderTls, AStrangerOfTheAuthorityIsToldWhoThisIs) {
  Tls tls = certified("a", ours);
  Station a(secured(1, tls));
  auto asked = std::async(std::launch::async, [&] {
    return ask_who(a.transport.listens().front(), "kitchen", tls, patience);
  });
  EXPECT_TRUE(
      settle({&a}, [&] { return asked.wait_for(seconds(0)) == std::future_status::ready; }));
  EXPECT_EQ(asked.get().life, a.self);
}

TEST_F(UnderTls, AnotherMachineMayBeListenedTo) {
  TestTransportOptions open = secured(1, certified("a", ours));
  open.listen = {"0.0.0.0:0"};
  EXPECT_NO_THROW(Station{open});
}

TEST_F(UnderTls, FilesThatAreMissingOrUnfitAreNamed) {
  Tls tls = certified("a", ours);
  auto complaint = [](const Tls& files) -> std::string {
    try {
      TlsContext context(files);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(tls), "");
  Tls without_key = tls;
  without_key.key = "";
  EXPECT_TRUE(complaint(without_key).starts_with("TLS needs all three")) << complaint(without_key);
  Tls gone = tls;
  gone.certificate = folder.file("nothing.pem");
  EXPECT_TRUE(complaint(gone).starts_with("TLS: cannot use the certificate " + gone.certificate))
      << complaint(gone);
  Tls mixed = tls;
  mixed.key = certified("b", ours).key;
  EXPECT_TRUE(complaint(mixed).starts_with("TLS: cannot use the key")) << complaint(mixed);
}

}  // namespace conch::net::testing::tls_test
