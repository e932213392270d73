// A peer that joins through one that is not quite what it should be.
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
using recovery::Life;

class JoiningTest : public net::testing::Group {
 protected:
  PeerOptions joining(const net::testing::Station& through) {
    PeerOptions options = group_.options();
    options.group = "kitchen";
    options.listen = {"127.0.0.1:0"};
    options.join = through.courier.listens();
    options.tcp_only = true;
    return options;
  }

  /// That the group runs something else, so that nobody who asks wants to be in it.
  static std::string refusal_of(std::string_view ask) {
    std::string why;
    recovery::Standing standing;
    standing.view.number = 1;
    standing.view.epoch = Epoch{1};
    standing.view.algorithm = "central";
    standing.view.roster = recovery::Roster().with({NodeId{1}, recovery::Incarnation{1}});
    std::uint64_t number = unpacked<recovery::Ask>(ask, why).value().number;
    return packed(PayloadKind::register_answer, recovery::Answer{number, false, standing});
  }

  ScratchGroup group_;
};

/// It was admitted and put out before it knew, say, and all that is left of it is forgotten. The
/// register could tell; but nothing that it says arrives any more.
TEST_F(JoiningTest, WhomAllHaveForgottenComesAsSomebodyNew) {
  net::testing::Station machine(over_tcp(1));
  std::vector<Life> lives;
  machine.on_delivery = [&](const Life& from, std::string_view payload) {
    auto kind = static_cast<PayloadKind>(payload.front());
    if (kind == PayloadKind::terms_ask)
      machine.courier.send(from, packed(PayloadKind::terms, recovery::LeaseTerms{1s, 5}));
    if (kind != PayloadKind::register_ask) return;
    if (lives.empty() || lives.back() != from) lives.push_back(from);
    if (lives.size() == 1) return machine.courier.forget(from);
    machine.courier.send(from, refusal_of(payload.substr(1)));
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

/// The machine that has the register may boot again before anybody is admitted: who is not in sees
/// no view that would tell.
TEST_F(JoiningTest, WhoComesInThePlaceOfAContactIsAskedInstead) {
  net::testing::Station machine(over_tcp(1));
  std::size_t asked = 0;
  machine.on_delivery = [&](const Life& from, std::string_view payload) {
    auto kind = static_cast<PayloadKind>(payload.front());
    if (kind == PayloadKind::terms_ask)
      machine.courier.send(from, packed(PayloadKind::terms, recovery::LeaseTerms{1s, 5}));
    if (kind != PayloadKind::register_ask) return;
    if (++asked == 1) return machine.courier.live_as({NodeId{1}, recovery::Incarnation{2}});
    machine.courier.send(from, refusal_of(payload.substr(1)));
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
