// Tests conch view, and --view of the commands that make runs: recordings as files, and the server.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli_run.hpp"
#include "net/scratch_folder.hpp"

namespace view_test {

using shell::conch;
using shell::expect_refused;
using shell::Outcome;

/// Has a folder that is removed at the end.
class View : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// The recording that a page contains.
  std::string film(const std::string& name) const {
    std::string page = read(name), begin = "id=\"data\">";
    std::size_t at = page.find(begin);
    if (!page.starts_with("<!doctype html>") || at == std::string::npos) return "";
    at += begin.size();
    write("film.base64", page.substr(at, page.find('<', at) - at));
    return shell::run("base64 -d " + path("film.base64")).out;
  }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

 private:
  ::conch::ScratchFolder folder_;
};

TEST_F(View, OfASimulation) {
  Outcome outcome = conch("sim naimi-trehel --nodes 4 --requests 2 --view-out " + path("run.html"));
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  std::string bytes = film("run.html");
  EXPECT_TRUE(bytes.starts_with("conchfil"));
  EXPECT_TRUE(has(bytes, R"("command":"conch sim naimi-trehel --nodes 4 --requests 2 --seed 1")"));
  EXPECT_TRUE(has(bytes, R"("family":"tree")"));
  EXPECT_TRUE(has(bytes, "token yes, wanted yes")) << "no states";
}

TEST_F(View, TheExitStatusIsThatOfTheRun) {
  Outcome outcome = conch("sim central --suspect holder@50ms --view-out " + path("run.html"));
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  std::string bytes = film("run.html");
  EXPECT_TRUE(has(bytes, R"("property":"ME1","what":"two holders: 9 )")) << outcome.out;
  EXPECT_TRUE(has(bytes, R"("nodes":[9,7]})"));
}

TEST_F(View, OfElectionsAndOverlays) {
  EXPECT_EQ(conch("sim chang-roberts --nodes 5 --view-out " + path("ring.html")).status, 0);
  EXPECT_TRUE(has(film("ring.html"), R"("family":"election-ring")"));
  EXPECT_EQ(conch("sim sigma --nodes 12 --view-out " + path("sigma.html")).status, 0);
  std::string bytes = film("sigma.html");
  EXPECT_TRUE(has(bytes, R"("family":"overlay")"));
  EXPECT_TRUE(has(bytes, R"("ring":")"));
}

TEST_F(View, OfACounterexample) {
  Outcome outcome = conch("check maekawa-textbook --view-out " + path("bug.html"));
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_TRUE(has(film("bug.html"), R"("property":"ME2")"));
  outcome = conch("check central --nodes 2 --view-out " + path("none.html"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(has(outcome.out, "nothing to show"));
  EXPECT_FALSE(std::filesystem::exists(path("none.html")));
}

TEST_F(View, OfEveryScenarioInTheProgram) {
  Outcome list = conch("view --list");
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(has(list.out, "hernane_figure_1_naimi_trehel"));
  std::istringstream lines(list.out);
  std::size_t count = 0;
  for (std::string name, title; lines >> name && std::getline(lines, title); ++count) {
    EXPECT_GT(title.size(), 4U) << name << " has no title";
    Outcome outcome = conch("view " + name + " --out " + path("one.html"));
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_TRUE(film("one.html").starts_with("conchfil")) << name;
  }
  EXPECT_GE(count, 40U);
}

TEST_F(View, OfAScenarioFileWithSeveralParts) {
  write("two.txt", "# Two\nnodes 2 central\nrequest 1\n\nnodes 2 ring\n# Hop.\nsettle 3\n");
  Outcome outcome = conch("view " + path("two.txt") + " --part 2 --out " + path("two.html"));
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "part 2 of 2"));
  EXPECT_TRUE(has(film("two.html"), R"("title":"Two")"));
  EXPECT_TRUE(has(film("two.html"), R"("family":"ring")"));
  EXPECT_TRUE(has(film("two.html"), R"("text":"Hop.")"));
  expect_refused("view " + path("two.txt") + " --part 3 --out x", "--part: ");
  outcome = conch("replay --quiet " + path("two.txt") + " --view-out " + path("replay.html"));
  EXPECT_EQ(outcome.status, 3) << outcome.out;  // the file lacks the output
  EXPECT_TRUE(has(film("replay.html"), R"("family":"central")"));
}

TEST_F(View, OfATrace) {
  std::string run = "sim raymond --nodes 4 --requests 2 --trace " + path("run.ndjson");
  EXPECT_EQ(conch(run + " --states").status, 0);
  EXPECT_EQ(conch("view " + path("run.ndjson") + " --out " + path("run.html")).status, 0);
  std::string bytes = film("run.html");
  EXPECT_TRUE(has(bytes, R"("algorithm":"raymond","family":"tree")"));
  EXPECT_TRUE(has(bytes, "holder 0, using no"));
  EXPECT_EQ(conch(run).status, 0);
  EXPECT_FALSE(has(read("run.ndjson"), "state"));
  EXPECT_EQ(conch("view " + path("run.ndjson") + " --out " + path("run.html")).status, 0);
  EXPECT_TRUE(has(film("run.html"), R"("family":"peers")"));
}

TEST_F(View, OfATraceThatBreaksSomething) {
  EXPECT_EQ(conch("sim central --suspect holder@50ms --trace " + path("run.ndjson")).status, 2);
  EXPECT_EQ(conch("view " + path("run.ndjson") + " --out " + path("run.html")).status, 0);
  std::string bytes = film("run.html");
  EXPECT_TRUE(has(bytes, R"("property":"ME1")"));
}

TEST_F(View, WhatCannotBeShown) {
  write("bad.ndjson", "{\"at\":1,\"event\":\"exit\",\"node\":2}\n{\"at\":2,\"event\":\"dance\"}\n");
  write("huge.ndjson", "{\"at\":1,\"event\":\"exit\",\"node\":4000000000}\n");
  expect_refused("view " + path("bad.ndjson") + " --out x", "line 2: unknown event");
  expect_refused("view " + path("huge.ndjson") + " --out x", "is no node of a simulation");
  expect_refused("view", "nothing to show: give a trace");
  expect_refused("view naimi_trehl", "did you mean naimi_trehel?");
  expect_refused("view naimi_trehel --out " + path("no/where.html"), "cannot write to");
  expect_refused("view naimi_trehel --http 0.0.0.0:0", "will not listen on");
  expect_refused("sim central --seeds 1..3 --view", "--view shows one run");
  expect_refused("sim central --view --trace " + path("run.shiviz"), "not both");
  expect_refused("sim central --states", "--states needs --trace");
}

TEST_F(View, IsServedUntilItIsInterrupted) {
  write("serve.sh", "exec " CONCH_COMMAND " view naimi_trehel 2>\"$1\"\n");
  // look.sh waits for the line with the address, fetches both pages, and interrupts the server.
  write("look.sh",
        "set -e\nmkfifo \"$1/said\"\nsh \"$1/serve.sh\" \"$1/said\" & server=$!\n"
        "exec 3<\"$1/said\"\nread -r line <&3\necho \"$line\"\n"
        "url=$(echo \"$line\" | sed 's/.*\\(http[^ ]*\\).*/\\1/')\n"
        "address=${url#http://}; address=${address%/}\n"
        "for page in / /film; do exec 4<>\"/dev/tcp/${address%:*}/${address##*:}\"\n"
        "printf 'GET %s HTTP/1.0\\r\\n\\r\\n' $page >&4; head -c 700 <&4 | tr -d '\\0'; exec 4<&-; "
        "done\n"
        "kill -INT $server; wait $server; echo \"ended with $?\"\n");
  Outcome outcome = shell::run("bash " + path("look.sh") + " " + path("") + " 2>&1");
  EXPECT_TRUE(outcome.out.starts_with("showing the run on http://127.0.0.1:")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "/ until Ctrl-C\n")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "<!doctype html>")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "application/octet-stream")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "conchfil")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "ended with 0")) << outcome.out;
}

}  // namespace view_test
