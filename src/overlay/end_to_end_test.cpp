// Tests of sentences of [Muhammad 2005, sections IV.A and V.A], and of their corrections.
#include "overlay/end_to_end.hpp"

#include <gtest/gtest.h>

namespace conch::overlay::end_to_end_test {

using namespace e2e;

constexpr NodeId a{100}, b{200}, c{300}, replica{400};

struct Node {
  EndToEnd value;
  EndToEnd::Out out;

  explicit Node(NodeId self, Duration lease = {})
      : value(self, Assignment::fresh({}, self, tuning(lease))) {}
  static Tuning tuning(Duration lease = {}) {
    Tuning tuning;
    tuning.replication.replicas = 1;
    tuning.replication.lease = lease;
    return tuning;
  }
  Key key() const { return Replicas(tuning().replication).key(0); }

  template <class M>
  std::vector<M> sent() const {
    std::vector<M> found;
    for (const auto& send : out.sends())
      if (auto* m = std::get_if<M>(&send.message)) found.push_back(*m);
    return found;
  }
  template <class M>
  std::vector<M> routed() {
    std::vector<M> found;
    for (const auto& route : out.routes())
      if (auto* m = std::get_if<M>(&route.message)) found.push_back(*m);
    return found;
  }
  bool entered() const {
    for (const Effect& effect : out.effects())
      if (std::holds_alternative<Entered>(effect)) return true;
    return false;
  }
  void receive(NodeId from, const Message& m) { out.clear(), value.receive(from, m, out); }
  void deliver(const Message& m) { out.clear(), value.deliver(key(), m, out); }
  Passage forward(Message m) { return out.clear(), value.forward(key(), m, replica, out); }
  /// Asks and wins the replica's vote in the first generation.
  void win() {
    value.request(out);
    Request m = routed<Request>().at(0);
    receive(replica, Response{0, m.ts, 1, m.ts, 1, 1, {}});
  }
};

Priority ts(std::uint64_t stamp, NodeId node) { return {{stamp}, node}; }

TEST(EndToEnd, AReplicaThatHasNotVotedVotesForTheRequester) {
  Node node(replica);
  node.deliver(Request{0, ts(1, a), 1, 0, 0, false});
  ASSERT_EQ(node.sent<Response>().size(), 1u);
  EXPECT_EQ(node.sent<Response>()[0].owner, ts(1, a));
  node.deliver(Request{0, ts(1, b), 1, 0, 0, false});
  EXPECT_EQ(node.sent<Response>().at(0).owner, ts(1, a)) << "step 3: the one it has voted for";
}

TEST(EndToEnd, AMajorityOfVotesEntersAndTellsAllReplicas) {
  Node node(a);
  node.win();
  EXPECT_TRUE(node.entered());
  EXPECT_EQ(node.routed<Winner>().size(), 1u);
}

TEST(EndToEnd, WhoSeesAWinnerPassStopsRequestsAndQueuesThemWithIt) {
  Node node(b);
  EXPECT_EQ(node.forward(Request{0, ts(1, c), 1, 0, 0, false}), Passage::go_on);
  node.forward(Winner{0, first_term(1), ts(1, a), 0, a});
  EXPECT_EQ(node.forward(Request{0, ts(1, c), 1, 0, 0, false}), Passage::stop);
  EXPECT_EQ(node.sent<Enqueue>().at(0), (Enqueue{{ts(1, c)}, first_term(1)}));
}

TEST(EndToEnd, AnEntryOfAPastGenerationStopsNobody) {
  Node node(b);
  node.forward(Winner{0, first_term(1), ts(1, a), 0, a});
  EXPECT_EQ(node.forward(Request{0, ts(1, c), 2, 0, 0, false}), Passage::go_on);
}

TEST(EndToEnd, TheTokenGoesToTheEarliestWithTheRestOfTheQueue) {
  Node node(a);
  node.win();
  node.receive(replica, Enqueue{{ts(3, c), ts(2, b)}, first_term(1)});
  node.receive(b, Enqueue{{ts(2, b)}, first_term(1)});
  node.out.clear();
  node.value.release({}, node.out);
  ASSERT_EQ(node.sent<Token>().size(), 1u);
  EXPECT_EQ(node.sent<Token>()[0], (Token{first_term(1).next(), ts(2, b), {ts(3, c)}, {}}));
  EXPECT_TRUE(node.routed<Release>().empty()) << "the replicas stay locked";
}

TEST(EndToEnd, WhoIsLastReleasesTheReplicas) {
  Node node(a);
  node.win();
  node.out.clear();
  node.value.release({}, node.out);
  EXPECT_EQ(node.routed<Release>().size(), 1u);
}

TEST(EndToEnd, WhatIsQueuedWithAPastHolderFollowsTheToken) {
  Node node(a);
  node.win();
  node.receive(b, Enqueue{{ts(2, b)}, first_term(1)});
  node.value.release({}, node.out);
  node.receive(replica, Enqueue{{ts(3, c)}, first_term(1)});
  EXPECT_EQ(node.sent<Enqueue>().at(0), (Enqueue{{ts(3, c)}, first_term(1).next()}));
  EXPECT_EQ(node.sent<Hint>().at(0), (Hint{first_term(1).next(), b}));
}

TEST(EndToEnd, ASecondCopyOfATokenIsIgnored) {
  Node node(b);
  node.value.request(node.out);
  Token token{first_term(1).next(), ts(1, b), {}, {}};
  node.receive(a, token);
  EXPECT_TRUE(node.entered());
  node.value.release({}, node.out);
  node.receive(a, token);
  EXPECT_TRUE(node.out.empty() && node.out.routes().empty());
}

TEST(EndToEnd, ATokenForARequestThatIsOverIsHandedOn) {
  Node node(b);
  node.receive(a, Token{first_term(1).next(), ts(1, b), {ts(2, c)}, {}});
  EXPECT_FALSE(node.entered());
  EXPECT_EQ(node.sent<Token>().at(0).to, ts(2, c));
}

TEST(EndToEnd, ALateVoteOfTheGenerationThatWasWonIsNotGivenBack) {
  Node node(a);
  node.win();
  node.value.release({}, node.out);
  node.receive(replica, Response{0, ts(1, a), 1, ts(1, a), 1, 1, {}});
  EXPECT_TRUE(node.sent<Withdraw>().empty());
  node.receive(replica, Response{0, ts(1, a), 2, ts(1, a), 2, 2, {}});
  EXPECT_EQ(node.sent<Withdraw>().size(), 1u) << "of a later one it is";
}

TEST(EndToEnd, AConsentThatComesTwiceDoesNotFreeTheGenerationThatWasUsed) {
  Node node(b, std::chrono::seconds(1));
  node.value.request(node.out);
  Priority own = node.routed<Request>().at(0).ts;
  node.receive(a, Copy{{first_term(1), 1}, {own, ts(2, c)}, {}});
  Accepted consent{0, first_term(2), own};
  node.receive(replica, consent);
  node.receive(replica, Renewed{0, first_term(2), 1, true, 2});
  EXPECT_TRUE(node.entered());
  node.value.release({}, node.out);
  node.receive(replica, consent);
  EXPECT_TRUE(node.sent<Withdraw>().empty());
  node.receive(replica, Accepted{0, first_term(3), own});
  EXPECT_EQ(node.sent<Withdraw>().size(), 1u) << "of a later one it does";
}

/// This happens when some replicas are dead and the others have gone on without this node.
TEST(EndToEnd, WhoseTokenIsNotConfirmedForALeaseAsksAnew) {
  Node node(b, std::chrono::seconds(1));
  node.value.request(node.out);
  Priority own = node.routed<Request>().at(0).ts;
  node.receive(a, Token{first_term(1).next(), own, {ts(2, c)}, {}});
  EXPECT_FALSE(node.entered());
  node.out.clear();
  node.value.timer(timer_of(Alarm::round, 1), node.out);
  ASSERT_EQ(node.sent<Retry>().size(), 1u) << "those in its queue ask anew, too";
  EXPECT_EQ(node.sent<Retry>()[0].generation, 1u);
}

TEST(EndToEnd, AChainOfHoldersKeepsItsGeneration) {
  Node node(replica);
  node.deliver(Winner{0, first_term(1), ts(1, a), 0, a});
  node.deliver(Winner{0, first_term(1).next(), ts(2, b), 0, b});
  node.deliver(Request{0, ts(3, c), 1, 0, 0, false});
  EXPECT_EQ(node.sent<Enqueue>().at(0), (Enqueue{{ts(3, c)}, first_term(1).next()}));
  node.deliver(Release{0, first_term(1).next(), {}});
  node.deliver(Request{0, ts(4, c), 1, 0, 0, false});
  EXPECT_EQ(node.sent<Response>().at(0).generation, 2u);
}

TEST(EndToEnd, WhoHasTheLastTermOfAGenerationClosesItAndThoseWhoWaitAskForTheNext) {
  Node node(b);
  node.value.request(node.out);
  Priority own = node.routed<Request>().at(0).ts;
  node.receive(a, Token{{1, Term::last_sequence}, own, {ts(2, c)}, {}});
  EXPECT_TRUE(node.entered());
  node.out.clear();
  node.value.release({}, node.out);
  EXPECT_TRUE(node.sent<Token>().empty());
  EXPECT_EQ(node.routed<Release>().size(), 1u);
  EXPECT_EQ(node.sent<Retry>().at(0).generation, 1u);
}

TEST(EndToEnd, FencesOfTermsIncreaseAndFollowTheClock) {
  Term last{7, Term::last_sequence};
  EXPECT_LT(last.fence(), first_term(8).fence());
  EXPECT_EQ(Term::generation_at(last.fence()), 7u);
  Fence now(Epoch{1'790'000'000}, 123);
  EXPECT_GT(first_term(generation_after(now)).fence(), now);
  EXPECT_EQ(first_term(generation_after(now)).fence().epoch(), now.epoch());
  EXPECT_GT(first_term(next_era(generation_after(now))).fence().epoch(), now.epoch());
}

/// The other two replicas have never heard of the lock, and neither has this one.
TEST(EndToEnd, WhatEverybodyHasForgottenGoesOnAtTheTimeAtWhichTheLastBecameARoot) {
  Tuning tuning;
  tuning.replication.lease = std::chrono::seconds(1);
  EndToEnd value(replica, Assignment::fresh({}, replica, tuning));
  EndToEnd::Out out;
  value.tell_time(Fence(Epoch{50}, 0));
  value.moved(std::nullopt, Arc{Key{1}, Key{0}}, out);
  value.deliver(Replicas(tuning.replication).key(0), Request{0, ts(1, a), 1, 0, 0, false}, out);
  value.receive(b, Recalled{1, 0, false, {}, Fence(Epoch{40}, 0)}, out);
  value.receive(c, Recalled{2, 0, false, {}, Fence(Epoch{60}, 0)}, out);
  out.clear();
  value.timer(timer_of(Alarm::quarantine, 0), out);
  const auto& vote = std::get<Response>(out.sends().at(0).message);
  EXPECT_EQ(vote.generation, generation_after(Fence(Epoch{60}, 0)));
}

/// Perhaps the old root is only unreachable, and confirms another holder.
TEST(EndToEnd, ARootInQuarantineConfirmsOnlyTheHolderThatItWasTold) {
  Node node(replica, std::chrono::seconds(1));
  node.value.moved(std::nullopt, Arc{Key{1}, Key{0}}, node.out);
  Renew renewal{0, first_term(3), ts(1, a), 1, true};
  node.deliver(renewal);
  EXPECT_TRUE(node.sent<Renewed>().empty());
  node.deliver(Request{0, ts(2, b), 1, 0, 0, false});
  EXPECT_EQ(node.sent<Enqueue>().size(), 1u) << "it is believed nevertheless";
  node.deliver(Moved{0, true, 3, first_term(3), ts(1, a), 1, 1, {}, {}});
  node.deliver(renewal);
  EXPECT_EQ(node.sent<Renewed>().size(), 1u);
}

/// While its lease on its keys had lapsed, others may have gone through many generations.
TEST(EndToEnd, ARootThatWasStoppedWithALockDoesNotVoteInAGenerationThatOthersHaveUsed) {
  Node node(replica, std::chrono::seconds(1));
  std::optional<Arc> all = Arc{Key{1}, Key{0}};
  node.deliver(Request{0, ts(1, a), 1, 0, 0, false});
  node.deliver(Winner{0, first_term(1), ts(1, a), 1, a});
  EXPECT_EQ(node.sent<Renewed>().size(), 1u);
  node.value.lapsed(node.out);
  node.value.moved(std::nullopt, all, node.out);
  node.deliver(Moved{0, true, 9, {}, {}, 1, 1, {}, {}});
  node.deliver(Renew{0, first_term(1), ts(1, a), 2, true});
  EXPECT_FALSE(node.sent<Renewed>().at(0).accepted) << "its generation is over";
  node.value.timer(timer_of(Alarm::quarantine, 0), node.out);
  node.value.timer(timer_of(Alarm::lease, 0), node.out);
  node.value.timer(timer_of(Alarm::lease, 0), node.out);
  node.deliver(Request{0, ts(2, b), 1, 0, 0, false});
  EXPECT_EQ(node.sent<Response>().at(0).owner, ts(2, b));
  EXPECT_EQ(node.sent<Response>().at(0).generation, 9u);
}

/// The requester was told that the generation is over. But a waiter has taken the lock over, and
/// the generation is never closed as long as there is always a waiter.
TEST(EndToEnd, WhoInsistsOnALaterGenerationIsToldToTheHolderOfThisOne) {
  Node node(replica, std::chrono::seconds(1));
  node.deliver(Request{0, ts(1, a), 1, 0, 0, false});
  node.deliver(Winner{0, first_term(1), ts(1, a), 1, a});
  node.deliver(Request{0, ts(2, b), 2, 0, 0, false});
  EXPECT_TRUE(node.sent<Enqueue>().empty()) << "it may be right";
  node.deliver(Request{0, ts(2, b), 2, 0, 0, true});
  EXPECT_EQ(node.sent<Enqueue>().at(0), (Enqueue{{ts(2, b)}, first_term(1)}));
}

}  // namespace conch::overlay::end_to_end_test
