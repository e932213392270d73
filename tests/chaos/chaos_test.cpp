// Tests the chaos rig itself, with short runs.
#include <gtest/gtest.h>

#include "process.hpp"

namespace conch::chaos_test {

constexpr int cannot_run = 77;
constexpr Milliseconds patience_for_a_run{280'000};
/// With a shorter lease, slow peers would be evicted all the time and nothing else would happen.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* lease_ms = "4000";
constexpr const char* lease_ms_with_etcd = "6000";
#else
constexpr const char* lease_ms = "1000";
constexpr const char* lease_ms_with_etcd = "2000";
#endif

class Chaos : public ::testing::Test {
 protected:
  /// The output of a run; the test is skipped if this machine has no sites or no etcd.
  std::string run(std::vector<std::string> words, const char* lease = lease_ms) {
    words.insert(words.begin(), {CHAOS, "--lease", lease});
    Process chaos(words);
    status_ = chaos.await_exit(patience_for_a_run);
    return chaos.output();
  }
  bool is_skipped() const { return status_ == cannot_run; }

  int status_ = 0;
};

TEST_F(Chaos, TwentySeconds) {
  std::string text = run({"--seconds", "20", "--seed", "2"});
  if (is_skipped()) GTEST_SKIP() << text;
  EXPECT_EQ(status_, 0) << text;
  // Every kind comes once before any comes again, unless a slow machine has no time for all.
  for (const char* kind : {" kill", " part"}) EXPECT_NE(text.find(kind), text.npos) << text;
}

/// Locks are handed over until leases run out; then their holders are told, and locks move again
/// when the register is back.
TEST_F(Chaos, TheRegisterIsAway) {
  std::string text;
  // On a busy machine the locks may be elsewhere each time.
  for (const char* seed : {"1", "2", "3", "4"}) {
    text = run({"--seconds", "12", "--seed", seed, "--only", "register-away"});
    if (is_skipped()) GTEST_SKIP() << text;
    EXPECT_EQ(status_, 0) << text;
    EXPECT_EQ(text.find(" 0 times"), text.npos) << text;
    if (text.find(" 0 by peers that were cut off") == text.npos) return;
  }
  FAIL() << "nobody who was cut off ever entered: " << text;
}

TEST_F(Chaos, EtcdIsTheRegister) {
  std::string text =
      run({"--register", "etcd", "--seconds", "20", "--seed", "2"}, lease_ms_with_etcd);
  if (is_skipped()) GTEST_SKIP() << text;
  EXPECT_EQ(status_, 0) << text;
}

/// The same with etcd. Also, members of etcd that are killed come back and do no harm.
TEST_F(Chaos, EtcdIsAway) {
  std::string text = run({"--register", "etcd", "--seconds", "20", "--seed", "1", "--only",
                          "register-away", "--only", "kill-etcd"},
                         lease_ms_with_etcd);
  if (is_skipped()) GTEST_SKIP() << text;
  EXPECT_EQ(status_, 0) << text;
  EXPECT_NE(text.find(" register-away"), text.npos) << text;
  EXPECT_EQ(text.find(" 0 times"), text.npos) << text;
}

/// The wall clocks of peers jump by hours. Peers see that, and nothing goes wrong.
TEST_F(Chaos, ClocksAreSet) {
  std::string text = run({"--seconds", "4", "--seed", "1", "--only", "set-clock"});
  if (is_skipped()) GTEST_SKIP() << text;
  EXPECT_EQ(status_, 0) << text;
  EXPECT_EQ(text.find("clock steps       0 seen"), text.npos) << text;
}

/// Leaves out rules of recovery, with the kinds of faults that soon show that they are missing.
TEST_F(Chaos, CatchesWhatWasPlanted) {
  std::string lease = run({"--planted", "--plant", "lease", "--only", "register-away"});
  if (is_skipped()) GTEST_SKIP() << lease;
  EXPECT_EQ(status_, 0) << lease;
  std::string fences = run({"--planted", "--plant", "fences", "--only", "kill"});
  EXPECT_EQ(status_, 0) << fences;
}

TEST_F(Chaos, EndsWhenItIsToldTo) {
  Process chaos({CHAOS, "--seconds", "1000"});
  if (!chaos.await_output(" for ", patience_for_a_run)) {
    status_ = chaos.await_exit();
    ASSERT_TRUE(is_skipped()) << chaos.output();
    GTEST_SKIP() << chaos.output();
  }
  chaos.send(SIGINT);
  EXPECT_EQ(chaos.await_exit(), 130);
  EXPECT_NE(chaos.output().find("cancelled"), std::string::npos);
}

}  // namespace conch::chaos_test
