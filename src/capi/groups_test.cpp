#include "capi/groups.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "capi/failure.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch::capi::groups_test {

class GroupsTest : public ::testing::Test {
 protected:
  PeerOptions options(const std::string& group = "test") {
    PeerOptions options = scratch_.options();
    options.group = group;
    return options;
  }

  peer::ScratchGroup scratch_;
  Groups groups_;
};

TEST_F(GroupsTest, AreJoinedOnceAndLeftWithTheLast) {
  auto first = groups_.join(options());
  auto second = groups_.join(options());
  EXPECT_EQ(first, second);
  std::uint64_t id = first->id();
  first.reset();
  EXPECT_EQ(groups_.join(options())->id(), id);
  second.reset();
  EXPECT_NE(groups_.join(options())->id(), id);
}

TEST_F(GroupsTest, AreApart) {
  auto one = groups_.join(options("one"));
  auto other = groups_.join(options("other"));
  EXPECT_EQ(one->group(), "one");
  EXPECT_EQ(other->group(), "other");
}

TEST_F(GroupsTest, AreForgottenIfTheyCannotBeJoined) {
  PeerOptions bad = options();
  bad.algorithm = "none-such";
  EXPECT_THROW(groups_.join(bad), Error);
  EXPECT_THROW(groups_.join(bad), Error);
  EXPECT_TRUE(groups_.join(options()));
}

TEST_F(GroupsTest, ThatNobodyAnswersForAreTooSlow) {
  PeerOptions far = options();
  far.join = {"127.0.0.1:1"};
  far.admission_patience = std::chrono::milliseconds(100);
  try {
    groups_.join(far);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error, ETIMEDOUT);
    EXPECT_NE(failure.sentence.find("127.0.0.1:1"), std::string::npos);
  } catch (const Error& refused) {  // The connection was refused at once, as nobody listens there.
    EXPECT_NE(std::string(refused.what()).find("127.0.0.1:1"), std::string::npos);
  }
}

TEST_F(GroupsTest, AreKeptAsOftenAsTheyAreTakenBack) {
  groups_.keep("test", groups_.join(options()));
  groups_.keep("test", groups_.join(options()));
  std::uint64_t id = groups_.join(options())->id();
  groups_.take_back("test");
  EXPECT_EQ(groups_.join(options())->id(), id);
  EXPECT_TRUE(groups_.take_back("test"));
  EXPECT_FALSE(groups_.take_back("test"));
  EXPECT_NE(groups_.join(options())->id(), id);
}

TEST_F(GroupsTest, TheDefaultIsWhatWasSetLast) {
  ::unsetenv("CONCH_GROUP");
  EXPECT_EQ(groups_.meant(nullptr), "default");
  EXPECT_EQ(groups_.meant(""), "default");
  EXPECT_EQ(groups_.meant("mine"), "mine");
  ::setenv("CONCH_GROUP", "ours", 1);
  EXPECT_EQ(groups_.meant(nullptr), "ours");
  groups_.set_default("mpi");
  EXPECT_EQ(groups_.meant(nullptr), "mpi");
  EXPECT_EQ(groups_.meant("mine"), "mine");
  groups_.set_default("");
  EXPECT_EQ(groups_.meant(nullptr), "ours");
  ::unsetenv("CONCH_GROUP");
}

/// Several threads join and leave at once: each gets a peer that is in the group, and the process
/// never has two peers in the group at a time.
TEST_F(GroupsTest, AreJoinedAndLeftByManyThreads) {
  std::atomic<int> joined{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        auto peer = groups_.join(options());
        EXPECT_EQ(peer->group(), "test");
        EXPECT_EQ(groups_.join(options()), peer);
        ++joined;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(joined, 80);
}

}  // namespace conch::capi::groups_test
