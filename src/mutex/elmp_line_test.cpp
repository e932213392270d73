#include "mutex/elmp_line.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/elmp_group.hpp"
#include "mutex/testing/letters.hpp"

namespace conch::testing::elmp_line_test {

constexpr Wish to_read{Mode::read, {}};

// Lemma 3.
TEST(ElmpLine, NextAndPredecessorFormADoublyLinkedList) {
  Group<Elmp> group(12);
  line_up(group, {a, f, c, b, NodeId{11}, d});
  std::vector<NodeId> list{a};
  elmp::Seat seat{a, places(group.at(a)).front().number};
  while (std::optional<elmp::Seat> next = places(group.at(seat.node)).front().next) {
    ASSERT_EQ(places(group.at(next->node)).size(), 1u);
    EXPECT_EQ(places(group.at(next->node)).front().number, next->place);
    EXPECT_EQ(places(group.at(next->node)).front().ahead, seat);
    seat = *next;
    list.push_back(seat.node);
  }
  EXPECT_EQ(list, (std::vector{a, f, c, b, NodeId{11}, d}));
  EXPECT_EQ(seat.node, root(group));
  let_all_through(group);
  EXPECT_EQ(group.entered(), list);
}

// "Once a process passes the token to its Next, its Next and the other's Predecessor are NULL."
TEST(ElmpLine, WhoPassedTheTokenIsOutOfTheListAndWhoGotItHasNobodyAhead) {
  Group<Elmp> group(3);
  line_up(group, {a, b});
  group.release(a);
  EXPECT_TRUE(places(group.at(a)).empty());
  group.settle();
  EXPECT_FALSE(places(group.at(b)).front().ahead);
}

// Cancelled waiters.

TEST(ElmpLine, ACancelledWaiterIsOutAfterThreeMessagesWhileTheHolderIsInside) {
  Group<Elmp> group(7);
  line_up(group, {a, b, c, d});
  std::size_t before = group.sent();
  group.cancel(c);
  EXPECT_EQ(group.doing(c), Doing::nothing);
  group.settle();
  EXPECT_EQ(group.sent() - before, 3u);  // SPLICE, SPLICED, AHEAD
  EXPECT_TRUE(places(group.at(c)).empty());
  EXPECT_EQ(group.doing(a), Doing::inside);
  group.check_still();
  let_all_through(group);
  EXPECT_EQ(group.entered(), (std::vector{a, b, d}));
  expect_at_rest(group);
}

TEST(ElmpLine, NeighboursInTheListCanCancelAtOnce) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    Group<Elmp> group(7);
    line_up(group, {a, b, c, d, e});
    std::size_t before = group.sent();
    group.cancel(seed % 2 == 0 ? c : d);
    group.cancel(seed % 2 == 0 ? d : c);
    while (!group.in_flight().empty()) group.deliver_random(dice, Channels::unordered);
    EXPECT_TRUE(places(group.at(c)).empty() && places(group.at(d)).empty());
    EXPECT_LE(group.sent() - before, 2u * 3u + 1u);  // one of them may have to ask twice
    group.check_still();
    let_all_through(group);
    EXPECT_EQ(group.entered(), (std::vector{a, b, e}));
    expect_at_rest(group);
  }
}

TEST(ElmpLine, AWaiterCancelsWhileTheTokenIsOnItsWay) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    Group<Elmp> group(7);
    line_up(group, {a, b, c, d});
    group.release(a);
    group.cancel(b);
    group.cancel(c);
    while (!group.in_flight().empty()) group.deliver_random(dice, Channels::unordered);
    EXPECT_EQ(group.entered(), (std::vector{a, d})) << "seed " << seed;
    group.release(d);
    expect_at_rest(group);
  }
}

TEST(ElmpLine, ACancelledTailStaysTheRootAndItsPlaceIsUsedAgain) {
  Group<Elmp> group(7);
  line_up(group, {a, f});
  std::size_t before = group.sent();
  group.cancel(f);
  EXPECT_EQ(group.doing(f), Doing::nothing);
  EXPECT_EQ(root(group), f);
  line_up(group, {f});
  EXPECT_EQ(group.sent(), before);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.sent(), before + 1);
  EXPECT_EQ(group.entered(), (std::vector{a, f}));
}

TEST(ElmpLine, ARequestThatIsCancelledOnItsWayLeavesNoWaiterBehind) {
  Group<Elmp> group(7);
  line_up(group, {a});
  group.request(f);
  group.cancel(f);
  EXPECT_EQ(group.doing(f), Doing::nothing);
  group.settle();
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a}));
  EXPECT_TRUE(group.at(f).holds_token());  // the root, as if it had been inside
  expect_at_rest(group);
}

TEST(ElmpLine, ARequestThatIsCancelledOnItsWayIsTakenUpByTheNextOne) {
  Group<Elmp> group(7);
  std::size_t expected = cost(group, f);
  group.request(f);
  group.cancel(f);
  group.request(f);
  group.settle();
  EXPECT_EQ(group.sent(), expected);
  EXPECT_EQ(group.entered(), (std::vector{f}));
}

// Readers.

bool of_the_list(const Elmp::Message& message) {
  return std::holds_alternative<elmp::Token>(message) ||
         std::holds_alternative<elmp::Clear>(message) ||
         std::holds_alternative<elmp::Splice>(message) ||
         std::holds_alternative<elmp::Spliced>(message) ||
         std::holds_alternative<elmp::Ahead>(message);
}
/// Delivers everything, and counts the messages of the list, without those of the tree.
std::size_t settle_counting(Group<Elmp>& group) {
  std::size_t count = 0;
  for (; !group.in_flight().empty(); group.deliver_oldest())
    if (of_the_list(group.in_flight().front().message)) ++count;
  return count;
}

TEST(ElmpLine, AReaderBehindAReaderEntersBeforeItLeaves) {
  Group<Elmp> group(7);
  group.request(a, to_read);
  std::size_t list = 0;
  for (NodeId node : {b, f, d}) {
    group.request(node, to_read);
    list += settle_counting(group);
  }
  EXPECT_EQ(group.entered(), (std::vector{a, b, f, d}));
  EXPECT_EQ(group.joint_entries(), 1u + 2u + 3u);
  EXPECT_EQ(list, 0u);  // SWAP already says that only readers are ahead
}

TEST(ElmpLine, ReadersBehindAWriterCostAtMostTwoMessagesOfTheListEach) {
  Group<Elmp> group(7);
  line_up(group, {a});
  std::size_t list = 0;
  for (NodeId node : {b, f, d}) {
    group.request(node, to_read);
    list += settle_counting(group);
  }
  group.release(a);
  list += settle_counting(group);
  EXPECT_EQ(group.entered(), (std::vector{a, b, f, d}));
  for (NodeId node : {b, f, d}) {
    group.release(node);
    list += settle_counting(group);
  }
  EXPECT_LE(list, 3u * 2u);
  expect_at_rest(group);
}

// A reader that leaves before the one ahead is taken out of the list, like a cancelled waiter.
TEST(ElmpLine, ReadersLeaveInAnyOrder) {
  std::vector<NodeId> order{a, b, c, d};
  do {
    Group<Elmp> group(7);
    for (NodeId node : {a, b, c, d}) {
      group.request(node, to_read);
      group.settle();
    }
    line_up(group, {f});
    for (NodeId node : order) {
      EXPECT_EQ(group.doing(f), Doing::waiting);
      std::size_t before = group.sent();
      group.release(node);
      group.settle();
      EXPECT_LE(group.sent() - before, 3u);
    }
    EXPECT_EQ(group.doing(f), Doing::inside);
    group.release(f);
    expect_at_rest(group);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ElmpLine, AWriterWaitsForAllReadersAndAReaderForTheWriterBeforeIt) {
  Group<Elmp> group(7);
  for (NodeId node : {a, b}) {
    group.request(node, to_read);
    group.settle();
  }
  line_up(group, {c});
  group.request(d, to_read);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
  group.release(b);
  group.settle();
  EXPECT_EQ(group.doing(c), Doing::waiting);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.doing(c), Doing::inside);
  EXPECT_EQ(group.doing(d), Doing::waiting);
  group.release(c);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b, c, d}));
  EXPECT_EQ(group.entries().back().baton.data.version, 1u);
  EXPECT_EQ(group.failure(), "");
}

TEST(ElmpLine, ACancelledWriterLetsTheReadersBehindItIn) {
  Group<Elmp> group(7);
  group.request(a, to_read);
  line_up(group, {b});
  group.request(c, to_read);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a}));
  group.cancel(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c}));
  let_all_through(group);
  expect_at_rest(group);
}

// Ranges.

TEST(ElmpLine, RangesThatAreApartAreWrittenSideBySide) {
  Group<Elmp> group(7);
  group.request(b, {Mode::write, {0, 10}});
  group.settle();
  group.request(c, {Mode::write, {10, 20}});
  group.settle();
  group.request(d, {Mode::read, {20, 30}});
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{b, c, d}));
  EXPECT_EQ(group.joint_entries(), 1u + 2u);
  let_all_through(group);
  expect_at_rest(group);
}

// The group checks that each part has the data of its last writer.
TEST(ElmpLine, RangesThatOverlapAreServedInOrderEachWithTheDataOfItsLastWriter) {
  for (bool first_leaves_first : {true, false}) {
    Group<Elmp> group(7);
    group.request(b, {Mode::write, {0, 10}});
    group.settle();
    group.request(c, {Mode::write, {10, 20}});
    group.settle();
    group.request(d, {Mode::read, {5, 15}});
    group.settle();
    group.request(e, {Mode::write, {12, 40}});
    group.settle();
    EXPECT_EQ(group.entered(), (std::vector{b, c}));
    group.release(first_leaves_first ? b : c);
    group.settle();
    EXPECT_EQ(group.doing(d), Doing::waiting);
    group.release(first_leaves_first ? c : b);
    group.settle();
    EXPECT_EQ(group.entered(), (std::vector{b, c, d}));
    group.release(d);
    group.settle();
    EXPECT_EQ(group.doing(e), Doing::inside);
    group.release(e);
    group.settle();
    line_up(group, {f});
    group.release(f);
    expect_at_rest(group);
  }
}

TEST(ElmpLine, WhoWantsAFreeRangeOvertakesWhoWaitsForAnother) {
  Group<Elmp> group(7);
  group.request(a, {Mode::write, {0, 10}});
  group.request(b, {Mode::write, {5, 15}});
  group.settle();
  group.request(c, {Mode::write, {20, 30}});
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, c}));
  group.request(d, {Mode::write, {10, 12}});  // it could enter now, but b was first
  group.settle();
  EXPECT_EQ(group.doing(d), Doing::waiting);
  let_all_through(group);
  EXPECT_EQ(group.entered(), (std::vector{a, c, b, d}));
  expect_at_rest(group);
}

}  // namespace conch::testing::elmp_line_test
