// Tests that no command runs under a lock beside that of a former holder, if a process is killed,
// stopped or evicted.
#include "group_shell.hpp"

namespace conch::lock_overlap_test {

/// Runs a command that ends only when it is killed, and a second one, which reports whether it is
/// alone. The kernel releases the file lock when the last process of a command is dead.
class LockOverlapTest : public GroupShell {
 protected:
  Process& stubborn(Words words) {
    Process& holder = lock(std::move(words),
                           "trap '' TERM; exec 9>>$SCRATCH/inside; flock -n 9; "
                           "echo in $CONCH_FENCE; while :; do sleep 0.05; done");
    expect_in(holder);
    return holder;
  }
  Process& follower() {
    return lock({"deploy"}, "exec 9>>$SCRATCH/inside; flock -n 9 && echo in $CONCH_FENCE alone");
  }
  Process& waiting_follower() {
    Process& next = follower();
    EXPECT_TRUE(await([&] { return waiting_for("deploy") == 1; })) << next.output();
    return next;
  }
  /// Two peers; the tests stop or evict the one whose client is the holder.
  std::vector<Process*> two_peers(const std::string& lease) {
    return {&ready_peer({"--lease", lease}), &ready_peer()};
  }
  static void expect_alone(Process& next) {
    EXPECT_EQ(next.await_exit(), 0) << next.output();
    EXPECT_TRUE(next.output().ends_with("alone\n")) << next.output();
  }
};

TEST_F(LockOverlapTest, WhenTheHostIsKilledTheNextEntersWhenTheCommandIsGone) {
  Process& peer = ready_peer({"--lease", "2s"});
  Process& holder = stubborn({"deploy", "--grace", "20s"});
  Process& next = waiting_follower();
  Stopwatch watch;
  peer.send(SIGKILL);
  expect_alone(next);
  EXPECT_LT(watch.elapsed(), Milliseconds(10'000)) << "the grace is longer than that";
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_nothing_left();
}

TEST_F(LockOverlapTest, WhenTheHostIsKilledTheNextDoesNotWaitLongerThanTheCommandRuns) {
  Process& peer = ready_peer({"--lease", "60s"});
  Process& holder = holder_of("deploy");
  Process& next = waiting_follower();
  Stopwatch watch;
  peer.send(SIGKILL);
  expect_alone(next);
  EXPECT_LT(watch.elapsed(), Milliseconds(10'000));
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
}

TEST_F(LockOverlapTest, WhenTheHostLeavesItWaitsForTheCommand) {
  Process& peer = ready_peer({"--lease", "2s"});
  Process& holder = stubborn({"deploy", "--grace", "300ms"});
  Process& next = waiting_follower();
  leave(peer);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_alone(next);
  expect_nothing_left();
}

TEST_F(LockOverlapTest, WhenTheHostIsStoppedTheCommandIsGoneBeforeTheNextEnters) {
  std::vector<Process*> peers{&ready_peer({"--lease", "1s"}), &ready_peer()};
  Process& holder = stubborn({"deploy", "--grace", "20s"});
  Process* host = host_of_the_holder(peers);
  ASSERT_TRUE(host);
  host->send(SIGSTOP);
  expect_alone(follower());
  EXPECT_EQ(holder.await_exit(), 76) << "also while the host is stopped: " << holder.output();
  host->send(SIGCONT);
  for (Process* peer : peers) leave(*peer);
  expect_nothing_left();
}

TEST_F(LockOverlapTest, AClientStoppedBehindAHealthyPeerLosesNothing) {
  Process& peer = ready_peer({"--lease", "500ms"});
  Process& holder = lock({"deploy"}, "echo in 1; read word; exit 7");
  expect_in(holder, patience);
  holder.send(SIGSTOP);
  Outcome late = run({"lock", "deploy", "--timeout", "2s", "--", "true"});
  EXPECT_EQ(late.status, 75) << "four leases later: " << late.out;
  holder.send(SIGCONT);
  holder.say("go\n");
  EXPECT_EQ(holder.await_exit(), 7) << holder.output();
  leave(peer);
}

// Eviction and forced unlocking.

TEST_F(LockOverlapTest, WhenTheHostIsEvictedTheNextEntersWhenTheCommandIsGone) {
  std::vector<Process*> peers = two_peers("60s");
  Process& holder = stubborn({"deploy", "--grace", "500ms"});
  Process* host = host_of_the_holder(peers);
  ASSERT_TRUE(host);
  Process& next = waiting_follower();
  Outcome evicted = run({"evict", member_of(status(), host->id())["id"]});
  EXPECT_EQ(evicted.status, 0) << evicted.out;
  expect_alone(next);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
}

TEST_F(LockOverlapTest, WhenAPeerOfItsOwnIsEvictedTheNextEntersWhenTheCommandIsGone) {
  found("60s");
  Process& holder = stubborn({"deploy", "--grace", "500ms"});
  Process& next = waiting_follower();
  Outcome evicted = run({"evict", member_of(status(), holder.id())["id"]});
  EXPECT_EQ(evicted.status, 0) << evicted.out;
  expect_alone(next);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
}

TEST_F(LockOverlapTest, AForcedLockIsOpenWhenTheCommandIsGone) {
  Process& peer = ready_peer({"--lease", "2s"});
  Process& holder = stubborn({"deploy", "--grace", "500ms"});
  Process& next = waiting_follower();
  Outcome forced = run({"unlock", "--force", "deploy", "--yes"});
  EXPECT_EQ(forced.status, 0) << forced.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_alone(next);
  leave(peer);
}

TEST_F(LockOverlapTest, AForcedLockOfAPeerOfItsOwnIsOpenWhenTheCommandIsGone) {
  found("2s");
  Process& holder = stubborn({"deploy", "--grace", "500ms"});
  Process& next = waiting_follower();
  Outcome forced = run({"unlock", "--force", "deploy", "--yes"});
  EXPECT_EQ(forced.status, 0) << forced.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_alone(next);
}

TEST_F(LockOverlapTest, WhoForcesNowDoesNotWaitForTheCommand) {
  ready_peer({"--lease", "60s"});
  Process& holder = stubborn({"deploy", "--grace", "15s"});
  Process& next = waiter_for("deploy");
  Outcome forced = run({"unlock", "--force", "deploy", "--yes", "--now"});
  EXPECT_EQ(forced.status, 0) << forced.out;
  expect_in(next, Milliseconds(10'000));
  EXPECT_EQ(holder.await_exit(Milliseconds(0)), still_running) << holder.output();
  expect_end(next);
}

TEST_F(LockOverlapTest, WhoEvictsNowDoesNotWaitForTheCommand) {
  std::vector<Process*> peers = two_peers("60s");
  Process& holder = stubborn({"deploy", "--grace", "15s"});
  Process* host = host_of_the_holder(peers);
  ASSERT_TRUE(host);
  Process& next = waiter_for("deploy");
  Outcome evicted = run({"evict", "--now", member_of(status(), host->id())["id"]});
  EXPECT_EQ(evicted.status, 0) << evicted.out;
  expect_in(next, Milliseconds(10'000));
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_end(next);
}

// The lock delay.

TEST_F(LockOverlapTest, WhoForcesFromAnotherMachineWaitsAsLongAsTheLockDelayOfTheHolderLetsItRun) {
  Process& host = ready_peer({"--lease", "1s", "--listen", "127.0.0.1:0"});
  Process& holder = stubborn({"deploy", "--grace", "4s", "--lock-delay", "10s"});
  Process& next = waiting_follower();
  Elsewhere there(path("elsewhere"));
  ready_peer({"--join", address_of(host), "--listen", "127.0.0.1:0"});
  Stopwatch watch;
  Outcome forced = run({"unlock", "--force", "deploy", "--yes"});
  EXPECT_EQ(forced.status, 0) << forced.out;
  EXPECT_GE(watch.elapsed(), Milliseconds(4000)) << "the command has its grace";
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_alone(next);
}

TEST_F(LockOverlapTest, ALockDelayIsWaitedForAfterTheLeaseOfOneThatIsStopped) {
  found("500ms");
  Process& holder = stubborn({"deploy", "--grace", "1s", "--lock-delay", "2s"});
  holder.send(SIGSTOP);
  Stopwatch watch;
  expect_alone(follower());
  EXPECT_GE(watch.elapsed(), Milliseconds(2000));
  holder.send(SIGCONT);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
}

TEST_F(LockOverlapTest, ALockDelayIsNotWaitedForIfTheHolderIsKnownToBeDead) {
  Process& holder = stubborn({"deploy", "--lock-delay", "1h"});
  holder.send(SIGKILL);
  expect_alone(follower());
}

TEST_F(LockOverlapTest, ALockDelayReachesTheRegisterThroughAPeer) {
  std::vector<Process*> peers = two_peers("500ms");
  Process& holder = stubborn({"deploy", "--grace", "1s", "--lock-delay", "2s"});
  Process* host = host_of_the_holder(peers);
  ASSERT_TRUE(host);
  host->send(SIGSTOP);
  Stopwatch watch;
  expect_alone(follower());
  EXPECT_GE(watch.elapsed(), Milliseconds(2000));
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  host->send(SIGCONT);
}

}  // namespace conch::lock_overlap_test
