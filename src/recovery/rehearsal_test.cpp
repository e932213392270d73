#include "recovery/rehearsal.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "mutex/central.hpp"
#include "mutex/elmp.hpp"
#include "mutex/lamport.hpp"
#include "mutex/maekawa.hpp"
#include "mutex/naimi_trehel.hpp"
#include "mutex/preempt.hpp"
#include "mutex/preempt_aggregation.hpp"
#include "mutex/proxy.hpp"
#include "mutex/raymond.hpp"
#include "mutex/ricart_agrawala.hpp"
#include "mutex/ricart_agrawala_kept.hpp"
#include "mutex/ring.hpp"
#include "mutex/ring_idle_hold.hpp"
#include "mutex/suzuki_kasami.hpp"

namespace conch::recovery::rehearsal_test {

constexpr Wish write{};
constexpr Wish read{Mode::read, {}};

Assignment start(std::size_t members, NodeId home) {
  std::map<NodeId, std::string> labels;
  for (std::uint64_t i = 0; i < members; ++i) labels[NodeId{i}] = i % 3 == 0 ? "x" : "y";
  return {Epoch{3},
          Members::first(members),
          home,
          Baton{Fence(Epoch{3}, 0), {7, 1, NodeId{0}}},
          Tuning{.eps = 1},
          {},
          Clusters(labels)};
}

/// The parts of all members, each rehearsed by itself, put together and run on.
template <Exclusive A>
class Ensemble {
 public:
  Ensemble(const Assignment& start, std::vector<NodeClaim> holders,
           std::vector<NodeClaim> waiters) {
    for (NodeId node : start.members) {
      Rehearsed<A> part = rehearse<A>(node, start, holders, waiters);
      values_.emplace(node, std::move(part.value));
      if (part.entered) enter(node, *part.entered);
      take(node, part.out);
    }
  }

  void release(NodeId node) {
    inside_.erase(node);
    call(node, [](A& value, auto& out) { value.release({8, 1, NodeId{0}}, out); });
    settle();
  }
  /// Every holder releases; returns the nodes in the order in which they entered.
  std::vector<NodeId> run() {
    settle();
    while (!inside_.empty()) release(*inside_.begin());
    return entered_;
  }
  const std::set<NodeId>& inside() const { return inside_; }
  const std::vector<Baton>& batons() const { return batons_; }

 private:
  template <class Call>
  void call(NodeId node, Call&& run) {
    OutboxOf<A> out;
    run(values_.at(node), out);
    take(node, out);
  }
  void take(NodeId node, OutboxOf<A>& out) {
    for (auto& send : out.sends()) in_flight_.push_back({node, send.to, std::move(send.message)});
    for (const Effect& effect : out.effects())
      if (const auto* entered = std::get_if<Entered>(&effect)) enter(node, *entered);
  }
  void enter(NodeId node, const Entered& entered) {
    inside_.insert(node);
    entered_.push_back(node);
    batons_.push_back(entered.baton);
  }
  /// Delivers messages, but not for ever: the token of a restless ring goes round without end.
  void settle() {
    for (int patience = 10'000; !in_flight_.empty() && patience > 0; --patience) {
      auto [from, to, message] = std::move(in_flight_.front());
      in_flight_.pop_front();
      call(to, [&, sender = from, &sent = message](A& value, auto& out) {
        deliver(value, sender, sent, out);
      });
      if (A::about.restless && !inside_.empty() && in_flight_.empty()) return;
    }
  }

  struct InFlight {
    NodeId from;
    NodeId to;
    typename A::Message message;
  };
  std::map<NodeId, A> values_;
  std::deque<InFlight> in_flight_;
  std::set<NodeId> inside_;
  std::vector<NodeId> entered_;
  std::vector<Baton> batons_;
};

template <class A>
class RehearsalOf : public ::testing::Test {};
using Real = ::testing::Types<Central, Ring, RingIdleHold, RicartAgrawala, RicartAgrawalaKept,
                              Maekawa, Lamport, SuzukiKasami, Raymond, NaimiTrehel, Proxy, Preempt,
                              PreemptAggregation, Elmp>;
TYPED_TEST_SUITE(RehearsalOf, Real);

TYPED_TEST(RehearsalOf, TheHolderIsInsideAndEverybodyElseIsServedAfterIt) {
  for (std::uint64_t home = 0; home < 5; ++home)
    for (std::uint64_t holder = 0; holder < 5; ++holder) {
      std::vector<NodeClaim> waiters;
      for (std::uint64_t i : {3, 1, 4, 0, 2})
        if (i != holder) waiters.push_back({NodeId{i}, write});
      Ensemble<TypeParam> all(start(5, NodeId{home}), {{NodeId{holder}, write}}, waiters);
      EXPECT_EQ(all.inside(), std::set{NodeId{holder}});
      std::vector<NodeId> entered = all.run();
      EXPECT_EQ(entered.front(), NodeId{holder});
      EXPECT_EQ(std::set<NodeId>(entered.begin(), entered.end()).size(), 5U);
      EXPECT_EQ(entered.size(), 5U);
      for (std::size_t i = 1; i < all.batons().size(); ++i)
        EXPECT_LT(all.batons()[i - 1].fence, all.batons()[i].fence);
      EXPECT_LT(start(5, NodeId{home}).baton.fence, all.batons().front().fence);
    }
}

TYPED_TEST(RehearsalOf, IfNobodyHoldsItTheFirstWhoWaitsDoesAndGetsTheData) {
  Ensemble<TypeParam> all(start(4, NodeId{1}), {}, {{NodeId{2}, write}, {NodeId{0}, write}});
  EXPECT_EQ(all.inside(), std::set{NodeId{2}});
  EXPECT_EQ(all.batons().front().data.version, 7U);
  EXPECT_EQ(all.run(), (std::vector{NodeId{2}, NodeId{0}}));
}

TYPED_TEST(RehearsalOf, AloneOneNeedsNobody) {
  Ensemble<TypeParam> all(start(1, NodeId{0}), {{NodeId{0}, write}}, {});
  EXPECT_EQ(all.run(), std::vector{NodeId{0}});
}

template <class A>
class SharedRehearsalOf : public ::testing::Test {};
using Sharing = ::testing::Types<Central, Elmp>;
TYPED_TEST_SUITE(SharedRehearsalOf, Sharing);

TYPED_TEST(SharedRehearsalOf, ReadersStayInsideTogetherAndTheWriterWaitsForAll) {
  Ensemble<TypeParam> all(start(5, NodeId{0}),
                          {{NodeId{1}, read}, {NodeId{2}, read}, {NodeId{4}, read}},
                          {{NodeId{3}, write}, {NodeId{0}, read}});
  EXPECT_EQ(all.inside(), (std::set{NodeId{1}, NodeId{2}, NodeId{4}}));
  all.release(NodeId{1});
  all.release(NodeId{4});
  EXPECT_EQ(all.inside(), std::set{NodeId{2}});
  all.release(NodeId{2});
  EXPECT_EQ(all.inside(), std::set{NodeId{3}});
  all.release(NodeId{3});
  EXPECT_EQ(all.inside(), std::set{NodeId{0}});
}

}  // namespace conch::recovery::rehearsal_test
