#include <gtest/gtest.h>

#include "overlay/sigma.hpp"

namespace conch::overlay::voting_test {

using Out = Sigma::Out;

/// A node with a replica that has voted for a request of another.
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

}  // namespace conch::overlay::voting_test
