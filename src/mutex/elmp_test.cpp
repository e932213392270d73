#include "mutex/elmp.hpp"

#include <gtest/gtest.h>

#include <typeinfo>

#include "mutex/elmp_specimens.hpp"
#include "mutex/testing/elmp_group.hpp"
#include "mutex/testing/letters.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::elmp_test {

using Activity = Elmp::Activity;

constexpr Tuning of_order(unsigned order) { return {.order = order}; }

// Section 3: the initial tree.

TEST(Elmp, InitiallyTheProcessesAreArrangedInABalancedTreeWithTheTokenAtTheRoot) {
  for (unsigned order = 2; order <= 8; ++order) {
    for (std::size_t nodes = 1; nodes <= 100; ++nodes) {
      Group<Elmp> group(nodes, of_order(order));
      EXPECT_EQ(Elmp::disorder(group.values()), "") << nodes << " nodes, order " << order;
      EXPECT_TRUE(group.at(root(group)).holds_token());
    }
  }
}

TEST(Elmp, DisorderIsSeen) {
  Group<Elmp> group(7);
  std::vector<const Elmp*> all = group.values();
  for (std::size_t missing = 0; missing < all.size(); ++missing) {
    std::vector<const Elmp*> some = all;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_NE(Elmp::disorder(some), "") << "without " << missing;
  }
  Group<Elmp> another(7);
  all.back() = another.values().front();
  EXPECT_NE(Elmp::disorder(all), "");
  Group<Elmp> of_order_8(7, of_order(8));
  all = group.values();
  all.back() = of_order_8.values().back();
  EXPECT_NE(Elmp::disorder(all), "");
}

TEST(Elmp, AnOperationThatIsNotOverIsDisorder) {
  Group<Elmp> group(3);
  group.request(b);
  EXPECT_NE(Elmp::disorder(group.values()), "");
  group.settle();
  EXPECT_EQ(Elmp::disorder(group.values()), "");
}

// Sections 4.1 and 4.2: requesting the token.

TEST(Elmp, AnIdleRootEntersAgainWithoutAMessage) {
  Group<Elmp> group(7);
  line_up(group, {a});
  group.release(a);
  EXPECT_EQ(group.sent(), 0u);
  line_up(group, {f});
  group.release(f);
  std::size_t before = group.sent();
  line_up(group, {f});
  EXPECT_EQ(group.sent(), before);
  EXPECT_EQ(group.entered(), (std::vector{a, f, f}));
}

TEST(Elmp, ARequestCostsTwiceItsDepthAndTwiceTheDegreesOfRootAndRequester) {
  for (unsigned order : {2, 3, 4, 8}) {
    for (std::size_t nodes : {2, 3, 7, 10, 40}) {
      for (NodeId requester : Members::first(nodes)) {
        Group<Elmp> group(nodes, of_order(order));
        std::size_t expected = cost(group, requester);
        line_up(group, {requester});
        EXPECT_EQ(group.sent(), expected) << requester.value << " of " << nodes << ", " << order;
        EXPECT_EQ(group.entered(), (std::vector{requester}));
      }
    }
  }
}

TEST(Elmp, ARequestCostsTheSameWhileTheHolderIsInside) {
  Dice dice(1);
  Group<Elmp> group(30);
  line_up(group, {a});
  NodeId holder = a;
  for (int i = 0; i < 200; ++i) {
    NodeId requester = dice.one_of(group.members());
    if (requester == holder) continue;
    std::size_t expected = group.sent() + cost(group, requester);
    line_up(group, {requester});
    group.release(std::exchange(holder, requester));
    group.settle();
    EXPECT_EQ(group.sent(), expected);
    EXPECT_EQ(group.doing(requester), Doing::inside);
  }
}

// Section 4.6.
TEST(Elmp, TwoProcessesExchangeTheirPositionsAndTheStructureOfTheTreeRemainsUnchanged) {
  for (unsigned order : {2, 3, 8}) {
    for (NodeId requester : Members::first(20)) {
      Group<Elmp> group(20, of_order(order));
      auto exchanged = [&](NodeId node) {
        return node == a ? requester : node == requester ? a : node;
      };
      Tree expected;
      for (auto [node, above] : tree(group))
        expected[exchanged(node)] = above ? std::optional(exchanged(*above)) : std::nullopt;
      line_up(group, {requester});
      EXPECT_EQ(tree(group), expected);
      EXPECT_EQ(Elmp::disorder(group.values()), "");
    }
  }
}

// Fig. 3: the colours of the circles; table 1: the states of the lock manager.
TEST(Elmp, AProcessIsIdleRequestingBusyBlockedOrExiting) {
  Group<Elmp> group(7);  // 0-{1-{2,3},4-{5,6}}
  EXPECT_EQ(group.at(c).activity(), Activity::idle);
  group.request(c);
  EXPECT_EQ(group.at(c).activity(), Activity::requesting);
  EXPECT_EQ(group.at(b).activity(), Activity::idle);
  group.deliver(c, b);
  EXPECT_EQ(group.at(b).activity(), Activity::busy);
  group.deliver(b, a);
  EXPECT_EQ(group.at(a).activity(), Activity::blocked);
  group.deliver(a, c);
  EXPECT_EQ(group.at(c).activity(), Activity::blocked);
  group.settle();
  for (NodeId node : group.members()) EXPECT_EQ(group.at(node).activity(), Activity::idle);

  Elmp::Out out;
  Elmp leaver = group.at(a);
  leaver.leave(out);
  EXPECT_EQ(leaver.activity(), Activity::exiting);
}

// "Unable to receive other requests until the first request has been completed", section 4.1.
TEST(Elmp, ARequestWaitsAtARequestingProcess) {
  Group<Elmp> group(7);
  group.request(b);
  group.request(c);
  group.deliver(c, b);
  EXPECT_EQ(group.in_flight().size(), 1u);
  group.settle();
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b, c}));
}

// Algorithm 1, line 8, which our queue replaces.
TEST(Elmp, WithoutItsQueueABusyProcessRefusesAndTheRequesterStartsOver) {
  Group<Elmp> group(3, {.queues = false});
  group.request(b);
  group.request(c);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b}));
  ASSERT_EQ(group.timers(), 1u);
  EXPECT_EQ(group.at(c).activity(), Activity::idle);
  group.fire();
  group.settle();
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b, c}));
  group.release(c);
  expect_at_rest(group);
}

// Section 5, lemma 6: the node that the root answered first, with SWAP, enters first.
TEST(Elmp, NoRequestThatArrivedLaterAtTheRootIsCompletedBefore) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    Group<Elmp> group(10, of_order(2 + static_cast<unsigned>(seed % 3)));
    group.request(a);
    for (NodeId node : group.members())
      if (node != a) group.request(node);
    std::vector<NodeId> arrived{a};
    while (!group.in_flight().empty()) {
      group.deliver_random(dice, Channels::unordered);
      for (const auto& sent : group.in_flight()) {
        bool known = std::find(arrived.begin(), arrived.end(), sent.to) != arrived.end();
        if (std::holds_alternative<elmp::Swap>(sent.message) && !known) arrived.push_back(sent.to);
      }
    }
    EXPECT_EQ(arrived.size(), 10u);
    let_all_through(group);
    EXPECT_EQ(group.entered(), arrived) << "seed " << seed;
    expect_at_rest(group);
  }
}

TEST(Elmp, TheRequestThatIsFirstAtTheRootEntersFirst) {
  Group<Elmp> group(7);
  group.request(a);
  group.request(b);
  group.request(e);
  group.deliver(e, a);
  let_all_through(group);
  EXPECT_EQ(group.entered(), (std::vector{a, e, b}));
}

// Section 6.2, step 4, where "Busy" is missing.

TEST(Elmp, TheTokenComesToARequestingProcess) {
  Group<Elmp> group(2);
  group.request(b);
  group.deliver(b, a);
  ASSERT_TRUE(std::holds_alternative<elmp::Token>(group.in_flight().back().message));
  group.deliver(group.in_flight().size() - 1);  // before SWAP
  EXPECT_EQ(group.at(b).activity(), Activity::requesting);
  EXPECT_EQ(group.entered(), (std::vector<NodeId>{}));
  group.deliver(a, b);
  EXPECT_EQ(group.entered(), (std::vector{b}));
  group.settle();
  group.release(b);
  expect_at_rest(group);
}

TEST(Elmp, TheTokenComesToABlockedProcess) {
  Group<Elmp> group(3);
  group.request(b);
  group.deliver(b, a);
  group.deliver(a, b);
  EXPECT_EQ(group.at(b).activity(), Activity::blocked);
  group.deliver(a, b);
  EXPECT_EQ(group.at(b).activity(), Activity::blocked);
  EXPECT_EQ(group.entered(), (std::vector{b}));
}

TEST(Elmp, TheTokenComesToABusyProcess) {
  Group<Elmp> group(7);
  line_up(group, {a, b, e});  // 4-{0-{2,3},1-{5,6}}
  group.request(f);
  group.deliver(f, b);
  EXPECT_EQ(group.at(b).activity(), Activity::busy);
  group.release(a);
  group.deliver(a, b);
  EXPECT_EQ(group.at(b).activity(), Activity::busy);
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
  let_all_through(group);
  EXPECT_EQ(group.entered(), (std::vector{a, b, e, f}));
  expect_at_rest(group);
}

TEST(Elmp, TheTokenComesToAnIdleProcess) {
  Group<Elmp> group(7);
  line_up(group, {a, f});
  EXPECT_EQ(group.at(f).activity(), Activity::idle);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, f}));
}

// Random runs.

TEST(Elmp, EveryPromiseHoldsInRandomRunsOverUnorderedChannels) {
  for (std::size_t nodes : {1, 2, 3, 4, 5, 7, 12})
    EXPECT_EQ(random_runs<Elmp>(300, nodes, Channels::unordered), "");
}

TEST(Elmp, EveryPromiseHoldsInRandomRunsOverFifoChannels) {
  for (std::size_t nodes : {1, 2, 3, 4, 5, 7, 12})
    EXPECT_EQ(random_runs<Elmp>(100, nodes, Channels::fifo), "");
}

TEST(Elmp, EveryPromiseHoldsInRandomRunsWithTreesOfAnyOrder) {
  for (unsigned order : {3, 4, 8})
    for (std::size_t nodes : {4, 6, 9, 13})
      EXPECT_EQ(random_runs<Elmp>(100, nodes, Channels::unordered, of_order(order)), "");
}

TEST(Elmp, EveryPromiseHoldsInRandomRunsInLazyMode) {
  for (std::size_t nodes : {2, 3, 5, 9})
    EXPECT_EQ(random_runs<Elmp>(100, nodes, Channels::unordered, {.balance = Balance::lazy}), "");
}

TEST(Elmp, EveryPromiseHoldsInRandomRunsWithoutTheQueue) {
  for (unsigned order : {2, 4})
    for (std::size_t nodes : {2, 3, 5, 9})
      EXPECT_EQ(
          random_runs<Elmp>(100, nodes, Channels::unordered, {.order = order, .queues = false}),
          "");
}

TEST(Elmp, EveryPromiseHoldsInRandomRunsWithReadersAndRanges) {
  for (Sharing sharing : {Sharing{50, 1}, Sharing{0, 4}, Sharing{50, 4}, Sharing{90, 3}})
    for (std::size_t nodes : {2, 3, 5, 8, 12})
      for (unsigned order : {2, 4})
        EXPECT_EQ(random_runs<Elmp>(100, nodes, Channels::unordered, of_order(order), sharing), "");
}

// Faults of the printed text: see docs/corrections.md.
TEST(Elmp, RandomRunsSeeThatARuleIsMissing) {
  const Policy* policies[] = {policy<elmp::WithoutHandover>(), policy<elmp::WithoutAdjacency>(),
                              policy<elmp::WithoutIdleToken>(), policy<elmp::WithoutSplicing>()};
  for (const Policy* policy : policies)
    EXPECT_NE(random_runs<Elmp>(50, 4, Channels::fifo, {.policy = policy}), "")
        << typeid(*policy).name();
}

/// A variant that does not tell a returning node which places were given before it came.
class ElmpRemembersNoNumbers : public Elmp {
 public:
  using Elmp::Elmp;
  using Elmp::receive;
  void receive(NodeId from, const elmp::Welcome& m, Out& out) {
    elmp::Welcome without = m;
    without.place = 0;
    Elmp::receive(from, without, out);
  }
};

template <class A>
std::string runs_with_leaves(std::size_t nodes) {
  return random_runs<A>(1500, nodes, Channels::unordered, {}, {}, Membership::changing);
}

TEST(Elmp, EveryPromiseHoldsInRandomRunsWithJoinsAndLeaves) {
  for (std::size_t nodes = 2; nodes <= 6; ++nodes) EXPECT_EQ(runs_with_leaves<Elmp>(nodes), "");
}

TEST(Elmp, RandomRunsSeeThatNewsForAFormerLifeIsTakenForAPlace) {
  for (std::size_t nodes : {4, 5}) EXPECT_NE(runs_with_leaves<ElmpRemembersNoNumbers>(nodes), "");
}

}  // namespace conch::testing::elmp_test
