// A peer joins through another one that misbehaves.
#include <gtest/gtest.h>

#include <atomic>
#include <conch/peer.hpp>
#include <thread>

#include "net/testing/station.hpp"
#include "node/talk.hpp"
#include "peer/testing/scratch_group.hpp"
#include "recovery/lease.hpp"
#include "recovery/register_talk.hpp"

namespace conch::peer::joining_test {

using node::packed;
using node::PayloadKind;
using node::unpacked;

using namespace std::chrono_literals;

class JoiningTest : public net::testing::Group {
 protected:
  PeerOptions joining(const net::testing::Station& through) {
    PeerOptions options = group_.options();
    options.group = "kitchen";
    options.listen = {"127.0.0.1:0"};
    options.join = through.transport.listens();
    options.tcp_only = true;
    return options;
  }

  /// An answer that the group runs another algorithm, so the peer that asks must stay out.
  static std::string refusal_of(std::string_view ask) {
    std::string why;
    recovery::RegisterSnapshot snapshot;
    snapshot.view.number = 1;
    snapshot.view.epoch = Epoch{1};
    snapshot.view.algorithm = "central";
    snapshot.view.roster = recovery::Roster().with({NodeId{1}, Incarnation{1}});
    std::uint64_t number = unpacked<recovery::RegisterRequest>(ask, why).value().number;
    return packed(PayloadKind::register_answer, recovery::RegisterAnswer{number, false, snapshot});
  }

  ScratchGroup group_;
};

/// The peer may have been admitted and put out before it knew, and all others have forgotten it.
/// The register could tell it, but none of its messages arrives any more.
TEST_F(JoiningTest, WhomAllHaveForgottenComesAsSomebodyNew) {
  net::testing::Station machine(over_tcp(1));
  std::vector<PeerInstance> lives;
  machine.on_delivery = [&](const PeerInstance& from, std::string_view payload) {
    auto kind = static_cast<PayloadKind>(payload.front());
    if (kind == PayloadKind::terms_ask)
      machine.transport.send(from, packed(PayloadKind::terms, recovery::LeaseTerms{1s, 5}));
    if (kind != PayloadKind::register_ask) return;
    if (lives.empty() || lives.back() != from) lives.push_back(from);
    if (lives.size() == 1) return machine.transport.forget(from);
    machine.transport.send(from, refusal_of(payload.substr(1)));
  };
  std::atomic<bool> is_over = false;
  std::jthread joiner([&, options = joining(machine)] {
    EXPECT_THROW(Peer{options}, Error);
    is_over = true;
  });
  EXPECT_TRUE(net::testing::settle({&machine}, [&] { return is_over.load(); }));
  ASSERT_EQ(lives.size(), 2u);
  EXPECT_EQ(lives[0].id, lives[1].id);
  EXPECT_LT(lives[0].incarnation, lives[1].incarnation);
}

/// The machine with the register may reboot before it admits the peer, which sees no view that
/// would tell it.
TEST_F(JoiningTest, WhoComesInThePlaceOfAContactIsAskedInstead) {
  net::testing::Station machine(over_tcp(1));
  std::size_t asked = 0;
  machine.on_delivery = [&](const PeerInstance& from, std::string_view payload) {
    auto kind = static_cast<PayloadKind>(payload.front());
    if (kind == PayloadKind::terms_ask)
      machine.transport.send(from, packed(PayloadKind::terms, recovery::LeaseTerms{1s, 5}));
    if (kind != PayloadKind::register_ask) return;
    if (++asked == 1) return machine.transport.live_as({NodeId{1}, Incarnation{2}});
    machine.transport.send(from, refusal_of(payload.substr(1)));
  };
  std::atomic<bool> is_over = false;
  std::jthread joiner([&, options = joining(machine)] {
    EXPECT_THROW(Peer{options}, Error);
    is_over = true;
  });
  EXPECT_TRUE(net::testing::settle({&machine}, [&] { return is_over.load(); }));
  EXPECT_GT(asked, 1u);
}

}  // namespace conch::peer::joining_test
