// Nodes that come, go and die, in seeded schedules, under both overlays. A failure prints its seed.
#include "overlay/ring_member.hpp"

#include <gtest/gtest.h>

#include <array>

#include "overlay/chord.hpp"
#include "overlay/pastry.hpp"
#include "overlay/testing/ring_world.hpp"

namespace conch::overlay::testing::ring_member_test {

template <class O>
class RingMemberTest : public ::testing::Test {};
using Overlays = ::testing::Types<Pastry, Chord>;
struct Names {
  template <class O>
  static std::string GetName(int) {
    return std::is_same_v<O, Pastry> ? "Pastry" : "Chord";
  }
};
TYPED_TEST_SUITE(RingMemberTest, Overlays, Names);

#define SEEDS(count)                                    \
  for (std::uint64_t seed = 1; seed <= (count); ++seed) \
    if (SCOPED_TRACE("seed " + std::to_string(seed)); !this->HasFailure())

TYPED_TEST(RingMemberTest, ARingBuiltAtOnceIsInOrder) {
  for (std::size_t size : {1, 2, 3, 9, 16, 17, 18, 40, 100}) {
    RingWorld<TypeParam> world(size);
    world.found(scattered(size, world.dice()));
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(50), "") << size;
  }
}

TYPED_TEST(RingMemberTest, OneByOne) {
  SEEDS(30) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = scattered(2 + world.dice().below(40), world.dice());
    world.found({nodes[0]});
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      world.join(nodes[i], world.any_member());
      world.run(1s);
    }
    world.run(2s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(30), "");
  }
}

TYPED_TEST(RingMemberTest, ManyAtOnce) {
  SEEDS(60) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = scattered(10 + world.dice().below(40), world.dice());
    world.found({nodes[0]});
    // Each joins through a member, or through a node that is itself joining.
    for (std::size_t i = 1; i < nodes.size(); ++i) world.join(nodes[i], world.anybody());
    world.run(20s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(30), "");
  }
}

/// Founds a ring of so many nodes, and returns them.
template <class O>
std::vector<NodeId> settled(RingWorld<O>& world, std::size_t size) {
  std::vector<NodeId> nodes = scattered(size, world.dice());
  world.found(nodes);
  return nodes;
}

TYPED_TEST(RingMemberTest, TwoNextToEachOtherAtTheSameTime) {
  SEEDS(150) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = settled(world, 1 + world.dice().below(30));
    NodeId one{nodes[0].value + 10}, other{nodes[0].value + 20};
    world.join(one, world.anybody());
    world.at(Duration(world.dice().below(80'000'000)), [&] { world.join(other, nodes[0]); });
    world.run(5s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(10), "");
  }
}

TYPED_TEST(RingMemberTest, AContactThatDies) {
  std::size_t in_vain = 0;
  SEEDS(100) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = settled(world, 3 + world.dice().below(30));
    NodeId contact = world.anybody();
    NodeId newcomer{world.dice().number()};
    world.join(newcomer, contact);
    world.at(Duration(world.dice().below(60'000'000)), [&] {
      world.crash(contact);
      in_vain += world.at(newcomer).phase() == RingPhase::joining;
    });
    world.run(15s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(10), "");
  }
  EXPECT_GT(in_vain, 0u);
}

// "Up to L/2 - 1 on either side" of one leaf set crash at once.
TYPED_TEST(RingMemberTest, SevenOnEitherSideCrashAtOnce) {
  std::size_t rerouted = 0;
  SEEDS(60) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = settled(world, 20 + world.dice().below(60));
    std::size_t middle = world.dice().below(nodes.size());
    for (std::size_t i = 1; i < LeafSet::side_max; ++i) {
      world.crash(nodes[(middle + i) % nodes.size()]);
      world.crash(nodes[(middle + nodes.size() - i) % nodes.size()]);
    }
    for (int i = 0; i < 20; ++i) world.post(world.anybody(), Key{world.dice().number()});
    world.run(12s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(20), "");
    EXPECT_EQ(world.arrivals().size(), world.letters()) << "letters posted during the repair";
    rerouted += world.rerouted();
  }
  EXPECT_GT(rerouted, 0u) << "some routes did need the repair";
}

TYPED_TEST(RingMemberTest, WhoIsWronglySuspectedComesBack) {
  std::size_t doubled = 0;
  SEEDS(150) {
    RingWorld<TypeParam> world(seed);
    settled(world, 2 + world.dice().below(30));
    for (int i = 0; i < 8; ++i) {
      NodeId by = world.anybody();
      if (world.at(by).neighbours().empty()) continue;
      NodeId whom = world.dice().one_of(world.at(by).neighbours());
      world.suspect(by, whom);
      if (world.dice().percent(50)) world.suspect(whom, by);
      doubled += world.roots(key_of(whom)) > 1;
    }
    world.run(15s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(10), "");
  }
  EXPECT_GT(doubled, 0u) << "the absence of a guarantee is seen, too";
}

// It loses only what it passed on in its last moment to a node that had just left, too.
TYPED_TEST(RingMemberTest, AGracefulLeaverLosesNoRoute) {
  std::size_t relayed = 0, lost = 0;
  SEEDS(100) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = settled(world, 5 + world.dice().below(40));
    std::set<NodeId> leavers;
    for (std::size_t i = 0; i < nodes.size() / 3; ++i) leavers.insert(world.dice().one_of(nodes));
    for (NodeId node : leavers)
      world.at(Duration(world.dice().below(1'000'000'000)), [&world, node] { world.leave(node); });
    for (int i = 0; i < 60; ++i)
      world.at(Duration(world.dice().below(2'000'000'000)),
               [&world] { world.post(world.anybody(), Key{world.dice().number()}); });
    world.run(12s);
    for (NodeId node : leavers) EXPECT_FALSE(world.lives(node));
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.arrivals().size() + world.lost_with_their_senders(), world.letters());
    lost += world.lost_with_their_senders();
    relayed += world.relayed_by_leavers();
  }
  EXPECT_GT(relayed, 0u);
  EXPECT_LT(lost, 3u);
}

// The guarantee of the header: joins and leaves alone never give a key two roots.
TYPED_TEST(RingMemberTest, AKeyNeverHasTwoRoots) {
  std::size_t none = 0, held = 0;
  SEEDS(200) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = settled(world, 1 + world.dice().below(20));
    for (int i = 0; i < 6; ++i) {
      NodeId newcomer{world.dice().number()};
      world.at(Duration(world.dice().below(500'000'000)),
               [&world, newcomer] { world.join(newcomer, world.any_member()); });
    }
    for (std::size_t i = 1; i < nodes.size(); i += 4)
      world.at(Duration(world.dice().below(500'000'000)),
               [&world, node = nodes[i]] { world.leave(node); });
    std::vector<Key> keys;
    for (int i = 0; i < 8; ++i) keys.push_back(Key{world.dice().number()});
    for (Key key : keys)
      world.at(Duration(world.dice().below(500'000'000)),
               [&world, key] { world.post(world.anybody(), key); });
    world.run(1s, [&] {
      for (Key key : keys) {
        ASSERT_LE(world.roots(key), 1u) << "key " << static_cast<std::uint64_t>(key);
        none += world.roots(key) == 0;
      }
    });
    world.run(10s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.arrivals().size(), world.letters());
    held += world.held();
  }
  EXPECT_GT(none, 0u) << "it sometimes has none";
  EXPECT_GT(held, 0u) << "and messages wait for the new one";
}

TYPED_TEST(RingMemberTest, EverythingAtOnceAndMessagesLost) {
  std::array<std::size_t, 4> did{};
  std::size_t lost = 0;
  SEEDS(100) {
    RingWorld<TypeParam> world(seed, {.exchange = 500ms, .retry = 300ms}, {.loss_percent = 3});
    settled(world, 20 + world.dice().below(20));
    for (int i = 0; i < 20; ++i) {
      auto what = world.dice().below(4);
      world.at(Duration(world.dice().below(5'000'000'000)), [&world, &did, what] {
        NodeId node = world.anybody();
        if (what < 2 && world.living().size() <= 12) return;
        ++did[what];
        if (what == 0) world.crash(node);
        if (what == 1) world.leave(node);
        if (what == 2) world.join(NodeId{world.dice().number()}, node);
        if (what == 3) world.suspect(node, world.anybody());
      });
    }
    world.run(15s);
    world.calm();
    world.run(15s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(10), "");
    lost += world.lost();
  }
  for (std::size_t times : did) EXPECT_GT(times, 0u);
  EXPECT_GT(lost, 0u);
}

// A crashed node comes back at its old place before, or after, the others have noticed.
TYPED_TEST(RingMemberTest, ARestart) {
  std::size_t noticed = 0, unnoticed = 0;
  SEEDS(100) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = settled(world, 3 + world.dice().below(30));
    NodeId node = nodes[1];
    world.crash(node);
    world.run(Duration(world.dice().below(1'500'000'000)));
    std::vector<NodeId> known = world.at(nodes[0]).neighbours();
    ++(std::count(known.begin(), known.end(), node) > 0 ? unnoticed : noticed);
    world.join(node, nodes[0]);
    world.run(10s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(10), "");
  }
  EXPECT_GT(noticed, 0u);
  EXPECT_GT(unnoticed, 0u);
}

// If one suspect was out of reach, other suspects may have been, too.
TYPED_TEST(RingMemberTest, WhenASuspectIsBackTheOthersAreAsked) {
  std::vector<NodeId> nodes{{100}, {200}, {300}, {400}};
  TypeParam member(nodes, 0);
  typename TypeParam::Out out;
  member.suspect(nodes[1], out);
  member.suspect(nodes[2], out);
  out.clear();
  member.receive(nodes[1], typename TypeParam::Answer{}, out);
  EXPECT_EQ(std::count_if(out.sends().begin(), out.sends().end(),
                          [&](const auto& send) { return send.to == nodes[2]; }),
            1);
}

// It may have been a member before, but no newcomer should be sent to it yet.
TYPED_TEST(RingMemberTest, WhoIsNotWelcomeYetDoesNotAnswer) {
  TypeParam newcomer(NodeId{100});
  typename TypeParam::Out out;
  newcomer.join(NodeId{200}, out);
  out.clear();
  newcomer.receive(NodeId{300}, typename TypeParam::Probe{}, out);
  EXPECT_TRUE(out.sends().empty());
  newcomer.receive(NodeId{200}, typename TypeParam::Welcome{{NodeId{300}}, {}}, out);
  EXPECT_EQ(out.sends().size(), 2u) << "it asks both";
}

/// A member of a ring with leases, and the two nodes next to it.
template <class O>
struct Leased {
  using Out = typename O::Out;
  static constexpr Duration lease = 1s;

  Leased() {
    member.start(out);
    out.clear();
  }
  /// Begins a round, unless one is open; returns its number.
  std::uint32_t ask() {
    out.clear();
    member.timer(O::exchange_timer, out);
    member.timer(O::retry_timer, out);
    for (const auto& send : out.sends())
      if (auto* probe = std::get_if<typename O::Probe>(&send.message)) return probe->round;
    return 0;
  }
  void answer(NodeId from, std::uint32_t round) {
    member.receive(from, typename O::Answer{{}, round}, out);
  }
  bool acts() const { return member.domain().has_value(); }

  std::vector<NodeId> nodes{{100}, {200}, {300}, {400}, {500}};
  NodeId before = nodes[1], after = nodes[3];
  O member{nodes, 2, upkeep_for(lease)};
  Out out;
};

TYPED_TEST(RingMemberTest, ActsForItsKeysWhileBothNeighboursAnswer) {
  Leased<TypeParam> ring;
  std::uint32_t first = ring.ask();
  ring.answer(ring.before, first);
  ring.answer(ring.after, first);
  EXPECT_TRUE(ring.acts());
  ring.member.timer(TypeParam::lease_timers[first % 2], ring.out);
  EXPECT_FALSE(ring.acts());
  std::uint32_t second = ring.ask();
  EXPECT_NE(first, second);
  ring.answer(ring.before, second);
  EXPECT_FALSE(ring.acts()) << "one of them is not enough";
  ring.answer(ring.after, first);
  EXPECT_FALSE(ring.acts()) << "nor is an answer to an older round";
  ring.answer(ring.after, second);
  EXPECT_TRUE(ring.acts());
}

TYPED_TEST(RingMemberTest, TheLeaseIsOfTheLastRoundThatBothHaveAnswered) {
  Leased<TypeParam> ring;
  std::uint32_t first = ring.ask();
  ring.answer(ring.before, first);
  ring.answer(ring.after, first);
  ring.ask();
  ring.member.timer(TypeParam::lease_timers[first % 2], ring.out);
  EXPECT_FALSE(ring.acts());
}

TYPED_TEST(RingMemberTest, ARoundThatNobodyAnswersIsGivenUp) {
  Leased<TypeParam> ring;
  std::uint32_t first = ring.ask();
  EXPECT_EQ(ring.ask(), first) << "it is still open";
  ring.member.timer(TypeParam::lease_timers[first % 2], ring.out);
  EXPECT_NE(ring.ask(), first);
}

// The node that replaces a neighbour that is gone has to answer in the same round.
TYPED_TEST(RingMemberTest, WhoIsNextAfterALossIsAsked) {
  Leased<TypeParam> ring;
  std::uint32_t round = ring.ask();
  ring.answer(ring.before, round);
  ring.out.clear();
  ring.member.suspect(ring.after, ring.out);
  NodeId next = ring.nodes[4];
  EXPECT_TRUE(std::any_of(ring.out.sends().begin(), ring.out.sends().end(),
                          [&](const auto& send) { return send.to == next; }));
  ring.member.timer(TypeParam::lease_timers[0], ring.out);
  EXPECT_FALSE(ring.acts());
  ring.answer(next, round);
  EXPECT_TRUE(ring.acts());
}

TYPED_TEST(RingMemberTest, WhoeverIsAloneActsForAllKeys) {
  TypeParam alone(NodeId{7}, upkeep_for(1s));
  typename TypeParam::Out out;
  alone.start(out);
  alone.timer(TypeParam::exchange_timer, out);
  alone.timer(TypeParam::lease_timers[0], out);
  alone.timer(TypeParam::exchange_timer, out);
  EXPECT_TRUE(alone.domain().has_value());
}

// Without the regular exchange, events alone repair a ring, as long as no message is lost.
TYPED_TEST(RingMemberTest, QuietRingsHealToo) {
  SEEDS(150) {
    RingWorld<TypeParam> world(seed, {.retry = 300ms});
    std::vector<NodeId> nodes = settled(world, 12 + world.dice().below(30));
    NodeId victim = world.anybody();
    world.at(0ms, [&] { world.crash(victim); });
    world.at(Duration(world.dice().below(1'000'000'000)),
             [&] { world.join(NodeId{world.dice().number()}, world.any_member()); });
    world.at(Duration(world.dice().below(1'000'000'000)), [&] { world.leave(world.any_member()); });
    world.run(8s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(10), "");
  }
}

TYPED_TEST(RingMemberTest, ARingThatFellApartGrowsTogether) {
  std::size_t apart = 0;
  SEEDS(20) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = scattered(12 + world.dice().below(20), world.dice());
    std::vector<NodeId> odd, even;
    for (std::size_t i = 0; i < nodes.size(); ++i) (i % 2 ? odd : even).push_back(nodes[i]);
    world.found(odd);
    world.found(even);
    apart += world.disorder() != "";
    world.call_join(odd[0], even[0]);
    world.run(40s);
    EXPECT_EQ(world.disorder(), "");
  }
  EXPECT_GT(apart, 0u);
}

}  // namespace conch::overlay::testing::ring_member_test
