#include <gtest/gtest.h>

#include "overlay/sigma.hpp"

namespace conch::overlay::voting_test {

using Out = Sigma::Out;

/// A node with a replica that has voted for a request of another node.
struct Voter {
  static constexpr Priority ts{{1}, NodeId{7}};

  Voter() : node(NodeId{1}, Assignment::fresh(Members::first(3), NodeId{0})) {
    node.deliver(Key{}, Sigma::Request{0, ts, 0, 0, false, ts.node}, out);
    vote = std::get<Sigma::Response>(out.sends().at(0).message).vote;
  }
  /// What it answers.
  std::vector<Sigma::Message> renew(std::uint32_t round, std::uint64_t count) {
    out.clear();
    Baton baton{Fence(Epoch{1}, count), {}};
    node.receive(ts.node, Sigma::Renew{0, ts, vote, round, false, baton}, out);
    std::vector<Sigma::Message> answers;
    for (const auto& send : out.sends()) answers.push_back(send.message);
    return answers;
  }

  Sigma node;
  Out out;
  std::uint64_t vote = 0;
};

// The checker found rounds without end: a round that was overtaken was refused, so its sender began
// another, which could be overtaken, too.
TEST(Voting, ARoundThatALaterOneOvertookIsNotAnswered) {
  Voter voter;
  auto answers = voter.renew(2, 3);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Sigma::Renewed>(answers[0]));
  EXPECT_TRUE(voter.renew(1, 2).empty());
}

TEST(Voting, ALaterRoundWithAnOldFenceIsRefused) {
  Voter voter;
  voter.renew(1, 3);
  auto answers = voter.renew(2, 2);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Sigma::Response>(answers[0]));
}

TEST(Voting, ACopyOfARoundIsAcknowledgedAgain) {
  Voter voter;
  voter.renew(1, 3);
  auto answers = voter.renew(1, 3);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Sigma::Renewed>(answers[0]));
}

/// A root that has voted. Its lease on its keys runs out, and later it is the root again.
struct Lapsing {
  static constexpr Priority ts{{1}, NodeId{7}};
  static constexpr Arc all{Key{1}, Key{0}};

  static Tuning tuning() {
    Tuning tuning;
    tuning.replication.lease = std::chrono::seconds(1);
    return tuning;
  }
  Lapsing() : node(NodeId{1}, Assignment::fresh(Members::first(3), NodeId{0}, tuning())) {
    node.deliver(Key{}, Sigma::Request{0, ts, 0, 0, false, ts.node}, out);
    vote = std::get<Sigma::Response>(out.sends().at(0).message).vote;
  }
  bool confirms() {
    out.clear();
    Baton baton{Fence(Epoch{1}, 1), {}};
    node.receive(ts.node, Sigma::Renew{0, ts, vote, ++round, true, baton}, out);
    return !out.sends().empty() &&
           std::holds_alternative<Sigma::Renewed>(out.sends().at(0).message);
  }
  bool votes_for(const Priority& other) {
    out.clear();
    node.receive(ts.node, Sigma::Release{0, ts, {}, true, {}}, out);
    node.deliver(Key{}, Sigma::Request{0, other, 0, 0, false, other.node}, out);
    return std::get<Sigma::Response>(out.sends().back().message).owner == other;
  }

  Sigma node;
  Out out;
  std::uint64_t vote = 0;
  std::uint32_t round = 0;
};

TEST(Voting, ARootWhoseLeaseOnItsKeysRanOutConfirmsNobody) {
  Lapsing root;
  EXPECT_TRUE(root.confirms());
  root.node.lapsed(root.out);
  EXPECT_FALSE(root.confirms());
  EXPECT_FALSE(root.votes_for({{2}, NodeId{8}}));
}

TEST(Voting, WhenItIsTheRootAgainItIsInQuarantine) {
  Lapsing root;
  root.node.lapsed(root.out);
  root.out.clear();
  root.node.moved(std::nullopt, Lapsing::all, root.out);
  std::size_t recalls = 0;
  for (const auto& route : root.out.routes())
    recalls += std::holds_alternative<Recall>(route.message);
  EXPECT_EQ(recalls, 2u) << "others may know of a later fence";
  EXPECT_FALSE(root.confirms());
  EXPECT_FALSE(root.votes_for({{2}, NodeId{8}}));
}

TEST(Voting, WhatEverybodyHasForgottenGoesOnAtTheTimeAtWhichTheLastBecameARoot) {
  Sigma node(NodeId{1}, Assignment::fresh({}, NodeId{1}, Lapsing::tuning()));
  Out out;
  node.tell_time(Fence(Epoch{50}, 0));
  node.moved(std::nullopt, Lapsing::all, out);
  const Priority& ts = Lapsing::ts;
  node.deliver(Key{}, Sigma::Request{0, ts, 0, 0, false, ts.node}, out);
  node.receive(NodeId{2}, Recalled{1, 0, false, {}, Fence(Epoch{40}, 0)}, out);
  node.receive(NodeId{3}, Recalled{2, 0, false, {}, Fence(Epoch{60}, 7)}, out);
  out.clear();
  node.timer(timer_of(Alarm::quarantine, 0), out);
  const auto& vote = std::get<Sigma::Response>(out.sends().at(0).message);
  EXPECT_EQ(vote.owner, ts);
  EXPECT_EQ(vote.baton.fence, Fence(Epoch{60}, 7));
}

// What it knows of the owner is old, and the new root would confirm the owner that it names.
TEST(Voting, WhenItsKeysAreAnothersItNamesNoOwner) {
  Lapsing root;
  root.node.lapsed(root.out);
  root.out.clear();
  root.node.moved(std::nullopt, Arc{Key{1}, Key{1}}, root.out);
  ASSERT_EQ(root.out.routes().size(), 1u);
  const auto& moved = std::get<Sigma::Moved>(root.out.routes()[0].message);
  EXPECT_FALSE(moved.owner);
  EXPECT_FALSE(moved.known);
}

}  // namespace conch::overlay::voting_test
