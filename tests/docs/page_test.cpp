// Tests the test of the pages: it parses pages, and notices when a command prints anything else
// than the page says.
#include "docs/page.hpp"

#include <gtest/gtest.h>

#include "docs/match.hpp"

namespace conch::docs {

using Lines = std::vector<std::string>;

std::string complaint_of(const std::string& text) {
  Page page = parse_page(text);
  return page.complaints.empty() ? "" : page.complaints.front();
}

TEST(PageTest, EveryBlockSaysWhatIsDoneWithIt) {
  EXPECT_NE(complaint_of("```\n$ conch status\n```\n").find("1: the block has no kind"),
            std::string::npos);
  EXPECT_NE(complaint_of("```bash\n$ conch status\n```\n").find("no kind"), std::string::npos);
  EXPECT_NE(complaint_of("```sh no-run\nconch peer\n```\n").find("write why"), std::string::npos);
  EXPECT_NE(complaint_of("```console shap\n$ conch\n```\n").find("\"shap\""), std::string::npos);
  EXPECT_NE(complaint_of("```text\nconch status\n```\n").find("a text has a command"),
            std::string::npos);
  EXPECT_NE(complaint_of("```console\nconch status\n```\n").find("no prompt"), std::string::npos);
  EXPECT_NE(complaint_of("And then\n\n    conch status\n").find("3: a block that is only indented"),
            std::string::npos);
  EXPECT_NE(complaint_of("```sh\ntrue\n").find("no end"), std::string::npos);
  EXPECT_EQ(complaint_of("```sh no-run it takes an hour\nconch peer\n```\n"), "");
}

TEST(PageTest, CommandsHaveTerminalsAndOutput) {
  Page page = parse_page(
      "# A page\n```console shape unordered with 60 => 2; a b => c\n$ one \\\n  two\nx\n\n"
      "2$ three\nalpha$ four\ny\n```\n");
  ASSERT_EQ(page.blocks.size(), 1u);
  const Block& block = page.blocks[0];
  EXPECT_EQ(block.precision, Precision::shape);
  EXPECT_TRUE(block.unordered);
  EXPECT_EQ(block.replacements,
            (std::vector<std::pair<std::string, std::string>>{{"60", "2"}, {"a b", "c"}}));
  std::vector<Command> commands = block.commands();
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].text, "one \\\n  two");
  EXPECT_EQ(commands[0].output, Lines{"x"});
  EXPECT_EQ(page.lines[commands[0].output_at], "x");
  EXPECT_EQ(commands[1].terminal, "2");
  EXPECT_EQ(commands[1].output, Lines{});
  EXPECT_EQ(commands[2].terminal, "alpha");
  EXPECT_EQ(page.lines[commands[2].output_at], "y");
}

TEST(PageTest, WhatRunningTextNamesIsFound) {
  Page page = parse_page(
      "Say `conch status` ([view](view.md#the-page), [etcd](https://etcd.io)),\nor `./dev`.\n");
  using Places = std::vector<std::pair<std::size_t, std::string>>;
  EXPECT_EQ(page.mentions, (Places{{0, "conch status"}, {1, "./dev"}}));
  EXPECT_EQ(page.links, (Places{{0, "view.md"}}));
  page = parse_page("See `src/sim/a.hpp`.\n```text\nby src/sim/b*\n```\n```sh\ncat src/c\n```\n");
  EXPECT_EQ(page.files, (Places{{0, "src/sim/a.hpp"}, {2, "src/sim/b*"}}));
}

TEST(MatchTest, ExactMeansExact) {
  EXPECT_TRUE(matches({"5 entries"}, {"5 entries"}, Precision::exact));
  EXPECT_FALSE(matches({"5 entries"}, {"6 entries"}, Precision::exact));
  EXPECT_FALSE(matches({"5 entries"}, {}, Precision::exact));
  EXPECT_FALSE(matches({}, {"5 entries"}, Precision::exact));
  EXPECT_FALSE(matches({"5 entries"}, {"5 entries", "more"}, Precision::exact));
}

TEST(MatchTest, WhatIsMeasuredMayDiffer) {
  auto match = [](const char* page, const char* actual) {
    return matches({page}, {actual}, Precision::measured);
  };
  EXPECT_TRUE(match("14 states, 60 bytes a state; 0.01 s", "14 states, 43 bytes a state; 1.2 s"));
  EXPECT_FALSE(match("14 states, 60 bytes a state; 0.01 s", "15 states, 60 bytes a state; 0.01 s"));
  EXPECT_FALSE(match("14 states; 0.01 s", "14 states; in 0.01 s"));
}

TEST(MatchTest, ByShapeOnlyWordsCount) {
  auto match = [](const char* page, const char* actual) {
    return matches({page}, {actual}, Precision::shape);
  };
  EXPECT_TRUE(match("8407ed405c7a67ed   55  3.5 s", "f904d1867cad83bb  1234  80 ms"));
  EXPECT_TRUE(match("  0.02 s  42 330 increments", " 12.10 s  980 increments"));
  EXPECT_TRUE(match("sum 0.000122662", "sum 9.4e-05"));
  EXPECT_TRUE(match("grew by 1.6 %", "grew by -0.1 %"));
  EXPECT_TRUE(match("2026-11-17T02:40:11.204Z peer", "2027-01-01T00:00:00.000Z peer"));
  EXPECT_TRUE(match("------  ---", "---  --------"));
  EXPECT_FALSE(match("3 entries", "3 exits"));
  EXPECT_FALSE(match("3 4 entries", "3 entries"));
  EXPECT_FALSE(match("held by 8407ed405c7a67ed", "held by nobody"));
}

TEST(MatchTest, DotsStandForAnyLines) {
  auto match = [](const Lines& page, const Lines& actual) {
    return matches(page, actual, Precision::exact);
  };
  EXPECT_TRUE(match({"a", "...", "d"}, {"a", "b", "c", "d"}));
  EXPECT_TRUE(match({"a", "...", "d"}, {"a", "d"}));
  EXPECT_TRUE(match({"..."}, {}));
  EXPECT_TRUE(match({"...", "d", "..."}, {"d", "d"}));
  EXPECT_FALSE(match({"a", "...", "d"}, {"a", "b", "c"}));
  EXPECT_FALSE(match({"a", "..."}, {"b", "c"}));
}

TEST(MatchTest, LinesMayComeInAnyOrder) {
  EXPECT_TRUE(matches({"a 1", "b 2"}, {"b 3", "a 4"}, Precision::shape, true));
  EXPECT_FALSE(matches({"a 1", "b 2"}, {"b 3", "a 4"}, Precision::shape));
  EXPECT_FALSE(matches({"a 1", "b 2"}, {"b 3", "b 4"}, Precision::shape, true));
}

}  // namespace conch::docs
