// Tests that man pages and completions match the programs, and that the tools that read them accept
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "shell.hpp"

namespace conch::reference_test {

using Lines = std::vector<std::string>;

Lines lines_in(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const Lines& lines, const std::string& line) {
  return std::ranges::find(lines, line) != lines.end();
}

class ReferenceTest : public Shell, public testing::WithParamInterface<std::string> {
 protected:
  std::string program() const { return GetParam(); }
  std::string name() const { return program().substr(program().rfind('/') + 1); }

  Outcome outcome_of(Words words) {
    Process& process = start(std::move(words));
    process.finish_input();
    int status = process.await_exit();
    return {status, process.output()};
  }
  /// The output of the program; empty if it fails.
  std::string said(Words words) {
    words.insert(words.begin(), program());
    Outcome outcome = outcome_of(words);
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    return outcome.out;
  }
  /// Whether this machine has the tool. Tests of a missing tool are skipped.
  bool is_there(const std::string& tool) {
    return outcome_of({"sh", "-c", "command -v " + tool}).status == 0;
  }
  /// Writes the program's share folder and returns its path.
  std::string written() {
    said({"help", "--write", path("share")});
    return path("share");
  }
  Lines pages() {
    Lines found;
    for (const auto& entry : std::filesystem::directory_iterator(written() + "/man/man1"))
      found.push_back(entry.path().string());
    return found;
  }
  /// The completions that bash offers for the last of these words.
  Lines completed_by_bash(const Words& words) {
    std::string script =
        "source " + written() + "/bash-completion/completions/" + name() + "; COMP_WORDS=(";
    for (const std::string& word : words) script += " '" + word + "'";
    script += "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); $(complete -p " + name() +
              " | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\"";
    Outcome outcome = outcome_of({"bash", "--norc", "-c", script});
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    return lines_in(outcome.out);
  }
  std::string first_command() { return name() == "conch" ? "lock" : "sim"; }
};

TEST_P(ReferenceTest, ManPagesHaveNoMistakes) {
  ASSERT_TRUE(is_there("groff") || is_there("mandoc")) << "install groff-base or mandoc";
  EXPECT_GE(pages().size(), 8u);
  for (const std::string& page : pages()) {
    if (is_there("groff")) {
      EXPECT_EQ(outcome_of({"groff", "-man", "-Tutf8", "-ww", "-z", page}).out, "");
    }
    if (is_there("mandoc")) {
      EXPECT_EQ(outcome_of({"mandoc", "-Tlint", "-Wwarning", page}).out, "");
    }
  }
}

TEST_P(ReferenceTest, AManPageHasEveryOptionOfTheHelp) {
  std::string help = said({"help", first_command()});
  std::string page = said({"help", "--man", first_command()});
  std::size_t options = 0;
  for (const std::string& line : lines_in(help)) {
    std::size_t begin = line.find("--");
    if (!line.starts_with("  -") || begin == line.npos) continue;
    std::string option = line.substr(begin, line.find_first_of(" ,=", begin) - begin);
    std::string escaped;
    for (char c : option) escaped += c == '-' ? "\\-" : std::string(1, c);
    EXPECT_NE(page.find("\\fB" + escaped + "\\fR"), page.npos) << option;
    ++options;
  }
  EXPECT_GE(options, 8u) << help;
  std::string all = said({"help", "--man"});
  EXPECT_NE(all.find(name() == "conch" ? "conch\\-lock" : "conch\\-lab\\-sim"), all.npos) << all;
}

TEST_P(ReferenceTest, BashCompletesCommandsOptionsAndAlgorithms) {
  std::string command = first_command();
  EXPECT_TRUE(has(completed_by_bash({name(), ""}), command));
  EXPECT_EQ(completed_by_bash({name(), command.substr(0, 2)}), Lines{command});
  EXPECT_EQ(completed_by_bash({name(), "he"}), Lines{"help"});
  EXPECT_EQ(completed_by_bash({name(), "--vers"}), Lines{"--version"});
  EXPECT_EQ(completed_by_bash({name(), "completion", "z"}), Lines{"zsh"});
  if (name() != "conch") {
    EXPECT_EQ(completed_by_bash({name(), "sim", "naimi-trehel@"}),
              Lines{"naimi-trehel@idle-owner"});
    return;
  }
  EXPECT_EQ(completed_by_bash({name(), "lock", "deploy", "--tim"}), Lines{"--timeout"});
  EXPECT_EQ(completed_by_bash({name(), "lock", "--algorithm", "raym"}), Lines{"raymond"});
  EXPECT_EQ(completed_by_bash({name(), "peer", "--algorithm", "=", "raym"}), Lines{"raymond"});
  EXPECT_FALSE(has(completed_by_bash({name(), "lock", "--algorithm", ""}), "ring@passes-by"));
  EXPECT_EQ(completed_by_bash({name(), "trace", "ch"}), Lines{"check"});
  EXPECT_TRUE(has(completed_by_bash({name(), "lock", "deploy", "--", "tru"}), "true"));
  EXPECT_EQ(completed_by_bash({name(), "lock", "deploy", "--", "true", "--tim"}), Lines{""});
}

TEST_P(ReferenceTest, FishCompletesTheSame) {
  if (!is_there("fish")) GTEST_SKIP() << "there is no fish here";
  auto completed = [&](const std::string& line) {
    std::string script = "source " + written() + "/fish/vendor_completions.d/" + name() +
                         ".fish; complete -C '" + line + "'";
    std::string words;
    for (const std::string& each : lines_in(outcome_of({"fish", "-N", "-c", script}).out))
      words += each.substr(0, each.find('\t')) + "\n";
    return lines_in(words);
  };
  std::string command = first_command();
  EXPECT_EQ(completed(name() + " " + command.substr(0, 2)), Lines{command});
  EXPECT_EQ(completed(name() + " completion z"), Lines{"zsh"});
  if (name() != "conch") return;
  EXPECT_EQ(completed("conch lock deploy --tim"), Lines{"--timeout"});
  EXPECT_EQ(completed("conch lock --algorithm raym"), Lines{"raymond"});
}

TEST_P(ReferenceTest, ZshReadsItsCompletions) {
  if (!is_there("zsh")) GTEST_SKIP() << "there is no zsh here";
  std::string file = written() + "/zsh/site-functions/_" + name();
  EXPECT_TRUE(text_of(file).starts_with("#compdef " + name() + "\n"));
  Outcome outcome = outcome_of({"zsh", "-f", "-n", file});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.out, "");
}

TEST_P(ReferenceTest, AnotherShellIsRefused) {
  Outcome outcome = outcome_of({program(), "completion", "csh"});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Lock, ReferenceTest, testing::Values(CONCH_COMMAND));
#ifdef CONCH_LAB_COMMAND
INSTANTIATE_TEST_SUITE_P(Laboratory, ReferenceTest, testing::Values(CONCH_LAB_COMMAND));
#endif

}  // namespace conch::reference_test
