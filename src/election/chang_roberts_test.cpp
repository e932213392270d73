// [Coulouris 2011, section 15.3], sentence by sentence.
#include "election/chang_roberts.hpp"

#include <gtest/gtest.h>

#include "election/testing/electorate.hpp"

namespace conch::testing::chang_roberts_test {

using Ring = Electorate<ChangRoberts>;

std::vector<NodeId> ids(std::initializer_list<std::uint64_t> numbers) {
  std::vector<NodeId> list;
  for (std::uint64_t number : numbers) list.push_back(NodeId{number});
  return list;
}

std::optional<NodeId> candidate(const Ring& ring) {
  return std::get<ChangRoberts::Election>(ring.in_flight().front().message).candidate;
}

// "Initially, every process is marked as a non-participant in an election."
TEST(ChangRoberts, InitiallyEveryProcessIsANonParticipant) {
  Ring ring(Ring::up_to(3));
  for (std::uint64_t node : {1, 2, 3}) EXPECT_FALSE(ring.at(node).participant());
}

// "Any process can begin an election. It proceeds by marking itself as a participant, placing its
// identifier in an election message and sending it to its clockwise neighbour."
TEST(ChangRoberts, WhoBeginsIsAParticipantAndSendsItsIdentifierToItsNeighbour) {
  Ring ring(ids({3, 17, 24}));
  ring.elect(17);
  EXPECT_TRUE(ring.at(17).participant());
  EXPECT_EQ(ring.in_flight().front().to, NodeId{24});
  EXPECT_EQ(candidate(ring), NodeId{17});
}

// "When the process first becomes a participant in an election it sets this variable to the special
// value to denote that it is not yet defined."
TEST(ChangRoberts, AParticipantHasElectedNobodyYet) {
  Ring ring(Ring::up_to(3));
  ring.elect(1);
  ring.settle();
  EXPECT_EQ(ring.at(1).elected(), NodeId{3});
  ring.elect(1);
  EXPECT_EQ(ring.at(1).elected(), std::nullopt);
  EXPECT_EQ(ring.at(2).elected(), NodeId{3});  // not yet a participant: the previous one
}

// "If the arrived identifier is greater, then it forwards the message to its neighbour." "On
// forwarding an election message in any case, the process marks itself as a participant."
TEST(ChangRoberts, AGreaterIdentifierIsForwarded) {
  Ring ring(ids({5, 1, 9}));
  ring.elect(5);
  ring.deliver();
  EXPECT_EQ(candidate(ring), NodeId{5});
  EXPECT_TRUE(ring.at(1).participant());
}

// "If the arrived identifier is smaller and the receiver is not a participant, then it substitutes
// its own identifier in the message and forwards it;"
TEST(ChangRoberts, ASmallerIdentifierIsReplaced) {
  Ring ring(ids({1, 5, 9}));
  ring.elect(1);
  ring.deliver();
  EXPECT_EQ(candidate(ring), NodeId{5});
}

// "but it does not forward the message if it is already a participant."
TEST(ChangRoberts, AParticipantEndsASmallerIdentifier) {
  Ring ring(ids({1, 5, 9}));
  ring.elect(5);
  ring.elect(1);
  ring.deliver(1, 5);
  EXPECT_EQ(ring.in_flight().size(), 1u);
}

// "If, however, the received identifier is that of the receiver itself, then this process's
// identifier must be the greatest, and it becomes the coordinator. The coordinator marks itself as
// a non-participant once more and sends an elected message to its neighbour."
TEST(ChangRoberts, WhoseIdentifierComesBackIsTheCoordinator) {
  Ring ring(ids({1, 9}));
  ring.elect(9);
  ring.deliver();
  ring.deliver();
  EXPECT_EQ(ring.at(9).elected(), NodeId{9});
  EXPECT_FALSE(ring.at(9).participant());
  EXPECT_TRUE(std::holds_alternative<ChangRoberts::Elected>(ring.in_flight().front().message));
}

// "When a process p_i receives an elected message, it marks itself as a non-participant, sets its
// variable to the identifier in the message and, unless it is the new coordinator, forwards the
// message to its neighbour."
TEST(ChangRoberts, TheAnnouncementGoesRoundOnce) {
  Ring ring(Ring::up_to(5));
  ring.elect(5);
  ring.settle();
  EXPECT_EQ(ring.coordinator(), NodeId{5});
  EXPECT_EQ(ring.sent<ChangRoberts::Elected>(), 5u);
}

TEST(ChangRoberts, ASingleStarterCostsTwoNToThreeNMinusOne) {
  for (std::uint64_t n = 2; n <= 9; ++n) {
    Ring best(Ring::up_to(n));
    best.elect(n);
    best.settle();
    EXPECT_EQ(best.sent(), 2 * n);
    std::vector<NodeId> falling = Ring::up_to(n);
    std::reverse(falling.begin(), falling.end());
    Ring worst(falling);
    worst.elect(n - 1);  // the highest is its neighbour the other way round
    worst.settle();
    EXPECT_EQ(worst.sent(), 3 * n - 1);
  }
}

TEST(ChangRoberts, AloneItElectsItselfAndCannotRetire) {
  Ring ring(Ring::up_to(1));
  ring.elect(1);
  EXPECT_EQ(ring.coordinator(), NodeId{1});
  ring.retire(1);
  EXPECT_EQ(ring.coordinator(), NodeId{1});
  EXPECT_EQ(ring.sent(), 0u);
}

// "if the process that plays the role of server wishes to retire then another election is required
// to choose a replacement."
TEST(ChangRoberts, WhoRetiresIsReplacedAndDoesNotStandAgain) {
  Ring ring(ids({3, 1, 4, 2}));
  ring.elect(1);
  ring.settle();
  ring.retire(4);
  ring.settle();
  EXPECT_EQ(ring.coordinator(), NodeId{3});
  ring.elect(4);
  ring.settle();
  EXPECT_EQ(ring.coordinator(), NodeId{3});
}

TEST(ChangRoberts, TheLastThatRetiresStandsAgain) {
  Ring ring(Ring::up_to(2));
  ring.elect(1);
  ring.settle();
  ring.retire(2);
  ring.settle();
  EXPECT_EQ(ring.coordinator(), NodeId{1});
  ring.retire(1);
  ring.settle();
  EXPECT_EQ(ring.coordinator(), NodeId{1});
}

}  // namespace conch::testing::chang_roberts_test
