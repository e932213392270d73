// [Coulouris 2011, section 15.3] and the answer to exercise 11.8, sentence by sentence.
#include <gtest/gtest.h>

#include "election/bully_specimens.hpp"
#include "election/testing/electorate.hpp"

namespace conch::testing::bully_test {

using namespace std::chrono_literals;

using Group = Electorate<Bully>;
constexpr TimerId t = Bully::answer_timer;
constexpr TimerId t_prime = Bully::announcement_timer;
constexpr Tuning polite{.manners = Manners::polite};

/// A group of four whose coordinator, 4, has crashed.
template <class A = Bully>
Electorate<A> bereft(Tuning tuning = {}) {
  Electorate<A> group(Group::up_to(4), tuning);
  group.elect(4);
  group.settle();
  group.crash(4);
  return group;
}

// "The process that knows it has the highest identifier can elect itself as the coordinator simply
// by sending a coordinator message to all processes with lower identifiers."
TEST(Bully, TheHighestElectsItselfAtOnce) {
  Group group(Group::up_to(4));
  group.elect(4);
  EXPECT_EQ(group.at(4).elected(), NodeId{4});
  EXPECT_EQ(group.sent(), 3u);
  group.settle();
  EXPECT_EQ(group.coordinator(), NodeId{4});
}

// "a process with a lower identifier can begin an election by sending an election message to those
// processes that have a higher identifier and awaiting answer messages in response."
TEST(Bully, ALowerOneAsksThoseAboveIt) {
  Group group(Group::up_to(4));
  group.elect(2);
  EXPECT_EQ(group.sent<Bully::Election>(), 2u);
  EXPECT_TRUE(group.armed(2, t));
  EXPECT_EQ(group.at(2).elected(), std::nullopt);
}

// "If none arrives within time T, the process considers itself the coordinator and sends a
// coordinator message to all processes with lower identifiers announcing this."
TEST(Bully, WhoGetsNoAnswerIsTheCoordinator) {
  Group group = bereft();
  group.elect(3);
  group.timer(3, t);
  EXPECT_EQ(group.at(3).elected(), NodeId{3});
  group.settle();
  EXPECT_EQ(group.coordinator(), NodeId{3});
}

// "Otherwise, the process waits a further period T' for a coordinator message to arrive from the
// new coordinator."
TEST(Bully, WhoGetsAnAnswerWaitsForTheCoordinator) {
  Group group = bereft();
  group.elect(1);
  group.deliver(1, 2);
  group.deliver(2, 1);
  EXPECT_FALSE(group.armed(1, t));
  EXPECT_TRUE(group.armed(1, t_prime));
}

// "If none arrives, it begins another election."
TEST(Bully, WithoutACoordinatorItBeginsAnother) {
  Group group = bereft();
  group.elect(1);
  group.settle();
  group.crash(3);
  std::size_t asked = group.sent<Bully::Election>();
  group.timer(1, t_prime);
  EXPECT_EQ(group.sent<Bully::Election>(), asked + 3);
}

TEST(Bully, WithoutThatRuleItWaitsForEver) {
  auto group = bereft<BullySecondElection>();
  group.elect(1);
  group.settle();
  group.crash(3);
  group.timer(1, t_prime);
  group.timer(2, t_prime);
  EXPECT_TRUE(group.in_flight().empty());
  EXPECT_EQ(group.coordinator(), std::nullopt);
}

// "If a process p_i receives a coordinator message, it sets its variable elected_i to the
// identifier of the coordinator contained within it and treats that process as the coordinator."
TEST(Bully, ACoordinatorMessageEndsTheElection) {
  Group group(Group::up_to(3));
  group.elect(1);
  group.elect(3);
  group.deliver(3, 1);
  EXPECT_EQ(group.at(1).elected(), NodeId{3});
  EXPECT_FALSE(group.armed(1, t));
}

// "If a process receives an election message, it sends back an answer message and begins another
// election - unless it has begun one already."
TEST(Bully, WhoIsAskedAnswersAndBeginsOne) {
  Group group = bereft();
  group.elect(1);
  group.deliver(1, 2);
  EXPECT_EQ(group.sent<Bully::Answer>(), 1u);
  EXPECT_EQ(group.sent<Bully::Election>(), 3u + 2u);
  group.elect(2);
  EXPECT_EQ(group.sent<Bully::Election>(), 3u + 2u);
}

TEST(Bully, AnElectionThatHasBeenDecidedIsOnlyAnswered) {
  Group group(Group::up_to(4));
  group.elect(1);
  group.deliver(1, 4);
  group.deliver(4, 3);
  EXPECT_EQ(group.at(3).elected(), NodeId{4});
  std::size_t asked = group.sent<Bully::Election>();
  group.deliver(1, 3);
  EXPECT_EQ(group.sent<Bully::Answer>(), 2u);
  EXPECT_EQ(group.sent<Bully::Election>(), asked);
  group.settle();
  group.crash(4);
  asked = group.sent<Bully::Election>();
  group.elect(1);
  group.deliver(1, 3);
  EXPECT_EQ(group.sent<Bully::Election>(), asked + 3 + 1) << "the next one is begun";
}

// "When a process is started to replace a crashed process, it begins an election. If it has the
// highest process identifier, then it will decide that it is the coordinator and announce this to
// the other processes. Thus it will become the coordinator, even though the current coordinator is
// functioning." Ours listens first.
TEST(Bully, WhoRestartsTakesOver) {
  Group group = bereft();
  group.elect(3);
  group.timer(3, t);
  group.settle();
  group.restart(4);
  EXPECT_TRUE(group.in_flight().empty());
  group.timer(4, t_prime);
  group.settle();
  EXPECT_EQ(group.coordinator(), NodeId{4});
}

TEST(Bully, WithoutListeningARestartRacesWithAnAnnouncement) {
  auto group = bereft<BullyListening>();
  group.elect(3);
  group.timer(3, t);
  group.restart(4);
  for (std::uint64_t from : {4, 3})
    for (std::uint64_t to : {1, 2}) group.deliver(from, to);
  group.settle();
  EXPECT_EQ(group.at(1).elected(), NodeId{3});
  EXPECT_EQ(group.at(3).elected(), NodeId{4});
}

TEST(Bully, WhoListensAnswersAndBeginsNothing) {
  Group group = bereft();
  group.restart(4);
  group.elect(3);
  group.settle();
  EXPECT_TRUE(group.armed(3, t_prime));
  EXPECT_EQ(group.sent<Bully::Coordinator>(), 3u);
  group.timer(4, t_prime);
  group.settle();
  EXPECT_EQ(group.coordinator(), NodeId{4});
}

TEST(Bully, WhoRetiresIsReplacedAndToldByWhom) {
  Group group(Group::up_to(3));
  group.elect(3);
  group.settle();
  group.retire(3);
  group.settle();
  group.timer(2, t);
  group.settle();
  EXPECT_EQ(group.coordinator(), NodeId{2});
  EXPECT_TRUE(group.at(3).retired());
}

TEST(Bully, WhoFindsNoSuccessorStandsAgain) {
  Group group(Group::up_to(2));
  group.elect(2);
  group.settle();
  group.crash(1);
  group.retire(2);
  group.timer(2, t_prime);  // no member has announced itself
  group.timer(2, t_prime);  // it has listened
  EXPECT_EQ(group.coordinator(), NodeId{2});
  EXPECT_FALSE(group.at(2).retired());
}

// 11.8: "a recovering process could merely send a requestStatus message to successive
// lower-numbered processes to discover whether another process is already elected, and elect itself
// only if it receives a negative response."
TEST(BullyPolite, WhoRestartsAsksForTheCoordinatorAndStandsBack) {
  Group group = bereft(polite);
  group.elect(3);
  group.timer(3, t);
  group.settle();
  group.restart(4);
  group.timer(4, t_prime);
  EXPECT_EQ(group.sent<Bully::Status>(), 3u);
  group.settle();
  EXPECT_EQ(group.coordinator(), NodeId{3});
}

TEST(BullyPolite, WhoGetsNoAnswerElectsItself) {
  Group group = bereft(polite);
  for (std::uint64_t node : {1, 2, 3}) group.crash(node);
  group.restart(4);
  group.timer(4, t_prime);
  group.timer(4, t);
  EXPECT_EQ(group.coordinator(), NodeId{4});
}

TEST(BullyPolite, WhoIsToldThatItIsTheCoordinatorItselfDoesNotBelieveIt) {
  Group group = bereft(polite);
  group.restart(4);
  group.timer(4, t_prime);
  group.settle();
  EXPECT_EQ(group.at(4).elected(), std::nullopt);
  group.timer(4, t);
  group.settle();
  for (std::uint64_t node : {1, 2, 3}) group.timer(node, t_prime);  // they have listened, too
  EXPECT_EQ(group.coordinator(), NodeId{4});
}

TEST(BullyPolite, ACoordinatorThatAsksWhoItIsHasForgottenThatItIsTheOne) {
  Group group(Group::up_to(4), polite);
  group.elect(4);
  group.settle();
  group.crash(4);
  group.restart(4);  // before any of the others has noticed
  group.timer(4, t_prime);
  group.deliver(4, 3);
  EXPECT_EQ(group.at(3).elected(), std::nullopt);
  EXPECT_TRUE(group.armed(3, t_prime));
  EXPECT_EQ(group.sent<Bully::Standing>(), 0u);
}

// "Thereafter, the algorithm can operate as before: if the newly-recovered process discovers the
// coordinator to have failed, or if it receives an election message, it sends a coordinator message
// to the remaining processes."
TEST(BullyPolite, AfterwardsItIsABully) {
  Group group = bereft(polite);
  group.elect(3);
  group.timer(3, t);
  group.settle();
  group.restart(4);
  group.timer(4, t_prime);
  group.settle();
  group.elect(1);
  group.settle();
  EXPECT_EQ(group.coordinator(), NodeId{4});
}

TEST(Timeouts, AreJustAboveTwoAndFourMessages) {
  constexpr Timeouts timeouts = timeouts_for(10ms);
  EXPECT_GT(timeouts.answer, 20ms);
  EXPECT_LT(timeouts.answer, 21ms);
  EXPECT_GT(timeouts.announcement, timeouts.answer + 20ms);
  EXPECT_LT(timeouts.announcement, 41ms);
  EXPECT_EQ(timeouts_for(1500us),
            (Timeouts{Tuning{}.answer_timeout, Tuning{}.coordinator_timeout}));
}

}  // namespace conch::testing::bully_test
