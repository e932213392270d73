// Many locks over one overlay, as a peer has them.
#include "overlay/routed_locks.hpp"

#include <gtest/gtest.h>

#include "overlay/pastry.hpp"
#include "overlay/testing/postman.hpp"

namespace conch::overlay::testing::routed_locks_test {

using namespace std::chrono_literals;

/// Enters at once, and has a timer while it is inside.
class Hasty : public Postman {
 public:
  using Postman::Postman;
  static constexpr TimerId timer_inside{3};
  void request(Out& out) {
    Postman::request(out);
    out.enter(Baton{Fence(Epoch{}, 7), {}});
    out.arm(timer_inside, 1s, 1s);
  }
  void release(const DataRef&, Out& out) { out.disarm(timer_inside); }
};

using Locks = RoutedLocks<Hasty, Pastry>;
using Position = Locks::Position;

constexpr Duration lease = 4s;
constexpr NodeId a{1000}, b{3000}, newcomer{0x9e3779b97f4a7c15};
/// Where a first letter goes: to the place of the newcomer.
constexpr Key letter_key{0x9e3779b97f4a7c15};

/// A few peers, and messages that arrive in the order in which they were sent.
class Peers {
 public:
  using Effects = std::vector<std::pair<std::string, Effect>>;

  explicit Peers(const std::vector<NodeId>& members) {
    for (std::size_t i = 0; i < members.size(); ++i) add(members[i], Pastry(members, i));
  }
  void add(NodeId node, Pastry overlay) {
    Replication terms;
    terms.lease = lease;
    peers_.emplace(node, Locks(node, terms, std::move(overlay), FenceClock{}));
  }
  /// What the call wants of the process.
  template <class F>
  Effects call(NodeId node, F&& f) {
    Locks::Out out{.now = now, .sends = {}, .effects = {}};
    f(peers_.at(node), out);
    for (auto& [to, message] : out.sends) in_flight_.push_back({node, to, std::move(message)});
    Effects effects;
    for (auto& [lock, effect] : out.effects) effects.emplace_back(lock, effect);
    return effects;
  }
  void settle() {
    for (std::size_t next = 0; next < in_flight_.size();) {
      auto [from, to, message] = in_flight_[next++];
      call(to, [&, from = from](Locks& locks, auto& out) {
        std::visit([&](auto& chosen) { locks.receive(from, chosen, out); }, message);
      });
    }
    in_flight_.clear();
  }
  Effects request(NodeId node, const std::string& lock) {
    return call(node, [&](Locks& locks, auto& out) { EXPECT_TRUE(locks.request(lock, out)); });
  }
  Locks& at(NodeId node) { return peers_.at(node); }
  const Locks::Lock& at(NodeId node, const std::string& lock) {
    return peers_.at(node).locks().at(lock);
  }
  Time now{};

 private:
  struct InFlight {
    NodeId from;
    NodeId to;
    Locks::Message message;
  };
  std::map<NodeId, Locks> peers_;
  std::vector<InFlight> in_flight_;
};

template <class E>
std::size_t count(const Peers::Effects& effects, const std::string& lock) {
  return static_cast<std::size_t>(std::count_if(effects.begin(), effects.end(), [&](auto& each) {
    return each.first == lock && std::holds_alternative<E>(each.second);
  }));
}

TEST(RoutedLocks, EachLockHasAValueOfItsOwn) {
  Peers peers({a, b, newcomer});
  peers.request(a, "one");
  peers.request(b, "one");
  peers.request(b, "other");
  peers.settle();
  EXPECT_EQ(peers.at(newcomer, "one").protocol.deliveries().size(), 2u);
  EXPECT_EQ(peers.at(newcomer, "other").protocol.deliveries().size(), 1u);
  EXPECT_FALSE(peers.at(a).locks().contains("other"));
}

TEST(RoutedLocks, AProcessAsksAndReleasesInTurn) {
  Peers peers({a});
  EXPECT_EQ(count<Entered>(peers.request(a, "one"), "one"), 1u);
  peers.call(a, [](Locks& locks, auto& out) {
    EXPECT_FALSE(locks.request("one", out));
    EXPECT_FALSE(locks.cancel("one", out));
    EXPECT_EQ(locks.locks().at("one").position, Position::inside);
    EXPECT_TRUE(locks.release("one", {}, out));
    EXPECT_FALSE(locks.release("one", {}, out));
  });
  EXPECT_EQ(peers.at(a, "one").position, Position::idle);
}

TEST(RoutedLocks, AMessageWaitsForItsRootForHalfALease) {
  for (bool in_time : {true, false}) {
    Peers peers({a, b});
    peers.add(newcomer, Pastry(newcomer));
    peers.call(newcomer, [](Locks& locks, auto& out) { locks.join(a, out); });
    Peers::Effects effects = peers.request(newcomer, "one");
    ASSERT_EQ(count<Armed>(effects, ""), 1u);
    for (auto& [lock, effect] : effects)
      if (auto* armed = std::get_if<Armed>(&effect); armed && lock.empty()) {
        EXPECT_EQ(armed->timer, Locks::held_timer);
        EXPECT_EQ(armed->max, lease / 2);
      }
    if (!in_time)
      peers.call(newcomer,
                 [](Locks& locks, auto& out) { locks.timer("", Locks::held_timer, out); });
    peers.settle();
    ASSERT_TRUE(peers.at(newcomer).overlay().root_of(letter_key));
    EXPECT_EQ(peers.at(newcomer, "one").protocol.deliveries().size(), in_time ? 1u : 0u);
  }
}

TEST(RoutedLocks, AValueThatComesLaterKnowsWhichKeysItsNodeHas) {
  Peers peers({a});
  peers.request(a, "old");
  peers.add(b, Pastry(b));
  peers.call(b, [](Locks& locks, auto& out) { locks.join(a, out); });
  peers.settle();
  peers.request(b, "new");
  EXPECT_EQ(peers.at(b, "new").protocol.domain(), peers.at(b).overlay().domain());
  EXPECT_EQ(peers.at(b, "new").protocol.moves(), 1u);
  EXPECT_EQ(peers.at(a, "old").protocol.domain(), peers.at(a).overlay().domain());
}

TEST(RoutedLocks, WhoeverIsLeftAloneGivesUpWhatItHolds) {
  Peers peers({a, b, newcomer});
  auto suspect = [&](NodeId node) {
    return peers.call(a, [&](Locks& locks, auto& out) { locks.suspect(node, out); });
  };
  suspect(b);
  peers.settle();  // it comes back
  ASSERT_EQ(peers.at(a).overlay().neighbours().size(), 2u);
  peers.request(a, "one");
  EXPECT_EQ(count<Forfeited>(suspect(b), "one"), 0u);
  EXPECT_EQ(count<Forfeited>(suspect(newcomer), "one"), 1u);
  EXPECT_EQ(peers.at(a, "one").position, Position::idle);
}

TEST(RoutedLocks, AValueThatBeginsAnewHasLostEverything) {
  Peers peers({a});
  peers.request(a, "one");
  auto effects = peers.call(a, [](Locks& locks, auto& out) { locks.begin_anew("one", out); });
  EXPECT_EQ(count<Forfeited>(effects, "one"), 1u);
  EXPECT_EQ(count<Disarmed>(effects, "one"), 1u);
  EXPECT_EQ(peers.at(a, "one").position, Position::idle);
  EXPECT_TRUE(peers.at(a, "one").timers.empty());
}

}  // namespace conch::overlay::testing::routed_locks_test
