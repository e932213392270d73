#include "explore/outcome.hpp"

#include <gtest/gtest.h>

#include "explore/report.hpp"

namespace conch::explore::outcome_test {

constexpr const char* numbers = R"({
  "runs": 12,
  "failures": 1,
  "failed_seeds": [
    7
  ],
  "messages": {
    "total": 345
  },
  "sometimes": {
    "a node leaves": 0,
    "a node joins": 3
  }
}
)";

TaskResult of_conch(int status, const std::string& output) {
  return read_outcome(Speaker::conch, {status, false, output}, {1, 12});
}

TEST(ExploreOutcome, NumbersAreRead) {
  TaskResult outcome = of_conch(0, numbers);
  EXPECT_EQ(outcome.ending, Ending::held);
  EXPECT_EQ(outcome.runs, 12u);
  EXPECT_EQ(outcome.messages, 345u);
  EXPECT_EQ(outcome.sometimes.at("a node joins"), 3u);
  EXPECT_EQ(outcome.failed_seeds, std::vector<std::uint64_t>{7});
}

TEST(ExploreOutcome, EndingsAreToldApart) {
  TaskResult broken = of_conch(2, std::string(numbers) + "ME1 broken at 1 s with seed 7: two\n");
  EXPECT_EQ(broken.ending, Ending::broken);
  EXPECT_EQ(broken.what, "ME1 broken at 1 s with seed 7: two");
  EXPECT_EQ(kind_of(broken), "broken: ME1");
  EXPECT_EQ(of_conch(3, numbers).ending, Ending::stuck);
  EXPECT_EQ(of_conch(134, "conch: broken invariant\n").ending, Ending::crashed);
  EXPECT_EQ(of_conch(1, "conch: --nodes: none\n").ending, Ending::refused);
  EXPECT_EQ(of_conch(1, std::string(numbers) + "conch: never seen\n").ending, Ending::held);
  EXPECT_EQ(of_conch(1, "==1==ERROR: AddressSanitizer\n").ending, Ending::crashed);
  EXPECT_EQ(read_outcome(Speaker::conch, {137, true, ""}, {}).ending, Ending::timed_out);
}

TEST(ExploreOutcome, ACheckersSometimesAreYesOrNo) {
  TaskResult outcome = of_conch(1,
                                "{\n  \"transitions\": 9,\n  \"complete\": false,\n"
                                "  \"sometimes\": {\"two wait\": true, \"a fault\": false}\n}\n");
  EXPECT_EQ(outcome.ending, Ending::held);
  EXPECT_EQ(outcome.runs, 1u);
  EXPECT_EQ(outcome.messages, 9u);
  EXPECT_EQ(outcome.sometimes.at("two wait"), 1u);
  EXPECT_EQ(outcome.sometimes.at("a fault"), 0u);
}

TEST(ExploreOutcome, FuzzTargetsAndChaosSayItInTheirWay) {
  TaskResult fuzz = read_outcome(
      Speaker::fuzz, {1, false, "fuzz: it was input 42; again: fuzz_frames 43 42\n"}, {40, 10});
  EXPECT_EQ(fuzz.ending, Ending::crashed);
  EXPECT_EQ(fuzz.failed_seeds, std::vector<std::uint64_t>{42});
  EXPECT_EQ(read_outcome(Speaker::fuzz, {0, false, ""}, {40, 10}).runs, 10u);
  EXPECT_EQ(read_outcome(Speaker::chaos, {77, false, "no namespaces\n"}, {}).ending,
            Ending::unable);
  TaskResult wrong = read_outcome(Speaker::chaos, {1, false, "a\nWRONG: two\nFAIL: b\n"}, {5, 1});
  EXPECT_EQ(wrong.ending, Ending::broken);
  EXPECT_EQ(wrong.what, "WRONG: two");
  EXPECT_EQ(wrong.failed_seeds, std::vector<std::uint64_t>{5});
}

TEST(ExploreReport, NothingIsSilent) {
  Tally ran{.family = "sim a"}, idle{.family = "sim b"}, unable{.family = "chaos c"};
  ran.add(of_conch(2, numbers), 1.5);
  unable.add({.ending = Ending::unable, .what = "no namespaces\n"}, 0.1);
  std::string text = table_of({ran, idle, unable});
  EXPECT_NE(text.find("never: a node leaves"), text.npos) << text;
  EXPECT_EQ(text.find("a node joins"), text.npos) << text;
  EXPECT_NE(text.find("not run: out of time"), text.npos) << text;
  EXPECT_NE(text.find("not run: no namespaces"), text.npos) << text;
  EXPECT_EQ(ran.found, 1u);
}

}  // namespace conch::explore::outcome_test
