// Tests the command as a new user sees it: its output and its exit status.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli_run.hpp"

namespace cli_test {

using namespace shell;
using nlohmann::json;

TEST(Cli, TheSameSeedPrintsTheSameBytes) {
  std::string command = "sim naimi-trehel --nodes 50 --requests 100 --seed 7 --json";
  Outcome first = conch_out(command);
  EXPECT_EQ(first.out, conch_out(command).out);
  EXPECT_EQ(first.status, 0);
  json run = json::parse(first.out);
  EXPECT_EQ(run["properties"]["ME1"], "held");
  EXPECT_EQ(run["properties"]["ME2"], "held");
  EXPECT_EQ(run["entries"], 5000);
}

TEST(Cli, ReadersAndRangesAreCounted) {
  Outcome outcome = conch_out("sim central --nodes 20 --readers 90% --ranges 4 --json");
  EXPECT_EQ(outcome.status, 0);
  json run = json::parse(outcome.out);
  json sharing = run["sharing"];
  EXPECT_EQ(sharing["reads"].get<int>() + sharing["writes"].get<int>(), run["entries"]);
  EXPECT_GT(sharing["reads"], 300);
  EXPECT_GT(sharing["inside_max"], 1);
  EXPECT_FALSE(json::parse(conch_out("sim central --json").out).contains("sharing"));
  EXPECT_NE(conch("sim central --readers 50% --seeds 1..5").out.find("inside together"),
            std::string::npos);
}

TEST(Cli, RunsInWhichNobodyMetAreNotGood) {
  expect_refused("sim central --readers 50% --think uniform:0s..100s --hold 1us",
                 "no two readers were ever inside together");
  expect_refused("sim central --ranges 4 --seeds 1..2 --think uniform:0s..100s --hold 1us",
                 "no two with disjoint ranges were ever inside together");
}

TEST(Cli, JsonHasEveryPromisedField) {
  json run = json::parse(conch_out("sim central --json").out);
  for (const char* field :
       {"algorithm", "nodes", "seed", "requests", "entries", "messages", "messages_per_entry",
        "wait_s", "sync_delay_s", "throughput_per_s", "fairness", "properties", "trace_hash"})
    EXPECT_TRUE(run.contains(field)) << field;
  for (const char* field : {"total", "local", "global", "by_type"})
    EXPECT_TRUE(run["messages"].contains(field)) << field;
  for (const char* field : {"mean", "std", "p50", "p99", "max"})
    EXPECT_TRUE(run["wait_s"].contains(field)) << field;
}

TEST(Cli, ThePublishedCountsComeOut) {
  json broadcast =
      json::parse(conch_out("sim ricart-agrawala --clusters 3x3 --requests 20 --json").out);
  EXPECT_EQ(broadcast["messages"]["local"], 720);
  EXPECT_EQ(broadcast["messages"]["global"], 2160);
  json central = json::parse(conch_out("sim central --clusters 3x3 --requests 20 --json").out);
  EXPECT_EQ(central["messages"]["local"], 120);
  EXPECT_EQ(central["messages"]["global"], 360);
}

TEST(Cli, SeedsGiveMeansAndFailures) {
  Outcome outcome = conch_out("sim ricart-agrawala --seeds 1..50 --chatter 50% --json");
  EXPECT_EQ(outcome.status, 0);
  json runs = json::parse(outcome.out);
  EXPECT_EQ(runs["runs"], 50);
  EXPECT_EQ(runs["failures"], 0);
  EXPECT_EQ(runs["failed_seeds"], json::array());
  EXPECT_EQ(runs["mean"]["entries"], 200);
  EXPECT_EQ(runs["messages"]["total"], 50 * runs["mean"]["messages"]["total"].get<double>());
  EXPECT_GT(runs["sometimes"]["a process is told of a request"], 0);
  EXPECT_GT(runs["sometimes"]["REPLY is sent"], 0);
  EXPECT_EQ(runs["mean"]["properties"]["ME3"], "held");
}

TEST(Cli, ADeadlockExitsWithThreeAndSaysHowToRepeatIt) {
  Outcome outcome = conch("sim maekawa-textbook --seeds 1..5");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.out.find("deadlock"), std::string::npos);
  EXPECT_NE(outcome.out.find("repeat: conch sim maekawa-textbook --seed 1\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(conch("sim maekawa-textbook --seed 1").status, 3);
  EXPECT_EQ(conch("sim maekawa --seeds 1..5").status, 0);
}

TEST(Cli, ARunDrawsItsNumberOfNodesFromItsSeed) {
  std::string command = "sim maekawa-textbook --nodes 4..20 --requests 3";
  std::set<int> sizes;
  for (int seed = 1; seed <= 10; ++seed)
    sizes.insert(json::parse(conch_out(command + " --json --seed " + std::to_string(seed)).out)
                     .at("nodes")
                     .get<int>());
  EXPECT_GE(sizes.size(), 4u);
  EXPECT_GE(*sizes.begin(), 4);
  EXPECT_LE(*sizes.rbegin(), 20);
  Outcome outcome = conch(command + " --seeds 1..10");
  std::size_t at = outcome.out.find("repeat: conch " + command + " --seed ");
  ASSERT_NE(at, std::string::npos) << outcome.out;
  std::size_t end = outcome.out.find('\n', at);
  std::size_t start = outcome.out.rfind('\n', outcome.out.rfind("broken", at));
  std::string broken = outcome.out.substr(start + 1, outcome.out.find('\n', start + 1) - start - 1);
  std::size_t word = at + std::string("repeat: conch ").size();
  Outcome again = conch(outcome.out.substr(word, end - word));
  EXPECT_NE(again.out.find(broken), std::string::npos) << broken << "\n" << again.out;
}

TEST(Cli, AFalseSuspicionExitsWithTwoAndNamesBothHolders) {
  Outcome outcome = conch("sim central --suspect holder@50ms");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.out.find("two holders: "), std::string::npos);
  EXPECT_NE(outcome.out.find("fence"), std::string::npos);
}

TEST(Cli, HelpIsACommandAsWell) {
  for (const std::string path : {"", "lock", "lab", "lab run", "help"}) {
    Outcome help = conch("help " + path);
    EXPECT_EQ(help.status, 0) << help.out;
    EXPECT_EQ(help.out, conch(path + " --help").out) << path;
  }
  expect_refused("help lok", "conch has no command \"lok\"; did you mean lock?");
  expect_refused("help nonsense", "conch has no command \"nonsense\"");
  expect_refused("help lab rum", "conch lab has no command \"rum\"; did you mean run?");
}

TEST(Cli, MistakesGetAnExplanation) {
  expect_refused("", "subcommand");
  expect_refused("simm", "did you mean sim?");
  expect_refused("sim", "algorithm");
  expect_refused("sim naimi-trehl", "did you mean \"naimi-trehel\"?");
  expect_refused("sim central --node 4", "did you mean --nodes?");
  expect_refused("lock x --timout 3 -- true", "did you mean --timeout?");
  expect_refused("lokc x -- true", "conch has no command \"lokc\"");
  expect_refused("lokc x -- true", "did you mean lock?");
  EXPECT_EQ(conch("foo x").out.find("did you mean"), std::string::npos);
  EXPECT_EQ(conch("lock x --frob -- true").out.find("did you mean"), std::string::npos);
  expect_refused("lock x -w 3 -- true", "did you mean --timeout?");
  expect_refused("lock -w3 x -- true", "did you mean --timeout?");
  expect_refused("lock x -n -- true", "did you mean --try?");
  expect_refused("lock x --wait=3 -- make -w", "did you mean --timeout?");
  expect_refused("sim central --hold 5", "--hold: \"5\" is not a duration such as 500ms");
  expect_refused("sim central --nodes 0", "--nodes: \"0\" is neither a number of nodes such as 10");
  expect_refused("sim central --nodes 5..2", "nor a range such as 2..100");
  expect_refused("sim elmp --order 9", "--order: a tree's nodes have at most 2 to 8 children");
  expect_refused("sim elmp --balance lazzy", "--balance: \"lazzy\" is none of order, lazy");
  expect_refused("check elmp --order 1", "--order: a tree's nodes have at most 2 to 8 children");
  expect_refused("sim central --readers 110%", "--readers");
  expect_refused("sim central --ranges 0", "--ranges");
  expect_refused("sim raymond --ranges 2", "raymond admits one process at a time");
  expect_refused("sim central --clusters 3xx", "layout of clusters");
  expect_refused("sim central --nodes 3 --clusters 3x3", "--clusters");
  expect_refused("sim central --crash 99@1s", "there is no node 99: the nodes are 0 to 9");
  expect_refused("sim central --crash holder", "does not say when");
  expect_refused("sim central --churn 50%", "has fixed members");
  expect_refused("sim lamport --channel any", "needs FIFO channels");
  expect_refused("sim ring --suspect holder@1s", "does not use a failure detector");
  expect_refused("sim maekawa --nodes 10 --voting plane", "plane");
  expect_refused("sim central --seeds 5..1", "empty");
  expect_refused("sim central --seeds x", "--seeds");
  expect_refused("sim central --trace out.txt", "not a trace file");
  expect_refused("sim central --trace /nowhere/out.json", "cannot write");
  expect_refused("check naimi-trehel --nodes 16", "up to 15 nodes");
  expect_refused("check lamport --channel any", "needs FIFO channels");
  expect_refused("check central --leave 1", "fixed members");
  expect_refused("check maekawa --voting gird", "none of auto, grid, plane");
  expect_refused("check naimi-trehel --join 3", "at least one node must be a member");
}

TEST(Cli, AnElectionIsSimulated) {
  for (const char* name : {"chang-roberts", "bully", "bully-polite"}) {
    Outcome outcome = conch_out("sim " + std::string(name) + " --nodes 3..8 --seeds 1..200 --json");
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    json runs = json::parse(outcome.out);
    EXPECT_EQ(runs["failures"], 0);
    EXPECT_EQ(runs["mean"]["properties"]["E1"], "held");
    EXPECT_EQ(runs["mean"]["properties"]["E2"], "held");
    for (const auto& [sight, count] : runs["sometimes"].items())
      EXPECT_TRUE(count > 0 || sight.ends_with(" is sent")) << sight;
  }
  json run = json::parse(conch_out("sim bully --crash coordinator@5ms+20ms --json").out);
  EXPECT_EQ(run["coordinator"], 9);
}

TEST(Cli, TimeoutsShorterThanTheTruthShowTwoCoordinators) {
  Outcome outcome = conch("sim bully --answer-timeout 1ms");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.out.find("E1 broken"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("two coordinators: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("repeat: conch sim bully --answer-timeout 1ms --seed 1\n"),
            std::string::npos)
      << outcome.out;
}

TEST(Cli, AnElectionIsChecked) {
  EXPECT_EQ(conch("check chang-roberts --nodes 4").status, 0);
  EXPECT_EQ(conch("check bully --nodes 3 --crash 1").status, 0);
  EXPECT_EQ(conch("check chang-roberts@participant --nodes 2").status, 2);
  EXPECT_EQ(conch("check bully@second-election --nodes 3 --crash 1").status, 3);
}

TEST(Cli, WhatAnElectionCannotDoIsRefused) {
  expect_refused("sim bully --cancel 10%", "--cancel: bully is an election");
  expect_refused("sim bully --readers 50%", "--readers: bully is an election");
  expect_refused("sim bully-polite --lose 1%", "loses no messages");
  expect_refused("sim central --starts 2", "--starts: central is not an election");
  expect_refused("sim central --answer-timeout 1ms", "central is not an election");
  expect_refused("sim central --crash coordinator@1s", "central has no coordinator");
  expect_refused("sim bully --crash holder@1s", "a node's number, or coordinator");
  expect_refused("sim bully --crash 99@1s", "there is no node 99");
  expect_refused("sim bully --latency exp:1ms", "assumes a bound on the time of a message");
  expect_refused("sim bully --answer-timeout 1", "--answer-timeout: \"1\" is not a duration");
  expect_refused("sim chang-roberts --crashes 1", "assumes that no process crashes");
  expect_refused("sim chang-roberts --answer-timeout 1ms", "has no timeouts");
  expect_refused("sim chang-roberts --channel any", "needs FIFO channels");
  expect_refused("sim bully --nodes 1001", "up to 1000 processes");
  expect_refused("sim buly", "did you mean \"bully\"?");
  expect_refused("check bully --cancel 1", "--cancel: bully is an election");
  expect_refused("check bully --restart 1", "only a crashed process restarts");
  expect_refused("check central --retire 1", "--retire: central is not an election");
  expect_refused("check chang-roberts --crash 1", "assumes that no process crashes");
}

TEST(Cli, AnOptionWithoutEffectIsRefused) {
  expect_refused("sim central --eps 3",
                 "--eps: central lets no nearby request overtake a distant one; preempt and "
                 "preempt-aggregation take it");
  expect_refused("sim naimi-trehel --voting grid", "--voting: naimi-trehel has no voting sets");
  expect_refused("sim ring --order 3", "--order: ring has no tree to balance; elmp");
  expect_refused("sim proxy --eps 1", "--eps: proxy lets no nearby request");
  expect_refused("sim central --check-order", "--check-order: central does not promise ME3");
  expect_refused("sim central --detect 20ms", "--detect needs --crash");
  expect_refused("sim central --remote-latency 1ms", "--remote-latency: there is only one cluster");
  expect_refused("sim central --clusters 2,2 --sites 1,1", "--sites: central makes no use");
  expect_refused("sim chang-roberts --restarts 10%", "assumes that no process crashes; bully and");
  expect_refused("sim bully --eps 1", "--eps: bully lets no nearby request");
  expect_refused("sim sigma --hand-off token", "--hand-off: sigma has no token to hand off");
  expect_refused("sim end-to-end --retry never", "--retry: end-to-end does not retry");
  expect_refused("check central --eps 1", "--eps: central lets no nearby request");
  expect_refused("check central --replicas 5", "--replicas: central does not run over an overlay");
  expect_refused("check raymond --timers 2", "--timers: raymond does not run over an overlay");
  expect_refused("check central --clusters 2,1", "--clusters: central makes no use of clusters");
  expect_refused("check sigma --voting grid", "--voting: sigma has no voting sets");
  expect_refused("check sigma --skip-livelock", "--skip-livelock: sigma is not searched");
  expect_refused("check central --recovery --requesters 2", "--requesters: central is checked");
  expect_refused("check ring --crash 1 --detect", "does not use a failure detector");
  expect_refused("check central --detect", "--detect needs --crash");
  expect_refused("check central --threads 0", "--threads");
  expect_refused("check central --threads 257", "--threads");
  expect_refused("check central --memory 5", "--memory 5: a search needs at least");
}

TEST(Cli, HelpAndVersionAreThere) {
  EXPECT_EQ(conch("--help").status, 0);
  EXPECT_EQ(conch("sim --help").status, 0);
  EXPECT_NE(conch("--version").out.find("conch 0."), std::string::npos);
}

TEST(Cli, AlgorithmsAreListed) {
  Outcome outcome = conch("algorithms");
  for (const char* name :
       {"central", "ring-idle-hold", "maekawa-textbook", "naimi-trehel", "bully-polite"})
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
  EXPECT_GE(json::parse(conch_out("algorithms --json").out).size(), 11u);
}

TEST(Cli, ATraceIsWritten) {
  auto folder = std::filesystem::temp_directory_path() / "conch_cli_test";
  std::filesystem::create_directories(folder);
  std::string file = (folder / "run.ndjson").string();
  EXPECT_EQ(conch("sim central --nodes 3 --trace " + file).status, 0);
  std::ifstream in(file);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(json::parse(line)["event"], "request");
  std::filesystem::remove_all(folder);
}

TEST(Cli, CheckIsCompleteAndSeesEverythingItShould) {
  Outcome outcome = conch_out("check naimi-trehel --nodes 3 --requests 2 --json");
  EXPECT_EQ(outcome.status, 0);
  json report = json::parse(outcome.out);
  EXPECT_EQ(report["complete"], true);
  EXPECT_TRUE(report["violation"].is_null());
  for (const auto& [name, seen] : report["sometimes"].items()) EXPECT_EQ(seen, true) << name;
}

TEST(Cli, ACounterexampleIsToldAndReplayed) {
  auto folder = std::filesystem::temp_directory_path() / "conch_cli_test_check";
  std::filesystem::create_directories(folder);
  std::string bug = (folder / "bug.txt").string();
  std::string trace = (folder / "bug.shiviz").string();
  Outcome outcome = conch("check naimi-trehel@idle-owner --nodes 2 --requests 1 --out " + bug +
                          " --trace " + trace);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.out.find("1 -> 0 REQUEST(origin 1)"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("   7. "), std::string::npos) << outcome.out;
  Outcome replayed = conch("replay " + bug);
  EXPECT_EQ(replayed.status, 0);
  EXPECT_NE(replayed.out.find("VIOLATION ME1"), std::string::npos);
  EXPECT_GT(std::filesystem::file_size(trace), 100u);
  std::filesystem::remove_all(folder);
}

TEST(Cli, CheckFindsTheDeadlock) {
  Outcome outcome = conch("check maekawa-textbook --nodes 3 --requests 1");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.out.find("deadlock"), std::string::npos);
}

TEST(Cli, CheckExploresAGroupThatRecovers) {
  Outcome outcome = conch_out("check naimi-trehel --recovery --nodes 3 --crash 1 --json");
  EXPECT_EQ(outcome.status, 0);
  json report = json::parse(outcome.out);
  EXPECT_EQ(report["complete"], true);
  EXPECT_EQ(report["sometimes"]["two proposals, of which one is refused"], true);
}

TEST(Cli, ARecoveryWithoutARuleBreaksAndSaysHowToRepeatIt) {
  std::string command = "check naimi-trehel --recovery --nodes 2 --requests 1 --pause 1";
  EXPECT_EQ(conch(command).status, 0);
  Outcome outcome = conch(command + " --without lease");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.out.find("two holders: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("repeat: conch " + command + " --without lease\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(conch("check naimi-trehel --recovery --leave 1 --without new-epochs").status, 3);
}

TEST(Cli, TheTwoKindsOfCheckHaveTheirOwnOptions) {
  expect_refused("check central --pause 1", "--pause: central is checked without --recovery");
  expect_refused("check central --recovery --lose 1", "--lose: central is checked with --recovery");
  expect_refused("check central --recovery --without luck", "is none of roster, old-epochs");
  expect_refused("check maekawa-textbook --recovery", "is a specimen");
  expect_refused("check central --recovery --nodes 4 --restart 4", "up to 16 lives");
}

TEST(Cli, ClustersAreCountedApart) {
  Outcome outcome = conch_out(
      "sim preempt-aggregation --eps 2 --clusters 3x3 --remote-latency 600ms --local-latency 0.3ms "
      "--hold 500ms --think exp:500ms --requests 20 --seeds 1..20 --check-visits --json");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  json mean = json::parse(outcome.out)["mean"];
  EXPECT_EQ(mean["entries"], 180);
  EXPECT_LT(mean["messages"]["global"].get<double>(), mean["messages"]["local"].get<double>() / 5);
  EXPECT_LT(mean["wait_s"]["local"].get<double>(), mean["wait_s"]["remote"].get<double>());
  EXPECT_GT(mean["visits"]["mean"].get<double>(), 3);
}

TEST(Cli, AVariantThatStarvesOtherClustersExitsWithThree) {
  std::string starving =
      "sim preempt-aggregation@as-published --clusters 3x3 --remote-latency 600ms --local-latency "
      "0.3ms --hold 500ms --think exp:100ms --check-visits";
  Outcome outcome = conch(starving);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.out.find("visit length broken"), std::string::npos) << outcome.out;
}

TEST(Cli, ClustersAreChecked) {
  Outcome outcome = conch("check preempt --clusters 2,1 --requests 2 --eps 1");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("3 nodes, 2 requests each, unordered channels, clusters 2+1, eps 1"),
            std::string::npos)
      << outcome.out;
  expect_refused("sim preempt --clusters 2,1 --sites 1", "there are 2 clusters");
  expect_refused("sim preempt --clusters 2,1 --site-latency 1ms", "there are no --sites");
  expect_refused("check preempt --clusters two", "is not a layout of clusters");
  outcome = conch("check preempt --clusters 1,1,1 --sites 2,1 --eps 1");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("clusters 1+1+1, eps 1, sites 2+1"), std::string::npos) << outcome.out;
  expect_refused("check preempt --clusters 2,1 --sites 1", "there are 2 clusters");
}

TEST(Cli, DataAreHandedOver) {
  Outcome fine = conch_out(
      "handover elmp --peers 6 --churners 2 --wait 20ms --bytes 1000 --seeds 1..20 --json");
  EXPECT_EQ(fine.status, 0) << fine.out;
  json runs = json::parse(fine.out);
  EXPECT_EQ(runs["runs"], 20);
  EXPECT_EQ(runs["cycles"], 20 * 4 * 20);
  EXPECT_GT(runs["messages"]["total"], 0);
  for (const auto& [what, count] : runs["sometimes"].items()) EXPECT_GT(count, 0) << what;
  expect_refused("handover ring", "never comes to rest");
  expect_refused("handover central --churners 1", "nobody can leave or join central");
  Outcome broken = conch("handover elmp@retry --seeds 1..20");
  EXPECT_EQ(broken.status, 3) << broken.out;
  EXPECT_NE(broken.out.find("repeat: conch handover elmp@retry --seed "), std::string::npos);
}

TEST(Cli, AGroupSurvivesOrSaysWhatBroke) {
  Outcome fine = conch("survive elmp --seeds 1..50 --json");
  EXPECT_EQ(fine.status, 0) << fine.out;
  json runs = json::parse(fine.out);
  EXPECT_EQ(runs["runs"], 50);
  EXPECT_EQ(runs["failures"], 0);
  EXPECT_GT(runs["sometimes"]["a recovery overlapped another"], 0);

  Outcome broken = conch("survive central --without lease --seeds 117..132");
  EXPECT_EQ(broken.status, 2) << broken.out;
  std::size_t repeat = broken.out.find("repeat: conch ");
  ASSERT_NE(repeat, std::string::npos) << broken.out;
  repeat += std::string("repeat: conch ").size();
  std::string again = broken.out.substr(repeat, broken.out.find('\n', repeat) - repeat);
  EXPECT_EQ(conch(again).status, 2) << again;
  EXPECT_NE(conch(again + " --trace").out.find("is stopped for"), std::string::npos) << again;
}

TEST(Cli, ASmallGroupIsCheckedWithItsRecovery) {
  Outcome fine = conch("check central --recovery --nodes 2 --crash 1 --restart 1");
  EXPECT_EQ(fine.status, 0) << fine.out;
  EXPECT_NE(fine.out.find("complete"), std::string::npos) << fine.out;
  Outcome broken = conch("check naimi-trehel --recovery --nodes 2 --usurp 1 --without incarnation");
  EXPECT_EQ(broken.status, 2) << broken.out;
}

TEST(Cli, RecoveriesRefuseWhatTheyCannotDo) {
  expect_refused("survive", "algorithm");
  expect_refused("survive naimi-trehl", "did you mean \"naimi-trehel\"?");
  expect_refused("survive bully", "election");
  expect_refused("survive maekawa-textbook", "is a specimen");
  expect_refused("survive central --nodes 1", "2 to 64 peers");
  expect_refused("survive central --lease 0", "a lease has a length");
  expect_refused("survive central --lease 100ms", "at least 200ms");
  expect_refused("survive central --drift 60", "less than 50 %");
  expect_refused("survive central --without leases", "is none of roster, old-epochs");
  expect_refused("survive central --without roster", "conch check central --recovery");
  expect_refused("survive central --seeds 1..2 --trace", "give --seed instead of --seeds");
  expect_refused("check central --recovery --readers 1", "checked with --recovery");
  expect_refused("check central --usurp 1", "checked without --recovery");
  expect_refused("check bully --recovery", "has no locks to recover");
}

TEST(Cli, TheDemoLosesNothing) {
  Outcome outcome = conch("demo --quick");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  for (const char* words : {"peer 6 has joined", "peer 2 has left", "kill -9 of peer 3",
                            "peer 4 is back in", "nothing was lost", "fences"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
}

TEST(Cli, TheBenchmarkOfOnesOwnMachine) {
  Outcome outcome = conch("bench --processes 2,3 --seconds 0.2 --transport unix");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("handovers/s"), std::string::npos) << outcome.out;
  expect_refused("bench --algorithm maekawa-textbook", "specimen");
  expect_refused("bench --transport pigeon", "pigeon");
}

TEST(Cli, TheBenchmarkOfGroups) {
  Outcome outcome = conch("bench group --members 2,20 --seconds 0.1");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  for (const char* words : {"joined s", "killed s", "left s", "\n2 ", "\n20 "})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  expect_refused("bench group --members 1", "2 to 2000");
  expect_refused("bench group --algorithm maekawa-textbook", "specimen");
}

}  // namespace cli_test
