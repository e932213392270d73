#include "overlay/rounds.hpp"

#include <gtest/gtest.h>

namespace conch::overlay::rounds_test {

using namespace std::chrono_literals;

using Out = RoutedOutbox<std::variant<Recall>>;

constexpr Duration lease = 3s;

TimerId timer_of_round(std::uint32_t round) { return timer_of(Alarm::round, round % 4); }

TEST(Rounds, AMajorityConfirmsOnce) {
  Rounds rounds;
  Out out;
  rounds.start();
  std::uint32_t round = rounds.next(lease, out);
  EXPECT_FALSE(rounds.acknowledge(round, 0, 2));
  EXPECT_FALSE(rounds.acknowledge(round, 0, 2)) << "a copy of the same answer";
  EXPECT_TRUE(rounds.acknowledge(round, 1, 2));
  EXPECT_FALSE(rounds.acknowledge(round, 2, 2));
}

TEST(Rounds, TheLeaseCountsFromTheSendingOfTheLastConfirmedRound) {
  Rounds rounds;
  Out out;
  rounds.start();
  std::uint32_t first = rounds.next(lease, out), second = rounds.next(lease, out);
  rounds.acknowledge(first, 0, 1);
  EXPECT_TRUE(rounds.acknowledge(second, 0, 1));
  EXPECT_FALSE(rounds.end(timer_of_round(first))) << "a later one is confirmed";
  EXPECT_TRUE(rounds.end(timer_of_round(second)));
}

TEST(Rounds, AnAnswerToARoundThatHasEndedIsWorthNothing) {
  Rounds rounds;
  Out out;
  rounds.start();
  std::uint32_t round = rounds.next(lease, out);
  rounds.next(lease, out);
  EXPECT_TRUE(rounds.end(timer_of_round(round)));
  EXPECT_FALSE(rounds.acknowledge(round, 0, 1));
}

TEST(Rounds, AnswersOfAnEarlierTenureDoNotCount) {
  Rounds rounds;
  Out out;
  rounds.start();
  std::uint32_t round = rounds.next(lease, out);
  rounds.start();
  rounds.next(lease, out);
  EXPECT_FALSE(rounds.acknowledge(round, 0, 1));
}

TEST(Rounds, OtherTimersAreNotTheirs) {
  Rounds rounds;
  EXPECT_FALSE(rounds.end(timer_of(Alarm::renew)));
  EXPECT_FALSE(rounds.end(timer_of(Alarm::retry)));
}

}  // namespace conch::overlay::rounds_test
