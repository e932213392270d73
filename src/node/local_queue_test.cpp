#include "node/local_queue.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace conch::node::local_queue_test {

using Kind = LocalQueue::Step::Kind;
using Place = LocalQueue::Place;

struct Someone : Claim {
  using Claim::Claim;
  void changed() override {}
};

class LocalQueueTest : public ::testing::Test {
 protected:
  Claim& add(Mode mode = Mode::write) {
    claims_.emplace_back(mode);
    queue_.add(claims_.back());
    return claims_.back();
  }
  std::optional<LocalQueue::Step> next() {
    return queue_.next(
        entered_, [this] { return may_join_; }, [this] { return wanted_elsewhere_; });
  }
  void expect_step(Kind kind, Mode mode = Mode::write) {
    auto step = next();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->kind, kind);
    if (kind == Kind::ask) {
      EXPECT_EQ(step->mode, mode);
    }
  }
  void grant() { queue_.granted(entered_); }
  std::vector<Claim*> entered() { return std::exchange(entered_, {}); }
  using Claims = std::vector<Claim*>;

  LocalQueue queue_;
  bool wanted_elsewhere_ = false;
  bool may_join_ = true;

 private:
  std::deque<Someone> claims_;
  std::vector<Claim*> entered_;
};

TEST_F(LocalQueueTest, TheFirstInLineAsks) {
  EXPECT_FALSE(next());
  Claim& first = add();
  add();
  expect_step(Kind::ask);
  EXPECT_FALSE(next()) << "they share one place";
  grant();
  EXPECT_EQ(entered(), Claims{&first});
  EXPECT_FALSE(next());
}

TEST_F(LocalQueueTest, WhoLeavesGivesTheLockBackBeforeTheNextAsks) {
  Claim& first = add();
  Claim& second = add();
  expect_step(Kind::ask);
  grant();
  entered();
  queue_.remove(first);
  expect_step(Kind::release);
  expect_step(Kind::ask);
  EXPECT_FALSE(next());
  grant();
  EXPECT_EQ(entered(), Claims{&second});
  queue_.remove(second);
  expect_step(Kind::release);
  EXPECT_FALSE(next());
  EXPECT_TRUE(queue_.idle());
}

TEST_F(LocalQueueTest, ThePlaceOfOneWhoGivesUpIsInherited) {
  Claim& first = add();
  Claim& second = add();
  expect_step(Kind::ask);
  queue_.remove(first);
  EXPECT_FALSE(next());
  grant();
  EXPECT_EQ(entered(), Claims{&second});
}

TEST_F(LocalQueueTest, TheLastWhoGivesUpWithdraws) {
  Claim& only = add();
  expect_step(Kind::ask);
  queue_.remove(only);
  expect_step(Kind::withdraw);
  Claim& late = add();
  EXPECT_FALSE(next()) << "nothing is asked for before the withdrawal is over";
  queue_.withdrew();
  expect_step(Kind::ask);
  grant();
  EXPECT_EQ(entered(), Claims{&late});
}

TEST_F(LocalQueueTest, AWriterDoesNotInheritAReadersPlace) {
  Claim& reader = add(Mode::read);
  add(Mode::write);
  expect_step(Kind::ask, Mode::read);
  queue_.remove(reader);
  expect_step(Kind::withdraw);
  queue_.withdrew();
  expect_step(Kind::ask, Mode::write);
}

TEST_F(LocalQueueTest, AReaderInheritsAWritersPlace) {
  Claim& writer = add(Mode::write);
  Claim& reader = add(Mode::read);
  expect_step(Kind::ask, Mode::write);
  queue_.remove(writer);
  EXPECT_FALSE(next());
  grant();
  EXPECT_EQ(entered(), Claims{&reader});
}

TEST_F(LocalQueueTest, ReadersNextInLineEnterTogether) {
  Claim& a = add(Mode::read);
  Claim& b = add(Mode::read);
  add(Mode::write);
  Claim& behind_the_writer = add(Mode::read);
  expect_step(Kind::ask, Mode::read);
  grant();
  EXPECT_FALSE(next());
  EXPECT_EQ(entered(), (Claims{&a, &b}));
  queue_.remove(a);
  EXPECT_FALSE(next()) << "one is still inside";
  queue_.remove(b);
  expect_step(Kind::release);
  expect_step(Kind::ask, Mode::write);
  EXPECT_EQ(queue_.waiting().back(), &behind_the_writer);
}

TEST_F(LocalQueueTest, ReadersDoNotKeepTheLockFromOthersForEver) {
  wanted_elsewhere_ = true;
  Claim* previous = &add(Mode::read);
  expect_step(Kind::ask, Mode::read);
  grant();
  unsigned entries = 1;
  while (true) {
    Claim& next_reader = add(Mode::read);
    bool stays = !next();
    if (entered().empty()) {
      EXPECT_TRUE(stays);
      break;
    }
    ++entries;
    queue_.remove(*previous);
    previous = &next_reader;
  }
  EXPECT_EQ(entries, LocalQueue::shared_entries_max + 0u);
  queue_.remove(*previous);
  expect_step(Kind::release);
  expect_step(Kind::ask, Mode::read);
}

TEST_F(LocalQueueTest, AnyNumberOfReadersEntersWhileNobodyElseWaits) {
  add(Mode::read);
  expect_step(Kind::ask, Mode::read);
  grant();
  for (unsigned i = 1; i < 10 * LocalQueue::shared_entries_max; ++i) {
    add(Mode::read);
    EXPECT_FALSE(next());
  }
  EXPECT_EQ(entered().size(), 10u * LocalQueue::shared_entries_max);
  wanted_elsewhere_ = true;
  add(Mode::read);
  EXPECT_FALSE(next());
  EXPECT_TRUE(entered().empty()) << "they have had their turn";
  wanted_elsewhere_ = false;
  EXPECT_FALSE(next());
  EXPECT_EQ(entered().size(), 1u);
}

TEST_F(LocalQueueTest, ALossTakesThoseInsideAndTheOthersAskAgain) {
  Claim& first = add();
  Claim& second = add();
  expect_step(Kind::ask);
  grant();
  entered();
  std::vector<Claim*> losers;
  queue_.lost(losers);
  EXPECT_EQ(losers, Claims{&first});
  expect_step(Kind::ask);
  grant();
  EXPECT_EQ(entered(), Claims{&second});
}

TEST_F(LocalQueueTest, ReadersWaitForAFenceOfTheirOwnIfTheyMayNotShareThatOfTheOthers) {
  Claim& first = add(Mode::read);
  expect_step(Kind::ask, Mode::read);
  grant();
  EXPECT_EQ(entered(), Claims{&first});
  Claim& second = add(Mode::read);
  may_join_ = false;
  EXPECT_FALSE(next());
  EXPECT_TRUE(entered().empty());
  queue_.remove(first);
  expect_step(Kind::release);
  expect_step(Kind::ask, Mode::read);
  grant();
  EXPECT_EQ(entered(), Claims{&second});
}

TEST_F(LocalQueueTest, AWriterDoesNotEnterWithThePlaceOfAReaderWhoHasGivenUp) {
  Claim& reader = add(Mode::read);
  Claim& writer = add();
  expect_step(Kind::ask, Mode::read);
  queue_.remove(reader);
  grant();
  EXPECT_TRUE(entered().empty());
  expect_step(Kind::release);
  expect_step(Kind::ask, Mode::write);
  grant();
  EXPECT_EQ(entered(), Claims{&writer});
}

}  // namespace conch::node::local_queue_test
