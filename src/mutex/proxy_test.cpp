#include <gtest/gtest.h>

#include "mutex/hierarchy.hpp"
#include "mutex/proxy_specimens.hpp"
#include "mutex/testing/clusters.hpp"
#include "mutex/testing/group.hpp"

namespace conch::testing::proxy_test {

constexpr NodeId a{0}, b{1}, p1{3}, d{4}, e{5};

// [Bertier 2004, section 3.1]: "Initially, the owner variable of Proxy_i points to the Elected_Node
// as well as the owner variable of the nodes that belong to Elected_node's cluster. On the other
// hand, the owner variable of the other nodes points to the Proxy_i of their respective cluster."
TEST(Proxy, FirstOwnersAreTheElectedNodeOrTheProxy) {
  Assignment start = clustered({3, 3});
  EXPECT_EQ(first_owner(b, start), a);
  EXPECT_EQ(first_owner(p1, start), a);
  EXPECT_EQ(first_owner(d, start), p1);
}

TEST(Proxy, TheElectedNodeNeedNotBeTheFirstOfItsCluster) {
  Assignment start = clustered({3, 3});
  start.home = d;
  EXPECT_EQ(first_owner(e, start), d);
  EXPECT_EQ(first_owner(p1, start), d);
  EXPECT_EQ(first_owner(a, start), d);
  EXPECT_EQ(first_owner(b, start), a);
}

TEST(Proxy, AProxyOfARackAsksThatOfItsSite) {
  Assignment start = labelled({"x/1", "y/1", "y/1", "y/2", "y/2", "x/2"});
  EXPECT_EQ(first_owner(NodeId{4}, start), NodeId{3});
  EXPECT_EQ(first_owner(NodeId{3}, start), NodeId{1});
  EXPECT_EQ(first_owner(NodeId{1}, start), NodeId{0});
  EXPECT_EQ(first_owner(NodeId{5}, start), NodeId{0});
}

TEST(Proxy, OneClusterOfAllIsNaimiTrehel) {
  Assignment start = Assignment::fresh(Members::first(3), a);
  for (NodeId node : {b, NodeId{2}}) EXPECT_EQ(first_owner(node, start), a);
}

// [Bertier 2004, fig. 4]: A is inside; B asks, then D, then E, whose request stays in its cluster.
TEST(Proxy, FigureFour) {
  Group<Proxy> group(clustered({3, 3}));
  for (NodeId node : {a, b, d}) {
    group.request(node);
    group.settle();
  }
  std::size_t before = group.sent();
  group.request(e);
  ASSERT_EQ(group.in_flight().size(), 1u);
  EXPECT_EQ(group.in_flight()[0].to, p1);
  group.deliver_oldest();
  ASSERT_EQ(group.in_flight().size(), 1u);
  EXPECT_EQ(group.in_flight()[0].to, d);
  group.settle();
  EXPECT_EQ(group.sent() - before, 2u);
  for (NodeId node : {a, b, d, e}) {
    group.release(node);
    group.settle();
  }
  EXPECT_EQ(group.entered(), (std::vector{a, b, d, e}));
}

template <class A>
Doing doing_of_the_elected() {
  Assignment start = clustered({2, 1});
  start.home = b;
  Group<A> group(start);
  group.request(NodeId{2});
  group.settle();
  group.release(NodeId{2});
  group.request(b);
  for (int i = 0; i < 4 && !group.in_flight().empty(); ++i) group.deliver_oldest();
  return group.doing(b);
}

// Node 1 is elected, 0 the proxy; the token goes to 2, and 1 asks 2 for it, not 0.
TEST(Proxy, ANodeAsksItsOwnerAndNotItsProxyEachTime) {
  EXPECT_EQ(doing_of_the_elected<Proxy>(), Doing::inside);
  EXPECT_EQ(doing_of_the_elected<ProxyOwnOwner>(), Doing::waiting);
}

}  // namespace conch::testing::proxy_test
