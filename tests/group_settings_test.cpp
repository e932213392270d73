// Tests the settings that a group has agreed on, which it keeps while it is empty.
#include "group_shell.hpp"

namespace conch::group_settings_test {

class GroupSettingsTest : public GroupShell {
 protected:
  /// Founds the group with a peer, which then leaves again.
  void leave_behind(Words words) { leave(ready_peer(std::move(words))); }
  json status_with(Words words) {
    Process& peer = ready_peer(std::move(words));
    json now = status();
    leave(peer);
    return now;
  }
};

TEST_F(GroupSettingsTest, AnEmptyGroupRunsWhatItRanBefore) {
  leave_behind({"--algorithm", "elmp"});
  EXPECT_EQ(run({"lock", "deploy", "--shared", "--", "true"}).status, 0) << "elmp shares";
  EXPECT_EQ(status_with({})["algorithm"], "elmp");
}

TEST_F(GroupSettingsTest, AnEmptyGroupTakesAnotherAlgorithmFromWhoInsists) {
  leave_behind({"--algorithm", "elmp"});
  Process& peer = ready_peer({"--algorithm", "central"});
  EXPECT_TRUE(peer.await_output("ran elmp before: it runs central now")) << peer.output();
  EXPECT_EQ(status()["algorithm"], "central");
  Outcome other = run({"peer", "--algorithm", "elmp"});
  EXPECT_EQ(other.status, 1) << other.out;
  EXPECT_TRUE(other.says("the group runs central")) << other.out;
  leave(peer);
  EXPECT_EQ(status_with({})["algorithm"], "central");
}

TEST_F(GroupSettingsTest, AnEmptyGroupKeepsItsEps) {
  leave_behind({"--algorithm", "preempt-aggregation", "--eps", "5"});
  EXPECT_EQ(status_with({})["eps"], 5);
  EXPECT_EQ(status_with({"--eps", "1"})["eps"], 1);
}

TEST_F(GroupSettingsTest, AnEmptyGroupWithoutARegisterKeepsItsAgreement) {
  leave_behind({"--algorithm", "sigma", "--replicas", "3", "--lease", "500ms"});
  EXPECT_EQ(status_with({})["algorithm"], "sigma/pastry/3/500ms");
  EXPECT_EQ(status_with({"--dht", "chord"})["algorithm"], "sigma/chord/3/500ms");
  EXPECT_EQ(status_with({"--algorithm", "central"})["algorithm"], "central");
  EXPECT_EQ(status_with({})["algorithm"], "central");
}

TEST_F(GroupSettingsTest, ALeaseThatIsNotTheGroupsIsSaidToBeIgnored) {
  Process& founder = ready_peer({"--lease", "2s", "--listen", "127.0.0.1:0"});
  std::string ignored = "ignored a lease of 900ms: the group 'default' keeps the 2000ms";
  Process& here = ready_peer({"--lease", "900ms"});
  EXPECT_TRUE(here.await_output(ignored)) << here.output();
  EXPECT_GT(member_of(status(), here.id())["lease_s"], 0.9);
  leave(here);
  for (const Words& words : {Words{}, Words{"--lease", "2000ms"}}) {
    Process& same = ready_peer(words);
    EXPECT_EQ(same.output().find("ignored"), std::string::npos) << same.output();
    leave(same);
  }
  Elsewhere there(path("elsewhere"));
  Process& joined =
      ready_peer({"--lease", "900ms", "--join", address_of(founder), "--listen", "127.0.0.1:0"});
  EXPECT_TRUE(joined.await_output(ignored)) << joined.output();
}

TEST_F(GroupSettingsTest, ALeaseIsKeptByAGroupWithoutARegisterToo) {
  ready_peer({"--algorithm", "sigma", "--lease", "500ms"});
  Process& other = ready_peer({"--lease", "1s"});
  EXPECT_TRUE(other.await_output("ignored a lease of 1000ms")) << other.output();
}

}  // namespace conch::group_settings_test
