// Tests that the scenarios of tests/scenarios/ produce the output in their files. Runs in the root
// of the repository. With CONCH_REWRITE=1 in the environment it rewrites the files instead.
#include "sim/scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/line_diff.hpp"

namespace {

using conch::sim::print_diff;
using conch::sim::replay;
using conch::sim::Verb;
using conch::sim::verbs;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

bool rewriting() {
  const char* wish = std::getenv("CONCH_REWRITE");
  return wish != nullptr && std::string(wish) == "1";
}

std::vector<std::string> scenario_files() {
  std::vector<std::string> paths;
  if (!std::filesystem::exists("tests/scenarios")) return paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/scenarios"))
    if (entry.path().extension() == ".txt") paths.push_back(entry.path().generic_string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

class ScenarioFile : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioFile, HappensAsItSays) {
  std::string expected = read(GetParam());
  std::string actual = replay(expected);
  if (rewriting()) return write(GetParam(), actual);
  EXPECT_TRUE(actual == expected) << GetParam() << " (- is in the file, + is what happens):\n"
                                  << print_diff(expected, actual)
                                  << "to accept what happens: build/dev/conch replay --rewrite "
                                  << GetParam();
}

TEST_P(ScenarioFile, HasNoErrors) {
  std::string text = read(GetParam());
  for (std::string_view line : conch::sim::lines_of(text))
    EXPECT_FALSE(line.starts_with("error:")) << line;
}

TEST_P(ScenarioFile, BeginsWithItsTitle) {
  std::string title = read(GetParam());
  title.resize(std::min(title.find('\n'), title.size()));
  ASSERT_TRUE(title.starts_with("# ")) << title;
  EXPECT_LE(title.size(), 82u) << title;
  EXPECT_TRUE(std::isupper(static_cast<unsigned char>(title[2]))) << title;
  EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(title.back())) || title.back() == ']')
      << title;
  bool figure = GetParam().find("_figure_") != std::string::npos;
  if (figure) {
    EXPECT_NE(title.find(", fig"), std::string::npos) << title;
  }
  bool violation = GetParam().find("/violation_") != std::string::npos;
  if (violation) {
    EXPECT_NE(read(GetParam()).find("\nVIOLATION "), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioFile, testing::ValuesIn(scenario_files()), test_name);

/// The figures in the papers that show an execution; each has a scenario.
constexpr std::array figures = std::to_array<std::string_view>({
    "coulouris_figure_15_2_",
    "coulouris_figure_15_3_",
    "coulouris_figure_15_5_",
    "coulouris_figure_15_7_",
    "coulouris_figure_15_8_",
    "muhammad_figure_1_",
    "muhammad_figure_2_",
    "hernane_figure_1_",
    "hernane_figure_2_",
    "hernane_figure_3_",
    "hernane_figure_4_",
    "bertier_figure_2_",
    "bertier_figure_4_",
    "bertier_figure_7_8_",
});

TEST(ScenarioFiles, HaveEveryFigure) {
  std::vector<std::string> paths = scenario_files();
  for (std::string_view figure : figures) {
    std::string prefix = "tests/scenarios/" + std::string(figure);
    EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      return path.starts_with(prefix);
    })) << prefix;
  }
}

TEST(ScenarioFiles, AreThere) {
  ASSERT_TRUE(std::filesystem::exists("tests/scenarios")) << "run this in the repository's root";
  EXPECT_GE(scenario_files().size(), 20u);
}

TEST(ScenarioDocument, DescribesEveryVerb) {
  std::string document = read("docs/simulator.md");
  for (const Verb& verb : verbs())
    EXPECT_NE(document.find(std::string(verb.usage)), document.npos) << verb.usage;
}

}  // namespace
