// Tests each row of the table of exit statuses of `conch lock`, and what counts against --timeout.
#include "group_shell.hpp"

namespace conch::lock_exit_test {

class LockExitTest : public GroupShell {
 protected:
  using Row = std::pair<std::string, std::string>;

  static std::string trimmed(const std::string& text) {
    std::size_t begin = text.find_first_not_of(' ');
    std::size_t end = text.find_last_not_of(' ');
    return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
  }
  /// Parses rows like `| 75 | the lock ... |`, without backquotes.
  static std::vector<Row> rows_of_the_docs() {
    std::ifstream file("docs/lock.md");
    std::vector<Row> rows;
    std::string line;
    while (std::getline(file, line) && !line.starts_with("|---|")) continue;
    while (std::getline(file, line) && line.starts_with("| ")) {
      std::erase(line, '`');
      std::size_t bar = line.find('|', 1);
      rows.emplace_back(trimmed(line.substr(1, bar - 1)),
                        trimmed(line.substr(bar + 1, line.size() - bar - 2)));
    }
    return rows;
  }
  /// Parses rows like `  75   the lock ...`, after "Exit status:".
  static std::vector<Row> rows_of_the_help() {
    std::istringstream help(run({"lock", "--help"}).out);
    std::vector<Row> rows;
    std::string line;
    while (std::getline(help, line) && line != "Exit status:") continue;
    while (std::getline(help, line) && line.starts_with("  ")) {
      std::size_t gap = line.find("  ", 2);
      rows.emplace_back(trimmed(line.substr(0, gap)), trimmed(line.substr(gap)));
    }
    return rows;
  }
  /// The process between `conch lock` and its command.
  pid_t keeper() const {
    for (const auto& [id, name] : living())
      if (name == "lock keeper\n") return id;
    return 0;
  }
  void expect(const Outcome& outcome, int status, const std::string& sentence) {
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_TRUE(outcome.says(sentence)) << outcome.out;
  }
};

TEST_F(LockExitTest, TheDocsAndTheHelpHaveTheSameTable) {
  EXPECT_EQ(rows_of_the_docs(), rows_of_the_help());
  EXPECT_EQ(rows_of_the_help().size(), 9u);
}

TEST_F(LockExitTest, TheStatusIsTheCommands) {
  EXPECT_EQ(run({"lock", "deploy", "--", "sh", "-c", "exit 3"}).status, 3);
  EXPECT_EQ(run({"lock", "deploy", "--", "sh", "-c", "kill -9 $$"}).status, 128 + SIGKILL);
  expect(run({"lock", "deploy", "--", "/"}), 126, "cannot run /");
  expect(run({"lock", "deploy", "--", "./nothing"}), 127, "cannot run ./nothing");
}

TEST_F(LockExitTest, BadUsageIsOneWithAPeerAndWithout) {
  for (bool hosted : {false, true}) {
    if (hosted) ready_peer();
    expect(run({"lock", "deploy", "--frobnicate", "--", "true"}), 1, "--frobnicate");
    expect(run({"lock", "a\tb", "--", "true"}), 1, "cannot be the name of a lock");
    expect(run({"lock", "deploy", "--algorithm", "nonsense", "--", "true"}), 1, "nonsense");
    expect(run({"lock", "deploy", "--algorithm", "maekawa-textbook", "--", "true"}), 1, "specimen");
    expect(run({"lock", "deploy", "--shared", "--", "true"}), 1, "has no shared locks");
  }
}

TEST_F(LockExitTest, WithoutARegisterItIsUnavailable) {
  std::filesystem::create_directories(path("state/conch/default"));
  std::ofstream(path("state/conch/default/elsewhere")) << "--join 127.0.0.1:1\n";
  for (const char* name : {"state/conch", "state/conch/default"})
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  expect(run({"lock", "deploy", "--try", "--", "true"}), 69, "--join 127.0.0.1:1");
}

TEST_F(LockExitTest, JoiningHasABoundOfItsOwn) {
  // With this algorithm a peer joins only with the help of all others, and one of them is stopped.
  Process& silent = ready_peer({"--algorithm", "suzuki-kasami", "--lease", "2m"});
  silent.send(SIGSTOP);
  Outcome late = run({"lock", "deploy", "--timeout", "10ms", "--", "true"});
  expect(late, 69, "was not admitted to the group 'default' within 10000 ms");
  EXPECT_GE(late.took, Milliseconds(10'000));
}

TEST_F(LockExitTest, WhoseKeeperWasKilledIsTold) {
  Process& holder = holder_of("deploy");
  ASSERT_NE(keeper(), 0);
  ::kill(keeper(), SIGKILL);
  EXPECT_EQ(holder.await_exit(), 70) << holder.output();
}

TEST_F(LockExitTest, WhatIsNotFreeInTimeIsNotObtained) {
  for (bool hosted : {false, true}) {
    if (hosted) ready_peer();
    Process& holder = holder_of("deploy");
    for (const Words& patience :
         {Words{"--try"}, Words{"--timeout", "0s"}, Words{"--timeout", "20ms"}}) {
      Words words{"lock", "deploy"};
      words.insert(words.end(), patience.begin(), patience.end());
      words.insert(words.end(), {"--", "true"});
      expect(run(words), 75, "deploy was not obtained");
    }
    expect_end(holder);
  }
}

TEST_F(LockExitTest, AFreeLockIsObtainedHoweverShortTheTimeout) {
  for (bool hosted : {false, true}) {
    if (hosted) ready_peer();
    for (const char* timeout : {"0s", "1ms", "10ms"}) {
      Outcome outcome = run({"lock", "deploy", "--timeout", timeout, "--", "echo", "in"});
      expect(outcome, 0, "in\n");
    }
  }
}

TEST_F(LockExitTest, WhatIsLostIsTold) {
  ready_peer();
  Process& holder = holder_of("deploy");
  EXPECT_EQ(run({"unlock", "--force", "deploy", "--yes"}).status, 0);
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
}

TEST_F(LockExitTest, ADirectoryThatCannotBeUsedIsMisconfigured) {
  std::filesystem::create_directories(path("state/conch"));
  std::filesystem::permissions(path("state/conch"), std::filesystem::perms(0755));
  expect(run({"lock", "deploy", "--", "true"}), 78, "is open to other users");
}

TEST_F(LockExitTest, ASignalWhileItWaitsIsTold) {
  ready_peer();
  Process& holder = holder_of("deploy");
  Process& waiter = waiter_for("deploy");
  waiter.send(SIGTERM);
  EXPECT_EQ(waiter.await_exit(), 128 + SIGTERM) << waiter.output();
  expect_end(holder);
}

}  // namespace conch::lock_exit_test
