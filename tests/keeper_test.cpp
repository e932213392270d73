// Tests a command under a lock: what it is given, how it ends, and that the lock is free only after
// it has ended.
#include <algorithm>
#include <fstream>

#include "keeper_run.hpp"

namespace conch::keeper_test {

using namespace std::chrono_literals;

using KeeperTest = KeeperRun;

TEST_F(KeeperTest, TheStatusIsPassedOn) {
  EXPECT_EQ(run({"true"}), 0);
  EXPECT_TRUE(is_free());
}

TEST_F(KeeperTest, AnotherStatusIsPassedOn) { EXPECT_EQ(run_shell("exit 7"), 7); }

TEST_F(KeeperTest, ADeathBySignalNIs128PlusN) { EXPECT_EQ(run_shell("kill -9 $$"), 137); }

TEST_F(KeeperTest, WordsAndEnvironmentArriveAsTheyAre) {
  EXPECT_EQ(run({"sh", "-c", "echo \"$CONCH_LOCK/$CONCH_FENCE/$0/$1/$2\"", "a b", "", "--"}), 0);
  EXPECT_EQ(all_output(), "a lock/17/a b//--\n");
}

TEST_F(KeeperTest, VeryLongWordsArriveToo) {
  std::vector<std::string> words{"sh", "-c", "echo $#", "sh"};
  for (int i = 0; i < 1000; ++i) words.emplace_back(1000, 'x');
  EXPECT_EQ(run(words), 0);
  EXPECT_EQ(all_output(), "1000\n");
}

TEST_F(KeeperTest, WhatCannotBeFoundIs127) {
  EXPECT_EQ(run({"/nowhere/to/be/found"}), 127);
  EXPECT_TRUE(is_free());
}

TEST_F(KeeperTest, WhatIsNotInThePathIs127) { EXPECT_EQ(run({"nowhere-to-be-found"}), 127); }

TEST_F(KeeperTest, WhatCannotBeExecutedIs126) {
  std::ofstream(scratch.path() + "/file") << "something";
  EXPECT_EQ(run({scratch.path() + "/file"}), 126);
}

TEST_F(KeeperTest, ADirectoryIs126) { EXPECT_EQ(run({scratch.path()}), 126); }

TEST_F(KeeperTest, NothingOfOursIsInherited) {
  start({"sh", "-c", "for f in /proc/self/fd/*; do echo ${f##*/}; done"}, patience, [] {
    ::close_range(3, lost_at - 1, 0);
    ::close_range(lost_at + 1, ~0U, 0);
  });
  EXPECT_EQ(await_status(), 0);
  EXPECT_EQ(all_output(), "0\n1\n2\n3\n") << "3 is the folder that is listed";
}

TEST_F(KeeperTest, WhatTheUserPassedOnIsInherited) {
  start({"sh", "-c", "test -e /proc/self/fd/9"}, patience, [] { ::dup2(1, 9); });
  EXPECT_EQ(await_status(), 0);
}

TEST_F(KeeperTest, NoSignalIsBlockedAndThoseIgnoredStaySo) {
  start({"grep", "Sig[BI]", "/proc/self/status"}, patience, [] { std::signal(SIGHUP, SIG_IGN); });
  EXPECT_EQ(await_status(), 0);
  EXPECT_EQ(all_output(), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\n");
}

TEST_F(KeeperTest, AnIgnoredSigchldDoesNotLoseTheStatus) {
  start({"sh", "-c", "exit 7"}, patience, [] { std::signal(SIGCHLD, SIG_IGN); });
  EXPECT_EQ(await_status(), 7);
}

TEST_F(KeeperTest, SignalsAreForwarded) {
  start_shell(
      "for s in TERM INT HUP QUIT USR1 USR2; do trap \"echo $s\" $s; done;"
      "trap 'exit 42' CONT; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(await_output("ready\n"));
  const std::vector<std::pair<int, std::string>> signals{{SIGTERM, "TERM"}, {SIGINT, "INT"},
                                                         {SIGHUP, "HUP"},   {SIGQUIT, "QUIT"},
                                                         {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}};
  for (const auto& [signal, name] : signals) {
    ::kill(program, signal);
    EXPECT_TRUE(await_output(name + "\n"));
  }
  EXPECT_FALSE(is_free());
  for (const cli::Descendant& one : cli::descendants_of(::getpid()))
    if (one.name == "sh") ::kill(one.process, SIGCONT);
  EXPECT_EQ(await_status(), 42);
}

TEST_F(KeeperTest, ACommandThatDiesOfAForwardedSignalSaysSo) {
  start_shell("echo ready; exec sleep 1000");
  ASSERT_TRUE(await_output("ready"));
  ::kill(program, SIGTERM);
  EXPECT_EQ(await_status(), 128 + SIGTERM);
}

TEST_F(KeeperTest, ProcessesLeftBehindGoOnWithoutTheLock) {
  EXPECT_EQ(run_shell("sleep 1000 >/dev/null & exit 3"), 3);
  EXPECT_TRUE(is_free());
  EXPECT_TRUE(await([&] { return count("sleep") == 1; }));  // sh first, until exec
  cli::kill_descendants();
}

// Kills.

/// A process with children, orphans, and a child with a session of its own.
const std::string family =
    "sleep 1000 & (sleep 1000 & sleep 1000 &) & setsid sh -c 'sleep 1000 & sleep 1000' & "
    "trap '' TERM INT; sleep 0.1; echo ready; sleep 1000; sleep 1000";
constexpr std::size_t sleepers = 6;

TEST_F(KeeperTest, WhenConchIsKilledTheLockIsFreeOnlyWhenTheCommandIsGone) {
  start_shell(family);
  ASSERT_TRUE(await_output("ready"));
  ASSERT_TRUE(await([&] { return count("sleep") == sleepers; }));
  EXPECT_FALSE(is_free());
  ::kill(program, SIGKILL);
  ASSERT_TRUE(await_free());
  EXPECT_EQ(count("sleep"), 0u);
  EXPECT_EQ(count("sh"), 0u);
  EXPECT_EQ(await_status(), -1);
  EXPECT_TRUE(await([] { return living().empty(); }));
}

TEST_F(KeeperTest, WhenTheGroupIsKilledTheLockIsFreeOnlyWhenTheCommandIsGone) {
  start({"sh", "-c", family}, patience, [] { ::setpgid(0, 0); });
  ASSERT_TRUE(await_output("ready"));
  ::kill(-program, SIGKILL);
  ASSERT_TRUE(await_free());
  EXPECT_EQ(count("sleep"), 0u);
  EXPECT_TRUE(await([] { return living().empty(); }));
}

TEST_F(KeeperTest, WhenConchIsKilledBeforeItHasStartedAnythingNothingIsLeft) {
  start({"sleep", "1000"});
  ::usleep(500);
  ::kill(program, SIGKILL);
  await_status();
  EXPECT_TRUE(await([] { return living().empty(); }));
}

TEST_F(KeeperTest, WhenConchIsKilledAtAnyTimeNothingIsLeft) {
  for (int delay_us = 0; delay_us < 20'000; delay_us += 500) {
    start({"sh", "-c", "sleep 1000 & sleep 1000"});
    output = {};
    ::usleep(static_cast<useconds_t>(delay_us));
    ::kill(program, SIGKILL);
    await_status();
    ASSERT_TRUE(await([] { return living().empty(); })) << "after " << delay_us << " us";
  }
}

TEST_F(KeeperTest, AFamilyThatGrowsWhileItIsKilledIsKilled) {
  start_shell("f() { while :; do sleep 1000 & sleep 0.001; done; }; f & f & f & echo ready; f");
  ASSERT_TRUE(await_output("ready"));
  ::kill(program, SIGKILL);
  EXPECT_TRUE(await_free());
  EXPECT_EQ(count("sleep"), 0u);
  EXPECT_TRUE(await([] { return living().empty(); }));
}

TEST_F(KeeperTest, WhenTheKeeperIsKilledTheCommandIsAndWeSaySo) {
  start_shell(family);
  ASSERT_TRUE(await_output("ready"));
  ASSERT_GT(keeper(), 0);
  ::kill(keeper(), SIGKILL);
  EXPECT_EQ(await_status(), 70);
  EXPECT_EQ(living(), std::vector<std::string>{});
}

TEST_F(KeeperTest, WhenTheKeeperIsKilledTheLockIsKeptUntilTheCommandIsGone) {
  start_shell(family);
  ASSERT_TRUE(await_output("ready"));
  ::kill(keeper(), SIGKILL);
  ASSERT_TRUE(await_free());
  EXPECT_EQ(count("sleep"), 0u);
  EXPECT_EQ(await_status(), 70);
}

// Lost.

TEST_F(KeeperTest, WhenTheLockIsLostTheCommandIsAskedToEnd) {
  start_shell("trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(await_output("ready"));
  lose_the_lock();
  EXPECT_EQ(await_status(), 76);
  EXPECT_TRUE(await_output("asked"));
}

TEST_F(KeeperTest, WhoDoesNotEndWhenTheLockIsLostIsKilledAfterTheGrace) {
  start_shell(family, 200ms);
  ASSERT_TRUE(await_output("ready"));
  auto then = Clock::now();
  lose_the_lock();
  EXPECT_EQ(await_status(), 76);
  EXPECT_GE(Clock::now() - then, 200ms);
  EXPECT_LT(Clock::now() - then, 10s);
  EXPECT_EQ(living(), std::vector<std::string>{});
}

TEST_F(KeeperTest, WhatACommandLeavesBehindWhenTheLockIsLostIsKilledAtOnce) {
  start_shell("sleep 1000 & echo ready; sleep 1000");
  ASSERT_TRUE(await_output("ready"));
  lose_the_lock();
  EXPECT_EQ(await_status(), 76);
  EXPECT_EQ(living(), std::vector<std::string>{});
}

TEST_F(KeeperTest, AStoppedCommandHearsThatTheLockIsLost) {
  start_shell("echo ready; kill -STOP $$; sleep 1000");
  ASSERT_TRUE(await_output("ready"));
  lose_the_lock();
  EXPECT_EQ(await_status(), 76);
}

TEST_F(KeeperTest, AStoppedKeeperDoesNotSaveWhoLostTheLock) {
  start_shell(family, 100ms);
  ASSERT_TRUE(await_output("ready"));
  ::kill(keeper(), SIGSTOP);
  lose_the_lock();
  EXPECT_EQ(await_status(), 76);
  EXPECT_EQ(living(), std::vector<std::string>{});
}

// The lease.

TEST_F(KeeperTest, WhatIgnoresTermIsGoneBeforeALeaseThatIsNotRenewedEnds) {
  start({"sh", "-c", family}, patience, [] { ::setenv("LEASE_MS", "1500", 1); });
  ASSERT_TRUE(await_output("ready"));
  auto then = Clock::now();
  ASSERT_TRUE(await_free());
  EXPECT_LT(Clock::now() - then, 1500ms) << "though the grace is longer";
  EXPECT_EQ(count("sleep"), 0u);
  EXPECT_EQ(await_status(), 76);
}

TEST_F(KeeperTest, ACommandIsAskedToEndWhenAThirdOfTheLeaseIsLeft) {
  start({"sh", "-c", "trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 0.01; done"},
        patience, [] { ::setenv("LEASE_MS", "900", 1); });
  auto then = Clock::now();
  EXPECT_TRUE(await_output("asked"));
  EXPECT_GE(Clock::now() - then, 500ms);
  EXPECT_EQ(await_status(), 76);
}

TEST_F(KeeperTest, ItRunsOnWhileTheLeaseIsRenewed) {
  start({"sh", "-c", "echo ready; sleep 0.9; exit 7"}, patience, [] {
    ::setenv("LEASE_MS", "600", 1);
    ::setenv("RENEWALS", "20", 1);
  });
  EXPECT_EQ(await_status(), 7);
}

TEST_F(KeeperTest, TheCommandOfAStoppedConchIsEndedWithinTheLease) {
  start({"sh", "-c", family}, patience, [] {
    ::setenv("LEASE_MS", "1500", 1);
    ::setenv("RENEWALS", "1000", 1);
  });
  ASSERT_TRUE(await_output("ready"));
  ::kill(program, SIGSTOP);
  EXPECT_TRUE(await([&] { return count("sleep") == 0 && count("sh") == 0; }));
  ::kill(program, SIGCONT);
  EXPECT_EQ(await_status(), 76);
}

TEST_F(KeeperTest, WhatEndsBeforeTheLeaseWhileConchIsStoppedKeepsItsStatus) {
  start({"sh", "-c", "echo ready; sleep 0.2; exit 7"}, patience,
        [] { ::setenv("LEASE_MS", "5000", 1); });
  ASSERT_TRUE(await_output("ready"));
  ::kill(program, SIGSTOP);
  EXPECT_TRUE(await([&] { return count("sh") == 0 && count("sleep") == 0; }));
  ::kill(program, SIGCONT);
  EXPECT_EQ(await_status(), 7);
}

TEST_F(KeeperTest, NothingIsStartedWhenTheLeaseIsOver) {
  start({"sh", "-c", "echo no"}, patience, [] {
    ::setenv("LEASE_MS", "1", 1);
    ::setenv("EXPIRED", "1", 1);
  });
  EXPECT_EQ(await_status(), 76);
  EXPECT_EQ(all_output(), "");
}

TEST_F(KeeperTest, ALockThatWasLostBeforeTheCommandBegan) {
  lose_the_lock();
  EXPECT_EQ(run({"sleep", "1000"}), 76);
}

}  // namespace conch::keeper_test
