// Tests the two programs: `conch` is the lock, `conch-lab` the laboratory. `conch` runs `conch-lab`
// and contains no part of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "cli_run.hpp"
#include "register/testing/scratch.hpp"

namespace shell::programs_test {

constexpr const char* laboratory = CONCH_LAB_COMMAND;

/// The commands of a help text, each with its description: lines that begin with two spaces and a
/// word.
std::set<std::string> commands_in(const std::string& help, const std::string& heading) {
  std::set<std::string> commands;
  std::istringstream lines(help.substr(std::min(help.find(heading), help.size())));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) {
    std::istringstream words(line);
    std::string command;
    for (std::string word; words >> word;) command += (command.empty() ? "" : " ") + word;
    bool is_of_both = command.starts_with("help ") || command.starts_with("completion ");
    if (!is_of_both) commands.insert(command);
  }
  return commands;
}

TEST(Programs, TheLockContainsNothingOfTheLaboratory) {
  Outcome symbols = run("nm -C " CONCH_COMMAND " 2>&1");
  ASSERT_NE(symbols.out.find("conch::peer::"), std::string::npos) << "nm shows no names";
  for (const char* name : {"conch::sim::", "conch::check::", "conch::lab::", "conch::film::",
                           "conch::simgrid::", "conch::playground::", "conch::link::", "simgrid::"})
    EXPECT_EQ(symbols.out.find(name), std::string::npos) << name;
}

TEST(Programs, TheLockLoadsNothingOfTheLaboratory) {
  Outcome libraries = run("ldd " CONCH_COMMAND " 2>&1");
  ASSERT_NE(libraries.out.find("libfmt"), std::string::npos) << libraries.out;
  for (const char* name : {"simgrid", "mpi", "ns3", "boost", "libssl", "libcrypto"})
    EXPECT_EQ(libraries.out.find(name), std::string::npos) << libraries.out;
}

TEST(Programs, TheLockListsWhatTheLaboratoryDoes) {
  std::set<std::string> listed = commands_in(conch("--help").out, "The laboratory (conch-lab):");
  std::set<std::string> known =
      commands_in(run(std::string(laboratory) + " --help").out, "Subcommands:");
  EXPECT_GT(known.size(), 5U);
  EXPECT_EQ(listed, known);
}

TEST(Programs, BothHaveTheSameVersion) {
  std::string own = conch("--version").out;
  EXPECT_EQ(own.substr(own.find(' ')), run(std::string(laboratory) + " --version").out.substr(9));
}

TEST(Programs, WithoutTheLaboratoryTheLockSaysWhereItIs) {
  conch::ScratchFolder scratch;
  std::string alone = scratch.path() + "/conch";
  std::filesystem::copy_file(CONCH_COMMAND, alone);
  for (const char* arguments : {"sim naimi-trehel", "help sim"}) {
    Outcome outcome = run("PATH=" + scratch.path() + " " + alone + " " + arguments + " 2>&1");
    EXPECT_EQ(outcome.status, 127);
    EXPECT_EQ(outcome.out,
              "conch: sim is a command of the laboratory, which is not installed: install the "
              "package conch-lab, or build it with ./dev build\n");
  }
}

}  // namespace shell::programs_test
