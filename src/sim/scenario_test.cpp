#include "sim/scenario.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

#include "catalog/catalog.hpp"
#include "core/testing/dice.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim::scenario_test {

using Commands = std::initializer_list<std::string_view>;

/// What the last command prints.
std::string last_output(Commands commands) {
  Scenario scenario;
  std::string output;
  for (std::string_view command : commands) output = scenario.run(command);
  return output;
}

// The verbs.

TEST(Scenario, NodesStartAndBeginAnew) {
  EXPECT_EQ(last_output({"nodes 3 central"}), "");
  EXPECT_EQ(last_output({"nodes 3 ring"}), "0 -> 1 TOKEN(baton 1.0)\n");
  EXPECT_EQ(last_output({"nodes 3 ring home 1"}), "1 -> 2 TOKEN(baton 1.0)\n");
  EXPECT_EQ(last_output({"nodes 3 ring", "nodes 2 central", "inflight"}), "nothing is in flight\n");
}

TEST(Scenario, NodesHaveTheNumbersOfAFigure) {
  EXPECT_EQ(last_output({"nodes 3 ring ids 5 2 9"}), "2 -> 5 TOKEN(baton 1.0)\n");
  EXPECT_EQ(last_output({"nodes 3 ring ids 5 2 9 home 9"}), "9 -> 2 TOKEN(baton 1.0)\n");
  EXPECT_EQ(last_output({"nodes 3 ring ids 5 2 9", "request 3"}),
            "error: there is no node 3; the last one is 9\n");
  EXPECT_EQ(last_output({"nodes 1 naimi-trehel ids 4", "join 68 4"}), "68 -> 4 JOIN\n");
  EXPECT_EQ(last_output({"nodes 1 naimi-trehel ids 4", "join 69 4"}),
            "error: newcomers are numbered up to 68\n");
}

TEST(Scenario, NodesChooseVotingSets) {
  EXPECT_EQ(last_output({"nodes 7 maekawa voting plane", "state 0 voting_set"}),
            "0: voting_set {0, 1, 3}\n");
  EXPECT_EQ(last_output({"nodes 7 maekawa voting grid home 2", "state 0 voting_set"}),
            "0: voting_set {0, 1, 2, 3, 6}\n");
}

TEST(Scenario, RequestSendsOrEnters) {
  EXPECT_EQ(last_output({"nodes 2 central", "request 1"}), "1 -> 0 REQUEST(number 1)\n");
  EXPECT_EQ(last_output({"nodes 2 central", "request 0"}), "0 enters with fence 1.1\n");
}

TEST(Scenario, ReleaseLeavesNewData) {
  EXPECT_EQ(last_output({"nodes 2 central", "request 1", "settle", "release 1"}),
            "1 -> 0 RELEASE(baton 1.1 v1)\n");
}

TEST(Scenario, CancelEndsInWithdrawn) {
  EXPECT_EQ(last_output({"nodes 2 ring", "request 1", "cancel 1"}), "1 is withdrawn\n");
  EXPECT_EQ(last_output({"nodes 2 ring", "request 1", "cancel 1", "request 1", "deliver 0 -> 1"}),
            "1 enters with fence 1.1\n");
}

TEST(Scenario, DeliverTakesTheOldestThatMatches) {
  Commands two = {"nodes 3 central", "request 2", "request 1"};
  auto then = [&](Commands more) {
    Scenario scenario;
    std::string output;
    for (std::string_view command : two) scenario.run(command);
    for (std::string_view command : more) output = scenario.run(command);
    return output;
  };
  EXPECT_EQ(then({"deliver"}),
            "arrives: 2 -> 0 REQUEST(number 1)\n0 -> 2 GRANT(number 1, baton 1.1)\n");
  EXPECT_EQ(then({"deliver 1 -> 0"}), "0 -> 1 GRANT(number 1, baton 1.1)\n");
  EXPECT_EQ(then({"deliver 1->0 REQUEST"}), "0 -> 1 GRANT(number 1, baton 1.1)\n");
  EXPECT_EQ(then({"tell 1 0", "deliver 1 -> 0 TELL"}), "0 is told by 1\n");
}

TEST(Scenario, DropLosesAMessage) {
  EXPECT_EQ(last_output({"nodes 2 central", "request 1", "drop 1 -> 0 REQUEST"}),
            "dropped: 1 -> 0 REQUEST(number 1)\n");
  EXPECT_EQ(last_output({"nodes 2 central", "request 1", "drop 1 -> 0", "inflight"}),
            "nothing is in flight\n");
}

TEST(Scenario, DuplicateSendsAMessageAgain) {
  Commands commands = {"nodes 2 ring", "request 1", "duplicate 0 -> 1", "duplicate 0 -> 1"};
  Scenario scenario;
  for (std::string_view command : commands) scenario.run(command);
  EXPECT_EQ(scenario.run("inflight"),
            "0 -> 1 TOKEN(baton 1.0)\n0 -> 1 TOKEN(baton 1.0)\n0 -> 1 TOKEN(baton 1.0)\n");
  EXPECT_EQ(scenario.run("deliver 0 -> 1"), "1 enters with fence 1.1\n");
  EXPECT_EQ(scenario.run("release 1"), "1 -> 0 TOKEN(baton 1.1 v1)\n");
  EXPECT_EQ(scenario.run("deliver 0 -> 1"), "1 -> 0 TOKEN(baton 1.0)\n");
  EXPECT_EQ(scenario.run("drop 0 -> 1"), "dropped: 0 -> 1 TOKEN(baton 1.0)\n");
}

TEST(Scenario, ABrokenInvariantStopsItsNodeOnly) {
  Scenario scenario;
  for (std::string_view command : {"nodes 3 naimi-trehel", "request 1", "deliver 1 -> 0",
                                   "duplicate 0 -> 1", "deliver 0 -> 1"})
    scenario.run(command);
  std::string output = scenario.run("deliver 0 -> 1");
  EXPECT_TRUE(output.starts_with("VIOLATION invariants: 1 stops: a token comes to ")) << output;
  EXPECT_EQ(scenario.run("release 1"), "error: 1 cannot release: it has crashed\n");
  EXPECT_EQ(scenario.run("request 2"), "2 -> 0 REQUEST(origin 2)\n");
}

TEST(Scenario, SettleDeliversInTheOrderOfSending) {
  EXPECT_EQ(last_output({"nodes 3 central", "request 1", "request 2", "settle"}),
            "0 -> 1 GRANT(number 1, baton 1.1)\n1 enters with fence 1.1\n");
  EXPECT_EQ(last_output({"nodes 3 central", "request 1", "request 2", "settle 1"}),
            "0 -> 1 GRANT(number 1, baton 1.1)\n");
  EXPECT_EQ(last_output({"nodes 3 central", "settle 5"}), "");
}

TEST(Scenario, TellRunsHappenedBeforeThroughTheApplication) {
  EXPECT_EQ(last_output({"nodes 3 lamport", "request 1", "tell 1 2"}), "1 -> 2 TELL(stamp 1)\n");
  EXPECT_EQ(last_output({"nodes 3 central", "request 1", "tell 1 2", "deliver 1 -> 2", "request 2",
                         "deliver 2 -> 0", "deliver 0 -> 2"}),
            "2 enters with fence 1.1\n"
            "VIOLATION ME3: 2 entered before 1, whose request happened before its own\n");
}

TEST(Scenario, WhoIsNotToldIsNotInOrder) {
  EXPECT_EQ(last_output({"nodes 3 central", "request 1", "tell 1 2", "request 2", "deliver 2 -> 0",
                         "deliver 0 -> 2"}),
            "2 enters with fence 1.1\n");
}

TEST(Scenario, ObserveMovesAClock) {
  EXPECT_EQ(last_output({"nodes 2 ricart-agrawala", "observe 1 40", "request 1"}),
            "1 -> 0 REQUEST(clock 41)\n");
}

TEST(Scenario, CrashLosesWhatIsSentToIt) {
  EXPECT_EQ(last_output({"nodes 2 central", "request 1", "crash 0", "settle"}),
            "lost: 1 -> 0 REQUEST(number 1): 0 has crashed\n");
  EXPECT_EQ(last_output({"nodes 2 central", "crash 1", "state"}).substr(0, 9), "0: server");
  EXPECT_EQ(last_output({"nodes 2 central", "crash 1", "state 1"}), "1 has crashed\n");
}

TEST(Scenario, WhatACrashedNodeHasSentStillArrives) {
  EXPECT_EQ(last_output({"nodes 2 central", "request 1", "crash 1", "deliver 1 -> 0"}),
            "0 -> 1 GRANT(number 1, baton 1.1)\n");
}

TEST(Scenario, SuspectTellsTheWatcher) {
  EXPECT_EQ(
      last_output({"nodes 3 central", "request 1", "request 2", "settle", "suspect 0 1", "settle"}),
      "2 enters with fence 1.2\n"
      "VIOLATION ME1: two holders: 2 (fence 1.2) entered while 1 (fence 1.1) was inside\n");
}

TEST(Scenario, PartitionHoldsMessagesBack) {
  Scenario scenario;
  scenario.run("nodes 4 central");
  EXPECT_EQ(scenario.run("partition 0,3 | 1"), "");
  scenario.run("request 1");
  scenario.run("request 2");
  EXPECT_EQ(scenario.run("deliver 1 -> 0"), "error: the partition holds it back\n");
  EXPECT_EQ(scenario.run("inflight"),
            "1 -> 0 REQUEST(number 1) (held back)\n2 -> 0 REQUEST(number 1)\n");
  EXPECT_EQ(scenario.run("settle"),
            "0 -> 2 GRANT(number 1, baton 1.1)\n2 enters with fence 1.1\n"
            "held back by the partition: 1\n");
  EXPECT_EQ(scenario.run("heal"), "");
  EXPECT_EQ(scenario.run("settle"), "");
  EXPECT_EQ(scenario.run("state 0 queue"), "0: queue {WAITER(client 1, number 1, wish write)}\n");
}

TEST(Scenario, MembersJoinAndLeave) {
  Scenario scenario;
  scenario.run("nodes 2 naimi-trehel");
  EXPECT_EQ(scenario.run("join 5 1"), "5 -> 1 JOIN\n");
  EXPECT_EQ(scenario.run("settle"), "1 -> 5 WELCOME\n5 has joined\n");
  scenario.run("leave 1");
  EXPECT_TRUE(scenario.run("settle").ends_with("1 has left\n"));
  EXPECT_EQ(scenario.run("state owner"), "0: owner -\n1 has left\n5: owner 0\n");
  EXPECT_EQ(scenario.run("request 1"), "error: 1 cannot request: it has left\n");
  EXPECT_EQ(scenario.run("join 1 5"), "1 -> 5 JOIN\n");
}

TEST(Scenario, TheLastOneLeavesAndNobodyWelcomes) {
  EXPECT_EQ(last_output({"nodes 1 naimi-trehel", "leave 0"}), "0 has left\n");
  EXPECT_EQ(last_output({"nodes 1 naimi-trehel", "leave 0", "join 0 0"}),
            "error: 0 cannot welcome anybody: it has left\n");
}

TEST(Scenario, WhatReachesOneThatHasLeftIsAViolation) {
  Scenario scenario;
  for (std::string_view command : {"nodes 2 naimi-trehel", "leave 1", "settle 3"})
    scenario.run(command);
  EXPECT_EQ(scenario.run("duplicate 0 -> 1 FORGOTTEN"), "duplicated: 0 -> 1 FORGOTTEN\n");
  EXPECT_EQ(scenario.run("settle"),
            "1 has left\n"
            "lost: 0 -> 1 FORGOTTEN: 1 has left\n"
            "VIOLATION no message to nobody: FORGOTTEN of 0 reached 1, which has left\n");
}

TEST(Scenario, StateShowsSomeFieldsOfSomeNodes) {
  EXPECT_EQ(last_output({"nodes 2 ring", "state 0"}),
            "0: successor 1, state released, token no, baton 1.0\n");
  EXPECT_EQ(last_output({"nodes 2 ring", "state successor state"}),
            "0: successor 1, state released\n1: successor 0, state released\n");
  EXPECT_EQ(last_output({"nodes 3 maekawa voting grid", "request 1", "state 1 voted votes"}),
            "1: voted PRIORITY(stamp 1, node 1), votes {1}\n");
}

TEST(Scenario, CheckShowsEveryPropertyAndWhoWaits) {
  EXPECT_EQ(last_output({"nodes 3 lamport", "request 1", "settle", "request 2", "check"}),
            "ME1: held\nME2: held\nME3: held\nfences increase: held\ndata arrive: held\n"
            "invariants: held\nwaiting: 2\ninside: 1 with fence 1.1\n");
  EXPECT_EQ(last_output({"nodes 2 naimi-trehel", "check"}),
            "ME1: held\nME2: held\nME3: not promised\none token: held\nfences increase: held\n"
            "data arrive: held\nno message to nobody: held\ninvariants: held\nwaiting: "
            "nobody\ninside: nobody\n");
}

TEST(Scenario, CheckFindsADeadlock) {
  std::string output = last_output({"nodes 2 ring", "drop 0 -> 1", "request 1", "check"});
  EXPECT_TRUE(
      output.starts_with("VIOLATION ME2: deadlock: nothing is in flight, nobody is inside, "
                         "and these wait: 1\nME1: held\nME2: violated\n"))
      << output;
}

TEST(Scenario, ALargeGroupIsNotCheckedForOrder) {
  std::string output = last_output({"nodes 10000 ring", "check"});
  EXPECT_NE(output.find("ME3: not checked\n"), output.npos) << output;
}

// Errors print a line and change nothing.

struct Mistake {
  std::string_view algorithm;
  std::string_view command;
  std::string_view error;
};

TEST(Scenario, MistakesAreLinesOfOutput) {
  for (const Mistake& mistake : std::initializer_list<Mistake>{
           {"central", "reqest 1", "unknown verb \"reqest\"; did you mean \"request\"?"},
           {"central", "xyzzyxyzzy", "unknown verb \"xyzzyxyzzy\""},
           {"central", "request", "usage: request N [read|write] [A..B]"},
           {"central", "request 1 2", "usage: request N [read|write] [A..B]"},
           {"central", "request 1 read 2..", "\"\" is not a number"},
           {"central", "request 1 read 2..2", "nothing is in the range 2..2"},
           {"central", "request 1 read 2..3 4", "usage: request N [read|write] [A..B]"},
           {"ring", "request 1 read", "ring admits one process at a time"},
           {"central", "request one", "\"one\" is not a number"},
           {"central", "request 1x", "\"1x\" is not a number"},
           {"central", "request 3", "there is no node 3; the last one is 2"},
           {"central", "request 4294967296", "there is no node 4294967296"},
           {"central", "request 99999999999999999999", "\"99999999999999999999\" is not a number"},
           {"central", "release 1", "1 cannot release: it neither waits nor is inside"},
           {"central", "cancel 1", "1 cannot cancel: it neither waits nor is inside"},
           {"central", "deliver 1 -> 0", "no such message is in flight"},
           {"central", "deliver", "no such message is in flight"},
           {"central", "deliver 1 0", "usage: deliver [FROM -> TO [KIND]]"},
           {"central", "deliver 1 -> 0 GRAND",
            "no message is called \"GRAND\"; did you mean GRANT?"},
           {"central", "drop", "usage: drop FROM -> TO [KIND]"},
           {"central", "tell 1 1", "1 cannot tell itself"},
           {"central", "observe 1 3", "central has no logical clock to move"},
           {"lamport", "observe 1 18446744073709551615", "the stamp is too large"},
           {"lamport", "clock 3", "lamport does not look at the clock"},
           {"sigma", "clock 1000000001", "a clock shows at most 1000000000 s"},
           {"ring", "settle", "ring never rests: say how many deliveries, settle COUNT"},
           {"ring", "suspect 0 1", "ring cannot be told of a crash"},
           {"ring", "join 3 0", "ring has the members it started with"},
           {"ring", "leave 1", "ring has the members it started with"},
           {"naimi-trehel", "join 1 0", "1 cannot join: it neither waits nor is inside"},
           {"naimi-trehel", "join 67 0", "newcomers are numbered up to 66"},
           {"naimi-trehel", "join 3 4", "there is no node 4; the last one is 2"},
           {"central", "partition 0,1", "usage: partition A,B | C,D"},
           {"central", "partition 0,1 | 1", "1 is on both sides of the partition"},
           {"central", "state 0 queu", "there is no field \"queu\"; did you mean \"queue\"?"},
           {"central", "nodes 0 central", "a group has 1 to 10000 nodes"},
           {"central", "nodes 10001 central", "a group has 1 to 10000 nodes"},
           {"central", "nodes 3 central home 3", "there is no node 3 to be the home"},
           {"central", "nodes 3 maekawa voting square",
            "usage: nodes N ALGORITHM [home H] [voting grid|plane] [order M] [lazy] [eps E] "
            "[replicas R] [over pastry] [without RULE] [clusters A B ...] [sites A B ...] "
            "[ids A B ...]"},
           {"central", "nodes 3 sigma over pastry replicas 3",
            "over pastry, a lock of a scenario has one replica, at its home"},
           {"central", "nodes 3 ring over pastry", "over: ring does not run over an overlay"},
           {"central", "nodes 3 ring without lease", "without: ring does not run over an overlay"},
           {"central", "nodes 3 central ids 1 2", "ids: name 3 different nodes"},
           {"central", "nodes 3 central ids 1 2 3 home 0", "there is no node 0 to be the home"},
           {"central", "nodes 0 central ids", "a group has 1 to 10000 nodes"},
           {"central", "nodes 3 proxy clusters 1 2 ids 1 2 3",
            "clusters are of the nodes 0 to 2, without ids"},
           {"central", "nodes 3 sigma ids 1 2 3",
            "ids: an overlay in a scenario has the nodes 0 to 2"},
           {"central", "nodes 3 sigma replicas 0", "a lock of this many nodes has 1 to 3 replicas"},
           {"central", "nodes 3 sigma replicas 4", "a lock of this many nodes has 1 to 3 replicas"},
           {"central", "nodes 3 ring replicas 3", "replicas: ring does not run over an overlay"},
           {"sigma", "nodes 3 sigma home 3", "there is no node 3 to be the home"},
           {"sigma", "join 3 0", "sigma has the members it started with in a scenario"},
           {"sigma", "leave 1", "sigma has the members it started with in a scenario"},
           {"sigma", "request 1 read", "sigma admits one process at a time"},
           {"sigma", "elect 1", "sigma is not an election: nobody can elect"},
           {"sigma", "deliver 1 -> 0 REQEUST",
            "no message is called \"REQEUST\"; did you mean REQUEST?"},
           {"sigma", "deliver 1 -> 0 ENQUEUE", "no message is called \"ENQUEUE\""},
           {"end-to-end", "timer 1 0", "1 has not armed timer 0"},
       }) {
    std::string begin = "nodes 3 " + std::string(mistake.algorithm);
    EXPECT_EQ(last_output({begin, mistake.command}), "error: " + std::string(mistake.error) + "\n");
    EXPECT_EQ(last_output({begin, "inflight"}), last_output({begin, mistake.command, "inflight"}));
  }
}

TEST(Scenario, NobodyActsBeforeThereAreNodes) {
  EXPECT_EQ(last_output({"request 1"}),
            "error: there are no nodes yet; begin with nodes N ALGORITHM\n");
}

TEST(Scenario, AWaiterDoesNotAskAgain) {
  EXPECT_EQ(last_output({"nodes 2 central", "request 1", "request 1"}),
            "error: 1 cannot request: it waits\n");
  EXPECT_EQ(last_output({"nodes 2 central", "request 0", "request 0"}),
            "error: 0 cannot request: it is inside\n");
  EXPECT_EQ(last_output({"nodes 2 central", "request 1", "cancel 1", "request 1"}),
            "error: 1 cannot request: it is being withdrawn\n");
}

TEST(Scenario, AnUnknownAlgorithmOrPlane) {
  EXPECT_NE(last_output({"nodes 3 rng"}).find("did you mean \"ring\"?"), std::string::npos);
  EXPECT_TRUE(last_output({"nodes 4 maekawa voting plane"}).starts_with("error: a projective"));
}

TEST(Scenario, ABadGroupLeavesTheOldOne) {
  EXPECT_EQ(last_output({"nodes 2 central", "nodes 3 rng", "request 0"}),
            "0 enters with fence 1.1\n");
}

TEST(Scenario, ALeaverComesBackOnlyWhenItsMessagesHaveArrived) {
  Scenario scenario;
  for (std::string_view command : {"nodes 2 naimi-trehel", "tell 1 0", "leave 1"})
    scenario.run(command);
  for (int i = 0; i < 10; ++i) {
    scenario.run("deliver 1 -> 0 REDIRECT");
    scenario.run("deliver 1 -> 0 FAREWELL");
    scenario.run("deliver 0 -> 1");
  }
  EXPECT_EQ(scenario.run("join 1 0"),
            "error: 1 cannot join: messages of its former life are in flight\n");
}

// The format.

TEST(Replay, KeepsCommentsAndReplacesOutputs) {
  std::string script =
      "# A comment.\n\n"
      "nodes 2 central\n----\nwhatever\n\n\n"
      "# Another one.\nrequest 1\nsettle\n----\n# and a third\n\n";
  EXPECT_EQ(replay(script),
            "# A comment.\n\n"
            "nodes 2 central\n----\n\n\n"
            "# Another one.\nrequest 1\nsettle\n----\n"
            "1 -> 0 REQUEST(number 1)\n0 -> 1 GRANT(number 1, baton 1.1)\n1 enters with fence "
            "1.1\n# and a third\n\n");
}

TEST(Replay, AddsWhatIsMissing) {
  EXPECT_EQ(replay("nodes 2 central\n\nrequest 0"),
            "nodes 2 central\n----\n\nrequest 0\n----\n0 enters with fence 1.1\n");
  EXPECT_EQ(replay("nodes 2 ring \r\n----\r\n"), "nodes 2 ring\n----\n0 -> 1 TOKEN(baton 1.0)\n");
}

TEST(Replay, ASuccessfulScriptIsUnchanged) {
  std::string script = replay("nodes 3 naimi-trehel\n\nrequest 1\n\nsettle\ncheck\n");
  EXPECT_EQ(replay(script), script);
}

TEST(Replay, TellsSafetyFromTheRest) {
  std::string before = "settle\n----\n";
  EXPECT_FALSE(breaks_safety(before, before));
  EXPECT_FALSE(breaks_safety(before, before + "0 enters with fence 1.1\n"));
  EXPECT_TRUE(breaks_safety(before, before + "VIOLATION ME1: two holders\n"));
  EXPECT_FALSE(breaks_safety(before, before + "VIOLATION ME2: deadlock\nVIOLATION ME1: x\n"));
  EXPECT_FALSE(breaks_safety(before + "VIOLATION ME1: x\n", before));
}

// Garbage.

void expect_stable(const std::string& script) {
  std::string once = replay(script);
  EXPECT_EQ(replay(once), once) << script;
}

TEST(Replay, BytesThatMeanNothing) {
  Dice dice(1);
  const std::string_view likely = "nodes 3 ring\n----\n# request 1 -> 0 | , settle\n\n\r\t";
  for (int round = 0; round < 2000; ++round) {
    std::string script;
    for (std::uint64_t i = dice.below(200); i > 0; --i)
      script += dice.percent(30) ? static_cast<char>(dice.below(256)) : dice.one_of(likely);
    expect_stable(script);
  }
}

/// Words of the language in a random order.
std::string babble(Dice& dice) {
  static constexpr std::array words =
      std::to_array<std::string_view>({"nodes",     "request",
                                       "release",   "cancel",
                                       "tell",      "deliver",
                                       "settle",    "crash",
                                       "suspect",   "partition",
                                       "heal",      "join",
                                       "leave",     "state",
                                       "inflight",  "check",
                                       "observe",   "drop",
                                       "duplicate", "0",
                                       "1",         "2",
                                       "3",         "7",
                                       "99",        "18446744073709551616",
                                       "->",        "|",
                                       ",",         "ring",
                                       "central",   "maekawa",
                                       "grid",      "home",
                                       "voting",    "plane",
                                       "REQUEST",   "TOKEN",
                                       "\n",        "\n",
                                       "\n",        "\n\n",
                                       "\n----\n",  "#"});
  std::string script = "nodes 3 central\n";
  for (int i = 0; i < 100; ++i) script += std::string(dice.one_of(words)) + " ";
  return script;
}

TEST(Replay, WordsThatMakeNoSense) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Dice dice(seed);
    expect_stable(babble(dice));
  }
}

/// Commands that may be run, most of them at a bad moment.
std::string random_command(Dice& dice, Node nodes) {
  auto node = [&] { return " " + std::to_string(dice.below(nodes + 1)); };
  auto channel = [&] { return node() + " ->" + node(); };
  switch (dice.below(19)) {
    case 0:
    case 1:
    case 2: return "request" + node();
    case 3:
    case 4: return "release" + node();
    case 5: return "cancel" + node();
    case 6: return "tell" + node() + node();
    case 7:
    case 8: return "deliver";
    case 9: return "deliver" + channel();
    case 10:
    case 11: return "settle " + std::to_string(dice.below(9));
    case 12: return "partition" + node() + " |" + node();
    case 13: return "heal";
    case 14: return dice.percent(20) ? "crash" + node() : dice.percent(30) ? "recover" : "check";
    case 15: return "suspect" + node() + node();
    case 16: return dice.percent(50) ? "join" + node() + node() : "leave" + node();
    case 17: return "drop" + channel();
    case 18: return "duplicate" + channel();
  }
  return "state";
}

void expect_stable_at_bad_moments(const CatalogEntry& entry) {
  std::string name(entry.about.name);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    Node nodes = static_cast<Node>(1 + dice.below(5));
    std::string script = "nodes " + std::to_string(nodes) + " " + name + "\n";
    for (int i = 0; i < 80; ++i) script += random_command(dice, nodes) + "\n";
    expect_stable(script + "check\nstate\ninflight\n");
  }
}

TEST(Replay, CommandsAtBadMoments) {
  for (const CatalogEntry& entry : catalog()) expect_stable_at_bad_moments(entry);
  for (const CatalogEntry& entry : protocols()) expect_stable_at_bad_moments(entry);
}

}  // namespace conch::sim::scenario_test
