// Tests `conch lock` on a machine without a peer: every command is a peer while it runs.
#include <random>
#include <set>

#include "shell.hpp"

namespace conch::lock_alone_test {

class LockAloneTest : public Shell {
 protected:
  static constexpr int crowd_size = 20;

  /// A script that writes its fence down, and reports an overlap if another one is inside. The
  /// kernel releases the file lock when the last process of a command is dead.
  std::string section(const std::string& rest = "") const {
    return "exec 9>>$SCRATCH/inside; flock -n 9 || echo overlap >>$SCRATCH/overlaps; "
           "echo $CONCH_FENCE >>$SCRATCH/fences; " +
           rest;
  }
  std::vector<Process*> crowd(int size, const std::string& script) {
    std::vector<Process*> all;
    for (int i = 0; i < size; ++i) all.push_back(&lock({"deploy", "--verbose"}, script));
    return all;
  }
  void expect_everybody_was_in(const std::vector<Process*>& all) {
    for (Process* one : all) {
      EXPECT_EQ(one->await_exit(), 0) << one->output();
      EXPECT_EQ(one->output().find("could not leave"), std::string::npos) << one->output();
    }
  }
  void expect_increasing(const std::vector<std::uint64_t>& fences) const {
    EXPECT_TRUE(std::is_sorted(fences.begin(), fences.end())) << testing::PrintToString(fences);
    EXPECT_EQ(std::set(fences.begin(), fences.end()).size(), fences.size());
    EXPECT_EQ(lines_of("overlaps"), std::vector<std::string>{});
  }
};

TEST_F(LockAloneTest, TwentyAtOnceGetTwentyFencesInTheOrderOfEntryAndLeaveNothing) {
  for (std::size_t round = 1; round <= 4; ++round) {
    expect_everybody_was_in(crowd(crowd_size, section()));
    EXPECT_EQ(numbers_in("fences").size(), round * crowd_size);
    expect_increasing(numbers_in("fences"));
    expect_nothing_left();
  }
}

/// Kills half of the commands: the first one while it is inside, the others at random times.
class LockKillingTest : public LockAloneTest, public testing::WithParamInterface<unsigned> {};

TEST_P(LockKillingTest, EverySurvivorGetsTheLock) {
  std::minstd_rand dice(GetParam());
  Process& first = lock({"deploy"}, section("echo in; cat"));
  ASSERT_TRUE(first.await_output("in")) << first.output();
  std::vector<Process*> others = crowd(crowd_size - 1, section("sleep 0.03"));
  ::poll(nullptr, 0, static_cast<int>(dice() % 300));
  first.send(SIGKILL);
  std::shuffle(others.begin(), others.end(), dice);
  std::size_t killed = 0;
  for (; killed < crowd_size / 2 - 1; ++killed) {
    ::poll(nullptr, 0, static_cast<int>(dice() % 60));
    others[killed]->send(SIGKILL);
  }
  for (std::size_t i = killed; i < others.size(); ++i)
    EXPECT_EQ(others[i]->await_exit(), 0) << others[i]->output();
  expect_increasing(numbers_in("fences"));
  EXPECT_GE(numbers_in("fences").size(), crowd_size - killed);
  // The next command to come removes a socket that the last killed command has left behind.
  EXPECT_EQ(run({"lock", "deploy", "--", "true"}).status, 0);
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Seeds, LockKillingTest, testing::Values(1, 2, 3));

/// A command that ends only when it is killed.
const std::string stubborn = "trap '' TERM; echo in $CONCH_FENCE; while :; do sleep 0.05; done";

TEST_F(LockAloneTest, WhenConchIsStoppedItsCommandIsGoneBeforeTheNextEnters) {
  found("1s");
  Process& late = lock({"deploy", "--grace", "20s"}, section(stubborn));
  ASSERT_TRUE(late.await_output("in")) << late.output();
  late.send(SIGSTOP);
  Process& next = lock({"deploy"}, section("echo in $CONCH_FENCE"));
  ASSERT_TRUE(next.await_output("in")) << next.output();
  EXPECT_GT(fence_in(next), fence_in(late));
  EXPECT_EQ(next.await_exit(), 0) << next.output();
  expect_increasing(numbers_in("fences"));
  late.send(SIGCONT);
  EXPECT_EQ(late.await_exit(), 76) << late.output();
  EXPECT_TRUE(late.output().ends_with("deploy was lost, and the command was terminated\n"));
  expect_nothing_left();
}

TEST_F(LockAloneTest, ACommandThatEndsWithinTheLeaseOfAStoppedConchKeepsItsStatus) {
  Process& holder = lock({"deploy"}, "echo in; read word; echo out; exit 7");
  ASSERT_TRUE(holder.await_output("in")) << holder.output();
  holder.send(SIGSTOP);
  holder.say("go\n");
  ASSERT_TRUE(holder.await_output("out")) << holder.output();
  EXPECT_TRUE(await([&] { return living().size() == 2; })) << "conch and the keeper";
  holder.send(SIGCONT);
  EXPECT_EQ(holder.await_exit(), 7) << holder.output();
  expect_nothing_left();
}

TEST_F(LockAloneTest, WhoDoesNotWaitLongLeavesNoTrace) {
  Process& holder = hold({"deploy"});
  ASSERT_TRUE(holder.await_output("in")) << holder.output();
  Outcome late = run({"lock", "deploy", "--timeout", "1s", "--", "echo", "no"});
  EXPECT_EQ(late.status, 75) << late.out;
  EXPECT_TRUE(late.says("conch: deploy was not obtained: it is held by")) << late.out;
  EXPECT_GE(late.took, Milliseconds(1000));
  EXPECT_LT(late.took, Milliseconds(5000));
  std::cout << "a timeout of 1 s took " << late.took.count() << " ms\n";
  Outcome once = run({"lock", "deploy", "--try", "--", "echo", "no"});
  EXPECT_EQ(once.status, 75) << once.out;
  EXPECT_LT(once.took, Milliseconds(5000));
  std::cout << "a try took " << once.took.count() << " ms\n";

  Process& next = hold({"deploy"});
  EXPECT_FALSE(next.await_output("in", Milliseconds(300))) << next.output();
  Stopwatch release;
  holder.finish_input();
  EXPECT_TRUE(next.await_output("in")) << next.output();
  EXPECT_LT(release.elapsed(), Milliseconds(3000));
  std::cout << "a release took " << release.elapsed().count() << " ms\n";
  next.finish_input();
  EXPECT_EQ(next.await_exit(), 0);
  EXPECT_EQ(holder.await_exit(), 0);
  expect_nothing_left();
}

TEST_F(LockAloneTest, WhoIsInterruptedLeavesNoTrace) {
  Process& holder = hold({"deploy"});
  ASSERT_TRUE(holder.await_output("in")) << holder.output();
  for (auto [signal, status] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    for (int pause_ms : {0, 20, 300}) {  // at every stage of joining
      Process& waiting = hold({"deploy"});
      // Before that there is neither a keeper nor a handler, and the signal has its default effect.
      EXPECT_TRUE(await([&] { return living().size() >= 5; }));
      ::poll(nullptr, 0, pause_ms);
      waiting.send(signal);
      EXPECT_EQ(waiting.await_exit(), status) << waiting.output();
      EXPECT_EQ(waiting.output(), "");
    }
  }
  Outcome once = run({"lock", "deploy", "--try", "--", "echo", "no"});
  EXPECT_EQ(once.status, 75) << once.out;
  holder.finish_input();
  EXPECT_EQ(holder.await_exit(), 0);
  EXPECT_EQ(run({"lock", "deploy", "--try", "--", "true"}).status, 0);
  expect_nothing_left();
}

}  // namespace conch::lock_alone_test
