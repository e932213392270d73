// A protocol over an overlay, as a world sees it.
#include "overlay/routed.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/encode.hpp"
#include "core/print.hpp"
#include "core/testing/dice.hpp"
#include "overlay/pastry.hpp"
#include "overlay/testing/postman.hpp"

namespace conch::overlay::testing::routed_test {

using Post = Routed<Postman, Pastry>;
static_assert(Exclusive<Post> && Timed<Post> && Suspecting<Post> && Dynamic<Post> &&
              Starting<Post>);

std::vector<NodeId> scattered(std::size_t count, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<NodeId> nodes(count);
  for (NodeId& node : nodes) node = NodeId{dice.number()};
  return nodes;
}

/// A few values, and messages that arrive in the order in which they were sent.
class Office {
 public:
  explicit Office(const Assignment& start) {
    for (NodeId node : start.members) values_.emplace(node, Post(node, start));
  }
  template <class F>
  void call(NodeId node, F&& f) {
    Post::Out out;
    f(values_.at(node), out);
    for (auto& [to, message] : out.sends()) in_flight_.push_back({node, to, std::move(message)});
  }
  void settle() {
    for (std::size_t next = 0; next < in_flight_.size();) {
      auto [from, to, message] = in_flight_[next++];
      call(to, [&](Post& post, auto& out) { conch::deliver(post, from, message, out); });
    }
    in_flight_.clear();
  }
  Post& at(NodeId node) { return values_.at(node); }
  std::map<NodeId, Post>& values() { return values_; }

 private:
  struct InFlight {
    NodeId from;
    NodeId to;
    Post::Message message;
  };
  std::map<NodeId, Post> values_;
  std::vector<InFlight> in_flight_;
};

TEST(Routed, EveryLetterArrivesAtItsRootAndIsSeenOnItsWay) {
  Assignment start = Assignment::fresh(Members(scattered(200, 1)), NodeId{0});
  Office office(start);
  unsigned letters = 0;
  for (NodeId node : start.members) {
    office.call(node, [](Post& post, auto& out) { post.request(out); });
    ++letters;
  }
  office.settle();
  NodeId root = start.members[0];
  for (NodeId node : start.members)
    if (nearer(Key{0x9e3779b97f4a7c15}, node, root)) root = node;
  EXPECT_EQ(office.at(root).protocol().deliveries().size(), letters);
  unsigned seen = 0;
  for (auto [number, times] : office.at(root).protocol().deliveries()) seen += times;
  EXPECT_GT(seen, 0u);
}

TEST(Routed, TheProtocolIsToldWhichKeysAreItsOwn) {
  NodeId a{1000}, b{3000}, newcomer{2000};
  Assignment start = Assignment::fresh(Members{a, b}, a);
  Office office(start);
  office.values().emplace(newcomer, Post(newcomer, start));
  EXPECT_EQ(office.at(newcomer).overlay().domain()->contains(Key{0}), true);  // a ring of its own
  office.call(newcomer, [&](Post& post, auto& out) { post.join(a, out); });
  EXPECT_EQ(office.at(newcomer).overlay().domain(), std::nullopt);
  office.settle();
  EXPECT_EQ(office.at(newcomer).protocol().domain(), (Arc{Key{1501}, Key{2500}}));
  EXPECT_EQ(office.at(a).protocol().domain()->last, Key{1500});
  EXPECT_EQ(office.at(b).protocol().domain()->first, Key{2501});
}

TEST(Routed, AMessageWaitsForItsRootToHaveJoined) {
  NodeId a{1000}, newcomer{0x9e3779b97f4a7c15};
  Assignment start = Assignment::fresh(Members{a}, a);
  Office office(start);
  office.values().emplace(newcomer, Post(newcomer, start));
  office.call(newcomer, [&](Post& post, auto& out) { post.join(a, out); });
  office.call(newcomer, [&](Post& post, auto& out) { post.request(out); });
  EXPECT_TRUE(office.at(newcomer).protocol().deliveries().empty());
  office.settle();
  EXPECT_EQ(office.at(newcomer).protocol().deliveries().size(), 1u);
}

/// Lets nothing pass.
class Censor : public Postman {
 public:
  using Postman::Postman;
  static Passage forward(Key, Message&, NodeId, Out&) { return Passage::stop; }
};

TEST(Routed, WhatTheProtocolStopsGoesNoFurther) {
  Assignment start = Assignment::fresh(Members(scattered(50, 3)), NodeId{0});
  Key key = key_of(start.members[25]);
  Routed<Censor, Pastry> censor(start.members[0], start);
  Post::Out out;
  censor.receive(start.members[1], Post::Carried{key, NodeId{0}, 1, Postman::Letter{}}, out);
  EXPECT_TRUE(out.sends().empty());
  Post(start.members[0], start)
      .receive(start.members[1], Post::Carried{key, NodeId{0}, 1, Postman::Letter{}}, out);
  EXPECT_EQ(out.sends().size(), 1u);
}

TEST(Routed, TheProtocolIsToldThatOthersMayActForItsKeys) {
  NodeId a{1000}, b{3000}, dead{5000};
  Tuning tuning;
  tuning.replication.lease = std::chrono::seconds(4);
  Post post(a, Assignment::fresh(Members{a, b, dead}, a, tuning));
  Post::Out out;
  post.suspect(dead, out);
  ASSERT_EQ(post.protocol().domain(), post.overlay().domain());
  ASSERT_TRUE(post.protocol().domain());
  post.start(out);
  for (const Effect& effect : std::vector(out.effects()))
    if (auto* armed = std::get_if<Armed>(&effect);
        armed && armed->min == tuning.replication.lease)  // nobody has answered
      post.timer(armed->timer, out);
  EXPECT_EQ(post.overlay().domain(), std::nullopt);
  EXPECT_EQ(post.protocol().domain(), std::nullopt);
}

TEST(Routed, WhatWasNotDeliveredIsRoutedAnew) {
  Assignment start = Assignment::fresh(Members(scattered(50, 2)), NodeId{0});
  Office office(start);
  Post& post = office.at(start.members[0]);
  Key key = key_of(start.members[25]);
  NodeId dead = *post.overlay().next_hop(key);
  Post::Out out;
  post.undelivered(dead, Post::Carried{key, NodeId{0}, 1, Postman::Letter{}}, out);
  bool again = false;
  for (auto& [to, message] : out.sends())
    again |= to != dead && std::holds_alternative<Post::Carried>(message);
  EXPECT_TRUE(again);
}

TEST(Routed, AMessageThatGoesInCirclesIsDropped) {
  Assignment start = Assignment::fresh(Members(scattered(50, 3)), NodeId{0});
  Post post(start.members[0], start);
  Post::Out out;
  Key key = key_of(start.members[25]);
  post.receive(start.members[1], Post::Carried{key, NodeId{0}, hops_max - 1, {}}, out);
  EXPECT_EQ(out.sends().size(), 1u);
  out.clear();
  post.receive(start.members[1], Post::Carried{key, NodeId{0}, hops_max, {}}, out);
  EXPECT_TRUE(out.sends().empty());
}

TEST(Routed, ItsMessagesTravel) {
  Post::Message message = Post::Carried{Key{7}, NodeId{3}, 2, Postman::Letter{5, 1}};
  EXPECT_EQ(print(message), "CARRIED(key 7, source 3, hops 2, message LETTER(number 5, seen 1))");
  std::string bytes;
  encode(bytes, message);
  Post::Message read;
  Decoder decoder(bytes);
  EXPECT_TRUE(decoder.decode(read) && decoder.finish()) << decoder.error();
  EXPECT_EQ(read, message);
}

}  // namespace conch::overlay::testing::routed_test
