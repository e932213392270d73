// Tests `conch lock` beside a running `conch peer`: it is a client of that peer, not a member of
// the group.
#include <set>

#include "group_shell.hpp"

namespace conch::lock_hosted_test {

class LockHostedTest : public GroupShell {};

/// The parameter is the number of peers.
class LockCrowdTest : public LockHostedTest, public testing::WithParamInterface<int> {};

TEST_P(LockCrowdTest, TwentyAreClients) {
  std::vector<Process*> peers;
  for (int i = 0; i < GetParam(); ++i) peers.push_back(&ready_peer());
  std::vector<Process*> crowd;
  for (int i = 0; i < 20; ++i)
    crowd.push_back(&lock({"deploy"},
                          "exec 9>>$SCRATCH/inside; flock -n 9 || echo overlap; "
                          "echo $CONCH_FENCE >>$SCRATCH/fences"));
  for (Process* one : crowd) {
    EXPECT_EQ(one->await_exit(), 0) << one->output();
    EXPECT_EQ(one->output(), "");
  }
  std::vector<std::uint64_t> fences = numbers_in("fences");
  EXPECT_TRUE(std::is_sorted(fences.begin(), fences.end())) << testing::PrintToString(fences);
  EXPECT_EQ(std::set(fences.begin(), fences.end()).size(), crowd.size());
  json after = status();
  EXPECT_EQ(after["members"].size(), peers.size());
  EXPECT_EQ(sum(after, "entries"), crowd.size());
  for (Process* peer : peers) leave(*peer);
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Peers, LockCrowdTest, testing::Values(1, 2));

TEST_F(LockHostedTest, AClientCounts) {
  Process& peer = ready_peer();
  EXPECT_EQ(member_of(status(), peer.id())["clients"], 1) << "the one who asks";
  Process& holder = holder_of("deploy");
  json now = status();
  EXPECT_EQ(now["members"].size(), 1u) << "a client is no member";
  EXPECT_EQ(member_of(now, peer.id())["clients"], 2);
  EXPECT_EQ(member_of(now, peer.id())["entries"], 1);
  expect_end(holder);
  leave(peer);
}

TEST_F(LockHostedTest, TheLockOfAKilledClientIsFreeWhenItsCommandIsGone) {
  ready_peer();
  Process& holder =
      lock({"deploy"}, "exec 9>>$SCRATCH/inside; flock -n 9; echo in $CONCH_FENCE; cat");
  expect_in(holder);
  Process& next =
      lock({"deploy"}, "exec 9>>$SCRATCH/inside; flock -n 9 && echo in $CONCH_FENCE alone");
  EXPECT_TRUE(await([&] { return waiting_for("deploy") == 1; }));
  holder.send(SIGKILL);
  EXPECT_EQ(next.await_exit(), 0) << next.output();
  EXPECT_TRUE(next.output().ends_with("alone\n")) << next.output();
}

TEST_F(LockHostedTest, WhenTheHostIsKilledHoldersAreToldAndWaitersGetTheLock) {
  Process& peer = ready_peer();
  Process& holder = holder_of("deploy");
  Process& first = waiter_for("deploy");
  Process& second = waiter_for("deploy");
  peer.send(SIGKILL);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_in(lock({"other"}, "echo in $CONCH_FENCE"));
  ASSERT_TRUE(await([&] {
    return first.output().find("in ") != std::string::npos ||
           second.output().find("in ") != std::string::npos;
  }));
  bool first_is_in = first.output().find("in ") != std::string::npos;
  Process& now = first_is_in ? first : second;
  Process& later = first_is_in ? second : first;
  EXPECT_FALSE(later.await_output("in ", Milliseconds(100))) << "two are in";
  EXPECT_GT(fence_in(now), fence_in(holder));
  expect_end(now);
  expect_in(later);
  expect_end(later);
  expect_nothing_left();
}

TEST_F(LockHostedTest, WhenTheHostLeavesHoldersAreToldAndWaitersGetTheLock) {
  Process& peer = ready_peer();
  Process& holder = holder_of("deploy");
  Process& waiter = waiter_for("deploy");
  leave(peer);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_in(waiter);
  EXPECT_GT(fence_in(waiter), fence_in(holder));
  expect_end(waiter);
  expect_nothing_left();
}

TEST_F(LockHostedTest, ThePeersLockGoesOnWithTheOtherPeer) {
  std::vector<Process*> peers{&ready_peer(), &ready_peer()};
  Process& holder = holder_of("deploy");
  Process* host = host_of_the_holder(peers);
  ASSERT_TRUE(host);
  Process& waiter = waiter_for("deploy");
  host->send(SIGKILL);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_in(waiter);
  EXPECT_GT(fence_in(waiter), fence_in(holder));
  expect_end(waiter);
}

TEST_F(LockHostedTest, WhenTheHostIsStoppedForThreeLeasesItsHolderIsTold) {
  std::vector<Process*> peers{&ready_peer({"--lease", "500ms"}), &ready_peer()};
  Process& holder = holder_of("deploy");
  Process* host = host_of_the_holder(peers);
  ASSERT_TRUE(host);
  Stopwatch stopped;
  host->send(SIGSTOP);
  Process& next = hold({"deploy"});
  expect_in(next);
  EXPECT_GT(fence_in(next), fence_in(holder));
  ::poll(nullptr, 0, static_cast<int>(stopped.left(Milliseconds(1500)).count()));
  host->send(SIGCONT);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_end(next);
  for (Process* peer : peers) leave(*peer);
  expect_nothing_left();
}

TEST_F(LockHostedTest, AStoppedHostDoesNotMakeATimeoutLonger) {
  Process& peer = ready_peer();
  Process& holder = holder_of("deploy");
  Process& waiter = conch({"lock", "deploy", "--timeout", "1s", "--", "true"});
  EXPECT_TRUE(await([&] { return waiting_for("deploy") == 1; }));
  peer.send(SIGSTOP);
  Stopwatch watch;
  EXPECT_EQ(waiter.await_exit(Milliseconds(4000)), 75) << waiter.output();
  std::cout << "a timeout of 1 s took " << watch.elapsed().count() << " ms\n";
  peer.send(SIGCONT);
  expect_end(holder);
  leave(peer);
}

TEST_F(LockHostedTest, ClientsDoNotWaitLongerThanTheyWant) {
  Process& peer = ready_peer();
  Process& holder = holder_of("deploy");
  Outcome late = run({"lock", "deploy", "--timeout", "200ms", "--", "true"});
  EXPECT_EQ(late.status, 75) << late.out;
  EXPECT_LT(late.took, Milliseconds(5000));
  Outcome once = run({"lock", "deploy", "--try", "--", "true"});
  EXPECT_EQ(once.status, 75) << once.out;
  Process& interrupted = waiter_for("deploy");
  interrupted.send(SIGINT);
  EXPECT_EQ(interrupted.await_exit(), 130) << interrupted.output();
  EXPECT_TRUE(await([&] { return waiting_for("deploy") == 0; }));
  expect_end(holder);
  EXPECT_EQ(run({"lock", "deploy", "--try", "--", "true"}).status, 0);
  leave(peer);
  expect_nothing_left();
}

TEST_F(LockHostedTest, WhoJoinsFromElsewhereAsksTheNextIfTheFirstIsGone) {
  Process& here = ready_peer({"--listen", "127.0.0.1:0", "--lease", "1s"});
  Process& gone = ready_peer({"--listen", "127.0.0.1:0"});
  leave(gone);
  Process* there = nullptr;
  Process* holder = nullptr;
  {
    Elsewhere elsewhere(path("elsewhere"));
    there = &ready_peer(
        {"--listen", "127.0.0.1:0", "--join", address_of(gone), "--join", address_of(here)});
    holder = &holder_of("deploy");
  }
  Process& waiter = waiter_for("deploy");
  EXPECT_EQ(status()["members"].size(), 2u);
  there->send(SIGKILL);
  EXPECT_EQ(holder->await_exit(), 76) << holder->output();
  expect_in(waiter);
  EXPECT_GT(fence_in(waiter), fence_in(*holder));
  expect_end(waiter);
  EXPECT_EQ(here.output().find("refused"), std::string::npos) << here.output();
  leave(here);
}

TEST_F(LockHostedTest, ASecondSignalEndsAPeerAtOnce) {
  // The first peer leaves its lock to the second one, which is stopped. So leaving takes a while.
  Process& other = ready_peer();
  Process& peer = ready_peer();
  other.send(SIGSTOP);
  peer.send(SIGTERM);
  ASSERT_TRUE(peer.await_output("leaving the group")) << peer.output();
  Stopwatch watch;
  peer.send(SIGTERM);
  int exit_status = peer.await_exit();
  EXPECT_TRUE(exit_status == 1 || exit_status == 0) << exit_status;
  EXPECT_LT(watch.elapsed(), Milliseconds(3000));
  other.send(SIGCONT);
  leave(other);
}

}  // namespace conch::lock_hosted_test
