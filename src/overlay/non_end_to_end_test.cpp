// Tests of sentences of [Muhammad 2005, sections IV.B and V.B].
#include "overlay/non_end_to_end.hpp"

#include <gtest/gtest.h>

#include "overlay/sigma.hpp"

namespace conch::overlay::non_end_to_end_test {

constexpr NodeId a{100}, b{200}, c{300}, next{350}, replica{400};

template <class Protocol>
struct Node {
  Protocol value;
  Voting::Out out;

  explicit Node(NodeId self) : value(self, Assignment::fresh({}, self, tuning())) {}
  static Tuning tuning() {
    Tuning tuning;
    tuning.replication.replicas = 1;
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
  void deliver(const Voting::Message& m) { out.clear(), value.deliver(key(), m, out); }
  Passage forward(Voting::Message& m) { return out.clear(), value.forward(key(), m, next, out); }
};

Priority ts(std::uint64_t stamp, NodeId node) { return {{stamp}, node}; }
Voting::Message request(std::uint64_t stamp, NodeId node, bool forced = false) {
  return Voting::Request{0, ts(stamp, node), 0, 0, forced, node};
}

TEST(NonEndToEnd, ARequestWaitsWhereItMeetsTheWayOfAnother) {
  Node<NonEndToEnd> node(b);
  Voting::Message first = request(1, a), second = request(2, c), by_force = request(2, c, true);
  EXPECT_EQ(node.forward(first), Passage::go_on);
  EXPECT_EQ(node.forward(second), Passage::stop);
  EXPECT_EQ(node.sent<Voting::Response>().at(0).owner, ts(1, a));
  EXPECT_EQ(node.sent<Voting::Response>().at(0).version, 0u) << "which is no vote";
  EXPECT_EQ(node.forward(by_force), Passage::go_on);
}

TEST(NonEndToEnd, AReleaseTakesAllAlongThatWait) {
  Node<NonEndToEnd> node(b);
  Voting::Message first = request(1, a), second = request(2, c);
  node.forward(first), node.forward(second);
  Voting::Message release = Voting::Release{0, ts(1, a), {}, true, {}};
  EXPECT_EQ(node.forward(release), Passage::go_on);
  EXPECT_EQ(std::get<Voting::Release>(release).gathered, std::vector<Priority>{ts(2, c)});
  Voting::Message third = request(3, c);
  EXPECT_EQ(node.forward(third), Passage::go_on) << "the entry is gone";
}

TEST(NonEndToEnd, ACancelIsOverWhereItsRequestWaits) {
  Node<NonEndToEnd> node(b);
  Voting::Message first = request(1, a), second = request(2, c);
  node.forward(first), node.forward(second);
  Voting::Message voted = Voting::Release{0, ts(2, c), {}, true, {}};
  EXPECT_EQ(node.forward(voted), Passage::go_on) << "the replica may have voted for it";
  node.forward(first), node.forward(second);
  Voting::Message release = Voting::Release{0, ts(2, c), {}, false, {}};
  EXPECT_EQ(node.forward(release), Passage::stop);
}

TEST(NonEndToEnd, WhoStandsBehindADeadNodeClearsTheWay) {
  Node<NonEndToEnd> node(b);
  Voting::Message first = request(1, a), second = request(2, c);
  node.forward(first), node.forward(second);
  node.out.clear();
  node.value.suspect(a, node.out);
  ASSERT_EQ(node.out.routes().size(), 1u);
  EXPECT_EQ(std::get<Voting::Cleanup>(node.out.routes()[0].message).gathered,
            std::vector<Priority>{ts(2, c)});
}

TEST(Voting, AReplicaVotesForTheEarliestOfThoseWhoWait) {
  Node<Sigma> node(replica);
  node.deliver(request(5, a));
  EXPECT_EQ(node.sent<Voting::Response>().at(0).owner, ts(5, a));
  node.deliver(request(4, c));
  node.deliver(request(3, b));
  EXPECT_EQ(node.sent<Voting::Response>().at(0).position, 1u);
  node.deliver(Voting::Release{0, ts(5, a), {}, true, {}});
  EXPECT_EQ(node.sent<Voting::Response>().at(0).owner, ts(3, b));
}

TEST(Voting, AYieldOfAnotherVoteChangesNothing) {
  Node<Sigma> node(replica);
  node.deliver(request(5, a));
  std::uint64_t vote = node.sent<Voting::Response>().at(0).vote;
  node.deliver(request(4, c));
  node.deliver(Voting::Yield{0, ts(5, a), vote + 1, {}});
  EXPECT_EQ(node.sent<Voting::Response>().at(0).owner, ts(5, a));
  node.deliver(Voting::Yield{0, ts(5, a), vote, {}});
  EXPECT_EQ(node.sent<Voting::Response>().at(0).owner, ts(4, c));
}

TEST(Voting, ANewRootKeepsWhatTheOldOneTellsIt) {
  Tuning tuning = Node<Sigma>::tuning();
  tuning.replication.lease = std::chrono::seconds(1);
  Sigma old(b, Assignment::fresh({}, b, tuning)), young(c, Assignment::fresh({}, c, tuning));
  Voting::Out out;
  Key key = Replicas(tuning.replication).key(0);
  Arc all{Key{1}, Key{0}};
  old.deliver(key, request(5, a), out);
  out.clear();
  old.moved(all, std::nullopt, out);
  ASSERT_EQ(out.routes().size(), 1u);
  Voting::Message moved = out.routes()[0].message;
  out.clear();
  young.moved(std::nullopt, all, out);
  young.deliver(key, moved, out);
  out.clear();
  young.deliver(key, request(4, c), out);
  EXPECT_EQ(std::get<Voting::Response>(out.sends().at(0).message).owner, ts(5, a));
}

}  // namespace conch::overlay::non_end_to_end_test
