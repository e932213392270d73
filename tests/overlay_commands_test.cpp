// Tests the command in groups without a register.
#include "group_shell.hpp"
#include "net/testing/raw.hpp"

namespace conch::overlay_commands_test {

class OverlayCommandsTest : public GroupShell {
 protected:
  static constexpr const char* lease = "500ms";

  Process& founder(Words words = {}) {
    words.insert(words.begin(), {"--algorithm", "end-to-end", "--lease", lease});
    return ready_peer(std::move(words));
  }
};

/// The second peer finds the first one through the sockets of the group.
TEST_F(OverlayCommandsTest, TwoOnOneMachineAreOneGroup) {
  founder();
  ready_peer({"--algorithm", "end-to-end"});
  for (int i = 0; i < 4; ++i) {
    Outcome outcome = run({"lock", "deploy", "--", "true"});
    EXPECT_EQ(outcome.status, 0) << outcome.out;
  }
  json now = status();
  EXPECT_EQ(now["algorithm"], "end-to-end/pastry/5/500ms");
  EXPECT_EQ(now["all_members"], false);
  EXPECT_EQ(now["members"].size(), 2u);
  EXPECT_TRUE(run({"status"}).says("there is no list of members"));
}

/// Both machines name the same holder, whichever of them is asked.
TEST_F(OverlayCommandsTest, ALockIsHeldByOneOnTwoMachines) {
  Process& first = founder({"--listen", "127.0.0.1:0"});
  Process* holder = nullptr;
  {
    Elsewhere there(path("elsewhere"));
    ready_peer({"--join", address_of(first), "--listen", "127.0.0.1:0"});
    holder = &holder_of("deploy");
  }
  Outcome other = run({"lock", "deploy", "--try", "--", "true"});
  EXPECT_EQ(other.status, 75) << other.out;
  EXPECT_TRUE(other.says("it is held by ")) << other.out;
  expect_end(*holder);
  EXPECT_EQ(run({"lock", "deploy", "--", "true"}).status, 0);
}

/// The remains of an old group do not prevent the founding of a new one.
TEST_F(OverlayCommandsTest, ACommandAloneIsAGroupForAMoment) {
  Process& first = founder();
  leave(first);
  Outcome outcome = run({"lock", "deploy", "--algorithm", "sigma", "--", "true"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

TEST_F(OverlayCommandsTest, WhoJoinsThroughSomebodySilentCanBeEnded) {
  for (const char* algorithm : {"naimi-trehel", "end-to-end"}) {
    net::testing::RawListener silent;
    std::string address = silent.address().substr(4);  // without "tcp:"
    Process& peer =
        conch({"peer", "--join", address, "--listen", "127.0.0.1:0", "--algorithm", algorithm});
    pollfd call{silent.number(), POLLIN, 0};
    ASSERT_EQ(::poll(&call, 1, 60'000), 1) << peer.output();
    peer.send(SIGTERM);
    EXPECT_EQ(peer.await_exit(), 0) << peer.output();
    EXPECT_NE(peer.output().find("gave up"), std::string::npos) << peer.output();
  }
}

TEST_F(OverlayCommandsTest, WhoWantsSomethingElseIsToldWhatTheGroupHas) {
  founder({"--replicas", "3"});
  Outcome other = run({"peer", "--algorithm", "sigma"});
  EXPECT_NE(other.status, 0);
  EXPECT_TRUE(other.says("it has --algorithm end-to-end, not sigma")) << other.out;
  EXPECT_TRUE(run({"peer", "--algorithm", "end-to-end", "--replicas", "5"})
                  .says("it has --replicas 3, not 5"));
  EXPECT_TRUE(run({"peer", "--algorithm", "end-to-end", "--dht", "chord"})
                  .says("it has --dht pastry, not chord"));
}

TEST_F(OverlayCommandsTest, WrongOptionsAreExplained) {
  EXPECT_TRUE(run({"peer", "--replicas", "5"}).says("leave out --dht and --replicas"));
  EXPECT_TRUE(run({"peer", "--algorithm", "sigma", "--replicas", "37"}).says("1 to 36 replicas"));
  EXPECT_TRUE(run({"peer", "--algorithm", "sigma", "--dht", "can"}).says("pastry or chord"));
  EXPECT_TRUE(run({"peer", "--algorithm", "sigma", "--eps", "2"}).says("sigma has no eps"));
  EXPECT_TRUE(run({"peer", "--algorithm", "sigma", "--persist"}).says("leave out --persist"));
}

TEST_F(OverlayCommandsTest, NobodyCanBeForced) {
  founder();
  Outcome forced = run({"unlock", "deploy", "--force", "--yes"});
  EXPECT_TRUE(forced.says("this group has no register")) << forced.out;
}

}  // namespace conch::overlay_commands_test
