// Tests conch status, evict and unlock, which inspect a group and override it.
#include <algorithm>

#include "group_shell.hpp"

namespace conch::group_commands_test {

class GroupCommandsTest : public GroupShell {};

TEST_F(GroupCommandsTest, TheStatusHasHoldersAndWaiters) {
  Process& peer = ready_peer({"--cluster", "kitchen"});
  Process& holder = holder_of("deploy");
  Process& waiter = waiter_for("deploy");
  json now = status();
  json member = member_of(now, peer.id());
  EXPECT_EQ(now["group"], "default");
  EXPECT_EQ(now["algorithm"], "naimi-trehel");
  EXPECT_EQ(now["asked"], member["id"]);
  EXPECT_EQ(member["cluster"], "kitchen");
  EXPECT_GT(member["lease_s"], 0);
  ASSERT_EQ(now["locks"].size(), 1u);
  json lock = now["locks"][0];
  EXPECT_EQ(lock["lock"], "deploy");
  EXPECT_EQ(lock["fence"], std::to_string(fence_in(holder)));
  EXPECT_EQ(lock["token"], member["id"]);
  ASSERT_EQ(lock["holders"].size(), 1u);
  EXPECT_EQ(lock["holders"][0]["member"], member["id"]);
  EXPECT_EQ(lock["holders"][0]["in_line"], 1);
  EXPECT_GT(lock["holders"][0]["since_s"], 0);

  Outcome text = run({"status"});
  std::string id = member["id"];
  EXPECT_TRUE(text.says("group default: naimi-trehel, epoch " +
                        std::to_string(fence_in(holder) >> 32) + ", view 1, 1 member\n"))
      << text.out;
  EXPECT_TRUE(text.says(id + " *")) << text.out;
  EXPECT_TRUE(text.says("deploy: held by " + id)) << text.out;
  EXPECT_TRUE(text.says("+1 queued there, fence " + std::to_string(fence_in(holder)))) << text.out;
  expect_end(holder);
  expect_in(waiter);
  expect_end(waiter);
  EXPECT_TRUE(run({"status"}).says("deploy: free, token at " + id));
}

TEST_F(GroupCommandsTest, AGroupHasOneEpsAndEveryMemberALabel) {
  Process& first = ready_peer({"--algorithm", "preempt-aggregation", "--eps", "1"});
  Process& second = ready_peer({"--cluster", "west/3"});
  json now = status();
  EXPECT_EQ(now["algorithm"], "preempt-aggregation");
  EXPECT_EQ(now["eps"], 1);
  EXPECT_EQ(member_of(now, second.id())["cluster"], "west/3");
  EXPECT_NE(member_of(now, first.id())["cluster"], "") << "the host's name";
  EXPECT_TRUE(run({"status"}).says("preempt-aggregation, eps 1")) << run({"status"}).out;
  Process& other = peer({"--eps", "3"});
  EXPECT_NE(other.await_exit(), 0);
  EXPECT_TRUE(other.await_output("the group runs with eps 1")) << other.output();
  EXPECT_EQ(run({"lock", "deploy", "--", "true"}).status, 0);
}

TEST_F(GroupCommandsTest, LabelsAndEpsThatMakeNoSense) {
  auto complaint = [&](Words words) {
    Process& process = peer(std::move(words));
    EXPECT_NE(process.await_exit(), 0);
    return process.output();
  };
  EXPECT_NE(complaint({"--cluster", "a//b"}).find("is not a cluster label"), std::string::npos);
  EXPECT_NE(complaint({"--eps", "2"}).find("naimi-trehel has no eps"), std::string::npos);
  EXPECT_NE(complaint({"--cluster", "auto"}).find("makes no use of distances"), std::string::npos);
}

TEST_F(GroupCommandsTest, PeersThatMeasureFindOutThatTheyAreNear) {
  ready_peer({"--algorithm", "preempt-aggregation", "--cluster", "auto"});
  for (int i = 0; i < 2; ++i) ready_peer({"--cluster", "auto"});
  EXPECT_TRUE(await([&] {
    json members = status()["members"];
    return std::all_of(members.begin(), members.end(),
                       [](const json& member) { return member["cluster"] == "near"; });
  })) << status();
  EXPECT_EQ(run({"lock", "deploy", "--", "true"}).status, 0);
}

TEST_F(GroupCommandsTest, AMemberThatWaitsIsAWaiter) {
  Process& holder = holder_of("deploy");  // each is a peer of its own
  Process& waiter = hold({"deploy"});
  ASSERT_TRUE(await([] { return waiting_for("deploy") == 1; })) << waiter.output();
  json now = status();
  EXPECT_EQ(now["members"].size(), 2u);
  json lock = now["locks"][0];
  ASSERT_EQ(lock["waiters"].size(), 1u);
  EXPECT_EQ(lock["waiters"][0]["member"], member_of(now, waiter.id())["id"]);
  EXPECT_EQ(lock["holders"][0]["member"], member_of(now, holder.id())["id"]);
  EXPECT_TRUE(
      run({"status"}).says("  waiting: " + lock["waiters"][0]["member"].get<std::string>()));
  expect_end(holder);
  expect_in(waiter);
  expect_end(waiter);
}

TEST_F(GroupCommandsTest, ThoseWhoAskAtOnceShareWhatIsAskedOfTheMembers) {
  Process& asked = ready_peer({"--lease", "60s", "--listen", "127.0.0.1:0"});
  Elsewhere there(path("elsewhere"));
  Process& silent = ready_peer({"--join", address_of(asked), "--listen", "127.0.0.1:0"});
  auto received = [&] { return member_of(status(), silent.id())["messages_received"].get<int>(); };
  int before = received();
  silent.send(SIGSTOP);
  {
    Elsewhere here(path("state"));
    std::vector<Process*> crowd;
    for (int i = 0; i < 30; ++i) crowd.push_back(&conch({"status"}));
    for (Process* one : crowd) {
      EXPECT_EQ(one->await_exit(), 0) << one->output();
      EXPECT_NE(one->output().find("no answer"), std::string::npos) << one->output();
    }
  }
  silent.send(SIGCONT);
  EXPECT_LT(received() - before, 30) << "each has two questions";
}

TEST_F(GroupCommandsTest, ReadersHoldTogether) {
  ready_peer({"--algorithm", "elmp"});
  std::vector<Process*> readers{&hold({"deploy", "--shared"}), &hold({"deploy", "--shared"})};
  for (Process* reader : readers) expect_in(*reader);
  EXPECT_EQ(status()["locks"][0]["holders"][0]["shared"], true);
  for (Process* reader : readers) expect_end(*reader);
}

TEST_F(GroupCommandsTest, AnEvictedHolderIsToldAndTheNextGetsTheLock) {
  found("1s");
  std::vector<Process*> peers{&ready_peer(), &ready_peer()};
  Process& holder = holder_of("deploy");
  Process* host = host_of_the_holder(peers);
  ASSERT_TRUE(host);
  Process& waiter = waiter_for("deploy");
  std::string id = member_of(status(), host->id())["id"];
  Outcome evicted = run({"evict", id.substr(0, 12)});
  EXPECT_EQ(evicted.status, 0) << evicted.out;
  EXPECT_TRUE(evicted.says(id + " is out.")) << evicted.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_in(waiter);
  EXPECT_TRUE(host->await_output("is in the group again")) << host->output();
}

TEST_F(GroupCommandsTest, WhoIsEvictedFromALockOfItsOwnIsTold) {
  found("1s");
  Process& holder = holder_of("deploy");  // each is a peer of its own
  Process& waiter = waiter_for("deploy");
  std::string id = member_of(status(), holder.id())["id"];
  Outcome evicted = run({"evict", id});
  EXPECT_EQ(evicted.status, 0) << evicted.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_in(waiter);
  EXPECT_GT(fence_in(waiter), fence_in(holder));
  expect_end(waiter);
}

TEST_F(GroupCommandsTest, AForcedLockIsTakenFromItsHolderAndGivenToTheNext) {
  ready_peer();
  Process& holder = holder_of("deploy");
  Process& bystander = holder_of("other");
  Process& waiter = waiter_for("deploy");
  for (const Words& words : {Words{"unlock", "deploy"}, Words{"unlock", "--force", "deploy"},
                             Words{"unlock", "deploy", "--yes"}}) {
    Outcome refused = run(words);
    EXPECT_EQ(refused.status, 1) << refused.out;
    EXPECT_TRUE(refused.says("if you are sure: conch unlock --force deploy --yes")) << refused.out;
  }
  EXPECT_EQ(holder.await_exit(Milliseconds(0)), still_running) << holder.output();
  Outcome forced = run({"unlock", "--force", "deploy", "--yes"});
  EXPECT_EQ(forced.status, 0) << forced.out;
  EXPECT_TRUE(forced.says("deploy was held by ")) << forced.out;
  EXPECT_TRUE(forced.says("(pid " + std::to_string(holder.id()) + ", sh -c")) << forced.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_in(waiter);
  EXPECT_GT(fence_in(waiter), fence_in(holder));
  expect_end(waiter);
  expect_end(bystander);
}

TEST_F(GroupCommandsTest, AForcedLockIsTakenFromAPeerOfItsOwn) {
  Process& holder = holder_of("deploy");
  Process& waiter = waiter_for("deploy");
  Outcome forced = run({"unlock", "--force", "deploy", "--yes"});
  EXPECT_EQ(forced.status, 0) << forced.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  expect_in(waiter);
  EXPECT_GT(fence_in(waiter), fence_in(holder));
  expect_end(waiter);
  expect_nothing_left();
}

TEST_F(GroupCommandsTest, ALockThatNeverWasIsNotForced) {
  ready_peer();
  auto epoch = status()["epoch"];
  Outcome forced = run({"unlock", "--force", "nobody", "--yes"});
  EXPECT_EQ(forced.status, 1) << forced.out;
  EXPECT_TRUE(forced.says("there is no lock nobody in the group 'default'")) << forced.out;
  EXPECT_EQ(status()["epoch"], epoch);
  EXPECT_EQ(run({"lock", "nobody", "--timeout", "10s", "--", "true"}).status, 0);
  Outcome free = run({"unlock", "--force", "nobody", "--yes"});
  EXPECT_EQ(free.status, 0) << free.out;
  EXPECT_TRUE(free.says("nobody was free")) << free.out;
}

TEST_F(GroupCommandsTest, WhatMakesNoSenseIsExplained) {
  struct Case {
    Words words;
    std::string answer;
    int status = 1;
  };
  ready_peer();
  for (const auto& [words, answer, expected] : std::vector<Case>{
           {{"status", "--group", "nobody"}, "no peer of the group 'nobody' runs on this machine"},
           {{"unlock", "--group", "nobody", "--force", "a", "--yes"}, "no peer of the group"},
           {{"evict", "ffff", "--group", "nobody"}, "no peer of the group 'nobody'"},
           {{"status", "--group", "../up"}, "is not a group name"},
           {{"peer", "--group", ".hidden"}, "is not a group name"},
           {{"evict", "xyz"}, "there is no member whose id begins with 'xyz'"},
           {{"evict", ""}, "a peer cannot evict itself"},
           {{"unlock"}, "LOCK is required"},
           {{"unlock", "--force", "a\nb", "--yes"}, "cannot be the name of a lock"},
           {{"peer", "--lease", "soon"}, "--lease: \"soon\" is not a duration"},
           {{"peer", "--lease", "0s"}, "--lease"},
           {{"peer", "--algorithm", "nonsense"}, "nonsense"},
           {{"peer", "--algorithm", "central"}, "runs naimi-trehel"},
           {{"peer", "--algorithm", "maekawa-textbook"}, "specimen"},
           {{"peer", "--listen", "nowhere"}, "\"nowhere\" is not an address; use host:port"},
           {{"peer", "--tls-cert", "/nowhere.pem"}, "TLS needs all three"},
           {{"peer", "--frobnicate"}, "see conch peer --help"},
           {{"lock", "a", "--shared", "--", "true"}, "has no shared locks"},
           {{"lock", "a\tb", "--", "true"}, "cannot be the name of a lock"},
       }) {
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, expected) << testing::PrintToString(words) << outcome.out;
    EXPECT_TRUE(outcome.says(answer)) << testing::PrintToString(words) << outcome.out;
    EXPECT_LT(outcome.took, Milliseconds(5000)) << testing::PrintToString(words) << outcome.out;
  }
}

}  // namespace conch::group_commands_test
