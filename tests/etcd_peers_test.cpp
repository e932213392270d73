// Tests peers whose register is an etcd cluster, from a shell.
#include "group_shell.hpp"
#include "register/testing/etcd_cluster.hpp"

namespace conch::etcd_peers_test {

class EtcdPeersTest : public GroupShell {
 protected:
  void SetUp() override {
    if (std::string why = why_no_etcd(); !why.empty()) GTEST_SKIP() << why;
    cluster.emplace();
  }

  Words with_register(Words more = {}) const {
    Words words{"--register", cluster->url()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// A peer that peers of other machines can reach.
  Process& distant_peer() { return ready_peer(with_register({"--listen", "127.0.0.1:0"})); }

  std::optional<EtcdCluster> cluster;
};

TEST_F(EtcdPeersTest, WhenAHolderIsKilledTheNextOneEnters) {
  Process& one = ready_peer(with_register({"--lease", "4s", "--listen", "127.0.0.1:0"}));
  Process& holder = holder_of("deploy");
  Elsewhere there(path("elsewhere"));
  Process& two = distant_peer();
  EXPECT_EQ(status()["members"].size(), 2u);
  Process& waiter = waiter_for("deploy");
  one.send(SIGKILL);
  expect_in(waiter);
  EXPECT_GT(fence_in(waiter), fence_in(holder));
  EXPECT_TRUE(await([] { return status()["members"].size() == 1u; }));
  expect_end(waiter);
  leave(two);
}

TEST_F(EtcdPeersTest, ADeathOnThisMachineIsKnownBeforeItsLeaseEnds) {
  Process& one = ready_peer(with_register({"--lease", "10m"}));
  Process& holder = holder_of("deploy");
  Process& two = ready_peer(with_register());
  EXPECT_EQ(status()["members"].size(), 2u);
  one.send(SIGKILL);
  Process& next = hold({"deploy"});
  expect_in(next);
  EXPECT_GT(fence_in(next), fence_in(holder));
  expect_end(next);
  leave(two);
}

TEST_F(EtcdPeersTest, AMemberIsEvictedAndALockIsForcedOpen) {
  Process& one = ready_peer(with_register({"--lease", "4s", "--listen", "127.0.0.1:0"}));
  Process& holder = holder_of("deploy");
  json before = status();
  std::string first = before["members"][0]["id"];
  Elsewhere there(path("elsewhere"));
  Process& two = distant_peer();
  Outcome forced = run({"unlock", "--force", "deploy", "--yes"});
  EXPECT_EQ(forced.status, 0) << forced.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  Outcome evicted = run({"evict", first});
  EXPECT_EQ(evicted.status, 0) << evicted.out;
  EXPECT_TRUE(one.await_output("is in the group again")) << one.output();
  EXPECT_TRUE(await([] { return status()["members"].size() == 2u; }));
  leave(two);
  leave(one);
}

TEST_F(EtcdPeersTest, WhoEvictsWhileEtcdIsAwayIsToldThatTheMemberIsStillThere) {
  Process& one = ready_peer(with_register({"--lease", "60s"}));
  ready_peer(with_register());
  std::string id = member_of(status(), one.id())["id"];
  cluster->kill(0);
  Outcome evicted = run({"evict", id});
  EXPECT_EQ(evicted.status, 1) << evicted.out;
  EXPECT_TRUE(evicted.says(id + " is still a member after 10 s")) << evicted.out;
}

TEST_F(EtcdPeersTest, WhileEtcdIsAwayLocksMoveUntilLeasesEndAndThenTheGroupGoesOn) {
  Process& one = ready_peer(with_register({"--lease", "8s"}));
  Process& two = ready_peer(with_register());
  Process& holder = holder_of("held");
  Process& before = holder_of("moved");
  Process& waiter = waiter_for("moved");
  cluster->kill(0);
  expect_end(before);
  bool moved = waiter.await_output("in ", Milliseconds(4000));
  auto is_out = [](Process& peer) {
    return peer.output().find("was out of contact") != std::string::npos;
  };
  // On a slower machine the lock may not move in time; then a peer is out of touch already.
  EXPECT_TRUE(moved || is_out(one) || is_out(two)) << waiter.output();
  EXPECT_TRUE(one.await_output("no member of the cluster answers")) << one.output();
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  EXPECT_EQ(waiter.await_exit(), 76) << waiter.output();
  EXPECT_TRUE(one.await_output("was out of contact")) << one.output();
  EXPECT_TRUE(two.await_output("was out of contact")) << two.output();

  cluster->start(0);
  EXPECT_TRUE(one.await_output("is in the group again", Milliseconds(60'000))) << one.output();
  EXPECT_TRUE(two.await_output("is in the group again", Milliseconds(60'000))) << two.output();
  Process& next = holder_of("held");
  EXPECT_GT(fence_in(next), fence_in(holder));
  expect_end(next);
  leave(one);
  leave(two);
}

TEST_F(EtcdPeersTest, WhenABackupWasRestoredNobodyGoesOnBeforeThatIsAccepted) {
  Process& one = ready_peer(with_register({"--lease", "2s", "--listen", "127.0.0.1:0"}));
  Process& holder = holder_of("deploy");
  cluster->kill(0);
  cluster->wipe(0);
  cluster->start(0);
  ASSERT_TRUE(cluster->await_health());
  EXPECT_TRUE(one.await_output("was restored from a backup")) << one.output();
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  Elsewhere there(path("elsewhere"));
  Words peer = with_register();
  peer.insert(peer.begin(), "peer");
  Outcome late = run(peer);
  EXPECT_NE(late.status, 0) << late.out;
  EXPECT_TRUE(late.says("was restored from a backup")) << late.out;
  Words doctor = with_register();
  doctor.insert(doctor.begin(), "doctor");
  EXPECT_EQ(run(doctor).status, 1);
  doctor.push_back("--accept-restored");
  Outcome accepted = run(doctor);
  EXPECT_EQ(accepted.status, 0) << accepted.out;
  EXPECT_TRUE(accepted.says("etcd's state is accepted")) << accepted.out;
  EXPECT_TRUE(one.await_output("is in the group again")) << one.output();
  Process& two = distant_peer();
  Process& next = holder_of("deploy");
  EXPECT_GT(fence_in(next), fence_in(holder));
  expect_end(next);
  leave(two);
  leave(one);
}

TEST_F(EtcdPeersTest, WithoutAPeerOfThisMachineALockIsNotObtained) {
  leave(ready_peer(with_register()));
  Outcome outcome = run({"lock", "deploy", "--", "true"});
  EXPECT_EQ(outcome.status, 69) << outcome.out;
  EXPECT_TRUE(outcome.says("--register " + cluster->url())) << outcome.out;
}

TEST_F(EtcdPeersTest, WhatDoesNotGoTogetherIsRefused) {
  auto refusal = [&](Words more) {
    Words words = with_register(std::move(more));
    words.insert(words.begin(), "peer");
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    return outcome.out;
  };
  EXPECT_NE(refusal({"--join", "127.0.0.1:1"}).find("leave out --join"), std::string::npos);
  EXPECT_NE(refusal({"--persist"}).find("leave out --persist"), std::string::npos);
  EXPECT_NE(refusal({"--register-user", "u"}).find("both or neither"), std::string::npos);
  EXPECT_NE(refusal({"--algorithm", "sigma"}).find("leave out --register"), std::string::npos);
  Outcome nonsense = run({"peer", "--register", "127.0.0.1:2379"});
  EXPECT_TRUE(nonsense.says("write http://host:2379")) << nonsense.out;
  leave(ready_peer());
  EXPECT_NE(refusal({}).find("has a register on this machine"), std::string::npos);
}

}  // namespace conch::etcd_peers_test
