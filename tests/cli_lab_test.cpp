// Tests `conch lab` from a shell.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli_run.hpp"

namespace cli_lab_test {

using namespace shell;
using nlohmann::json;

TEST(CliLab, RefusesWhatItCannotDo) {
  expect_refused("lab run textbok", "did you mean \"textbook\"?");
  expect_refused("lab run textbook --out /proc/nowhere", "cannot write");
  expect_refused("lab run dho-cycel", "did you mean \"dho-cycle\"?");
  expect_refused("lab run dho-cycle --engine simgird", "none of sim, simgrid, both");
  expect_refused("lab run textbook --engine sim", "runs only on our simulator");
  expect_refused("lab run dho-overlap --seeds 2..1", "empty");
  expect_refused("lab run textbook --cities 5", "textbook takes no --cities");
  expect_refused("lab run planet --cities 3", "a whole number from 5 to 50");
  expect_refused("lab run p2p-load --replica 5", "p2p-load takes no --replica; it takes --nodes,");
  expect_refused("lab run p2p-load 5", "p2p-load takes no");
  expect_refused("lab run p2p-load --replicas 5,7", "--replicas \"5,7\": use a whole number");
  expect_refused("lab report --against 5..2", "empty");
  expect_refused("lab report --out /proc/nowhere", "cannot create /proc/nowhere");
  expect_refused("lab report --out /dev/null", "cannot create /dev/null");
  expect_refused("lab report --out . --only elections,textbok", "did you mean \"textbook\"?");
  expect_refused("lab report --out . --seeds 2..1", "empty");
}

/// A folder of this test alone, removed at its end.
class TestFolder {
 public:
  TestFolder() {
    std::string name = "/tmp/conch-report-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CliLab, WritesAReport) {
  TestFolder folder;
  Outcome outcome =
      conch("lab report --quick --only textbook-faults,elections --out " + folder.text() + "/new");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("[1/2] textbook-faults"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("[2/2] elections"), std::string::npos) << outcome.out;
  EXPECT_EQ(contents(folder / "new/elections.csv").find("N,"), 0u);
  json report = json::parse(contents(folder / "new/report.json"));
  EXPECT_EQ(report["scale"], "quick");
  ASSERT_EQ(report["experiments"].size(), 2u);
  EXPECT_EQ(report["experiments"][1]["command"], "conch lab run elections --quick");
  EXPECT_NE(outcome.out.find("elections        holds          Everybody ends"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(report["experiments"][1]["rows"].size(), 5u);
  std::string page = contents(folder / "new/report.html");
  EXPECT_NE(page.find("<script type=\"application/json\" id=\"data\">"), std::string::npos);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "new"))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 4u);
}

TEST(CliLab, ComparesTheVerdictsOfTwoRangesOfSeeds) {
  std::string report = "lab report --only elections,p2p-scale --seeds 1..2 --against 3..4";
  Outcome outcome = conch_out(report);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("the same verdicts with seeds 1..2 and with seeds 3..4\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.out.find("written"), std::string::npos) << outcome.out;
}

/// The second experiment would take a minute; it is interrupted when the first one is done.
TEST(CliLab, AReportThatIsInterruptedLeavesWhatIsDone) {
  TestFolder folder;
  Outcome outcome = run("out=" + folder.text() + "; " CONCH_COMMAND R"( lab report --out $out \
      --only elections,p2p-scale 2>$out/said & reporter=$!
      until grep -q '1/2' $out/said || ! kill -0 $reporter; do sleep 0.05; done
      kill -INT $reporter; wait $reporter; echo "status $?"; cat $out/said)");
  EXPECT_NE(outcome.out.find("status 130"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("conch: stopped; the finished tables are in " + folder.text()),
            std::string::npos)
      << outcome.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "elections.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "report.html"));
}

TEST(CliLab, FindsTableOneOfTheHierarchicalAlgorithms) {
  Outcome outcome = conch_out("lab run hierarchical --seeds 1..20 --json");
  EXPECT_EQ(outcome.status, 0);
  json findings = json::parse(outcome.out);
  EXPECT_EQ(findings["rows"].size(), 72u);
  EXPECT_EQ(findings["remarks"][0], "Every line of table 1 is within its band.");
  EXPECT_EQ(findings["claims"][1]["verdict"], "holds");
  EXPECT_NE(findings["claims"][1]["ours"].dump().find("strictly"), std::string::npos);
  EXPECT_EQ(findings["figures"][0]["of"], "Bertier 2004, table 1");
}

TEST(CliLab, PrintsItsTables) {
  Outcome textbook = conch("lab run textbook --seeds 1..2");
  EXPECT_EQ(textbook.status, 0);
  EXPECT_NE(textbook.out.find("naimi-trehel"), std::string::npos);
  Outcome faults = conch("lab run textbook-faults --seeds 1..3");
  EXPECT_EQ(faults.status, 0);
  EXPECT_NE(faults.out.find("central + detector"), std::string::npos);
  std::string listed = conch("lab list").out;
  for (const char* name :
       {"textbook-faults", "p2p-nodes", "p2p-load", "p2p-distribution", "p2p-churn", "p2p-scale"})
    EXPECT_NE(listed.find(name), std::string::npos) << name;
}

/// Expects that a run ends well and prints these findings about the paper's statements.
void expect_findings(const std::string& command, const std::vector<std::string>& words) {
  Outcome outcome = conch(command);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.find("FAILS"), std::string::npos) << outcome.out;
  for (const std::string& word : words)
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
}

TEST(CliLab, MeasuresElections) {
  expect_findings("lab run elections --seeds 1..3",
                  {"3N-1", "- Holds: Everybody ends with the same coordinator"});
}

/// Where there is no steady state, the engines agree only on the mean over several seeds.
TEST(CliLab, FindsEquation4OnBothEngines) {
  expect_findings("lab run dho-cycle --seeds 1 --cycles 20",
                  {"- Holds: A cycle is a slot", "simgrid", "% apart"});
}

TEST(CliLab, FindsTheKneeOfFigure8OnBothEngines) {
  expect_findings("lab run dho-overlap --seeds 1 --cycles 20",
                  {"- Holds: Blocked is only", "simgrid", "were allowed. Holds."});
}

TEST(CliLab, FindsTable2OnBothEngines) {
  expect_findings("lab run dho-mobility --seeds 1 --cycles 20",
                  {"- Holds: The latencies that departures add are negligible",
                   "The overhead is approximately the same for both sizes", "simgrid",
                   "5% were allowed. Holds."});
}

TEST(CliLab, FollowsARequestThroughFigure5) {
  expect_findings("lab run dho-request",
                  {"P2 -> P1 LOCK", "P1 -> P2 TOKEN", "P1 -> P2 DATA",
                   "- Holds: A request goes from the peer through its resource manager"});
}

TEST(CliLab, AnswersExercise157) {
  expect_findings("lab run textbook-reuse --seeds 1..2",
                  {"- Holds: A multicast at every entry is inefficient",
                   "- Holds: Who has let go and was asked by nobody", "- Holds: It satisfies ME2"});
}

TEST(CliLab, JudgesTheLoadOverAnOverlay) {
  expect_findings("lab run p2p-distribution --seeds 1",
                  {"One run, with seed 1.", "- Holds: 40 replicas instead of 10 are more load",
                   "- Does not hold: ... and have no effect on Non-E2E",
                   "- Holds: The majority of the nodes get less than 180 messages in a round",
                   "- Does not hold: Some nodes get 550 to 680 messages in a round"});
}

TEST(CliLab, TakesSettings) {
  json load = json::parse(
      conch_out("lab run p2p-load --nodes 300 --replicas=5 --requests 5,10 --seeds 1 --json").out);
  EXPECT_EQ(load["seeds"], json({1, 1}));
  EXPECT_EQ(load["settings"]["nodes"], 300);
  EXPECT_EQ(load["settings"]["requests"], json({5, 10}));
  EXPECT_EQ(load["rows"][0][1], 5);
  EXPECT_TRUE(load["rows"][0][2].is_number_integer());
  EXPECT_TRUE(load["rows"][0][9].is_number_float());
  std::string setting = load["setting"];
  EXPECT_NE(setting.find("300 nodes, 65 resources with 5 replicas each, 20 rounds of 5, 10"),
            std::string::npos)
      << setting;
  EXPECT_NE(setting.find("Not the usual setting, nor a paper's: --nodes 300"), std::string::npos)
      << setting;
}

TEST(CliLab, RecommendsForAPlanet) {
  json planet =
      json::parse(conch_out("lab run planet --cities 5 --stretch 1.5 --seeds 1 --json").out);
  EXPECT_EQ(planet["rows"].size(), 44u);
}

TEST(CliLab, RunsOnOneEngine) {
  Outcome outcome = conch("lab run dho-overlap --engine sim --peers 20 --overlap 0,5,12");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.find("simgrid"), std::string::npos) << outcome.out;
}

}  // namespace cli_lab_test
