// Tests that the examples of `conch help COMMAND` work.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "docs/page.hpp"
#include "docs/session.hpp"
#include "shell.hpp"

namespace conch::docs {

class HelpTest : public Shell {
 protected:
  HelpTest() : session_(scratch.path()) {}

  std::string help(const std::string& path) {
    return joined(session_.run("", "conch help " + path).lines);
  }
  /// All commands below this one, such as `lab run`.
  std::vector<std::string> commands(const std::string& path = "") {
    static const std::regex name("\n  ([a-z]+)  ");
    std::string text = help(path);
    text.erase(0, std::min(text.find("\nSubcommands:"), text.size()));
    std::vector<std::string> found;
    for (std::sregex_token_iterator i(text.begin(), text.end(), name, 1), end; i != end; ++i) {
      found.push_back(path + " " + i->str());
      for (const std::string& below : commands(found.back())) found.push_back(below);
    }
    return found;
  }
  static std::vector<std::string> examples_in(const std::string& help) {
    std::vector<std::string> examples;
    for (const std::string& line : lines_in(help))
      if (line.starts_with("  conch ")) examples.push_back(line.substr(2));
    return examples;
  }
  /// The example with options that make it take as little time as possible.
  static std::string shortened(std::string example) {
    static const std::vector<std::pair<std::regex, std::string>> rules{
        {std::regex("1\\.\\.[0-9]+"), "1..20"},
        {std::regex("check bully --nodes 3"), "check bully --nodes 2"},
        {std::regex("check end-to-end"), "check end-to-end --channel fifo"},
        {std::regex("--everywhere"), "--strike 40:kill:1"},
        {std::regex("conch view (?!.*--out)"), "conch view --out page.html "}};
    for (const auto& [from, to] : rules) example = std::regex_replace(example, from, to);
    return example;
  }

  ShellSession session_;
};

TEST_F(HelpTest, ExamplesWork) {
  for (const char* name : {"a", "b"})  // traces for the commands that read some
    session_.run("", std::string("conch peer --trace ") + name + ".ndjson");
  session_.run("", "conch lock deploy -- true");
  std::size_t count = 0;
  for (const std::string& command : commands())
    for (const std::string& example : examples_in(help(command))) {
      Printed printed = session_.run("", shortened(example));
      bool breaks = example.find("# ") != std::string::npos;
      EXPECT_TRUE(breaks ? printed.status == 2 || printed.status == 3 : printed.status == 0)
          << example << "\n"
          << joined(printed.lines) << "status " << printed.status;
      ++count;
    }
  EXPECT_GE(count, 20u);
}

}  // namespace conch::docs
