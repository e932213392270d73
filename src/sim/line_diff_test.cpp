#include "sim/line_diff.hpp"

#include <gtest/gtest.h>

namespace conch::sim::line_diff_test {

TEST(LineDiff, EqualTextsHaveNoDifference) {
  EXPECT_EQ(print_diff("", ""), "");
  EXPECT_EQ(print_diff("a\nb\n", "a\nb\n"), "");
}

TEST(LineDiff, ShowsWhatIsExpectedAndWhatIsThere) {
  EXPECT_EQ(print_diff("a\nb\nc\n", "a\nx\nc\n"), "line 1:\n  a\n- b\n+ x\n  c\n");
  EXPECT_EQ(print_diff("a\n", "a\nb\n"), "line 1:\n  a\n+ b\n");
  EXPECT_EQ(print_diff("a\nb\n", "b\n"), "line 1:\n- a\n  b\n");
}

TEST(LineDiff, KeepsWhatIsCommon) {
  std::vector<DiffLine> diff = diff_lines("a\nb\nc\nd\n", "b\nx\nd\ny\n");
  std::string common;
  for (const DiffLine& line : diff)
    if (line.side == DiffLine::Side::both) common += line.text;
  EXPECT_EQ(common, "bd");
}

TEST(LineDiff, LeavesOutWhatIsFarFromAnyChange) {
  std::string lines;
  for (int i = 1; i <= 30; ++i) lines += std::to_string(i) + "\n";
  std::string changed = lines;
  changed.replace(changed.find("20\n"), 3, "twenty\n");
  EXPECT_EQ(print_diff(lines, changed),
            "line 16:\n  16\n  17\n  18\n  19\n- 20\n+ twenty\n  21\n  22\n  23\n  24\n");
}

TEST(LineDiff, LargeTextsWithLittleInCommon) {
  std::string expected;
  std::string actual;
  for (int i = 0; i < 5000; ++i) {
    expected += "e" + std::to_string(i) + "\n";
    actual += "a" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(diff_lines(expected, actual).size(), 10'000u);
}

}  // namespace conch::sim::line_diff_test
