// Tests `conch lock` with locks that are files: see lock_program.cpp.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "register/testing/scratch.hpp"

namespace conch::lock_command_test {

struct Result {
  int status = -1;
  std::string out;

  bool operator==(const Result&) const = default;
};
void PrintTo(const Result& result, std::ostream* out) {
  *out << "status " << result.status << ", \"" << result.out << "\"";
}

class LockCommandTest : public testing::Test {
 protected:
  LockCommandTest() {
    ::setenv("LOCKS", scratch.path().c_str(), 1);
    ::setenv("CONCH", LOCK_PROGRAM " lock", 1);
    ::unsetenv("CONCH_GROUP");
    ::mkfifo((scratch.path() + "/lost").c_str(), 0600);
  }

  /// Runs a script for at most 20 seconds. In it $CONCH is `conch lock`, `hold` holds a lock until
  /// `let_go`, and `await FILE` waits for a file.
  static Result run(const std::string& script) {
    std::string functions =
        "await() { while test ! -e $LOCKS/$1; do sleep 0.01; done; }\n"
        "hold() { $CONCH $1 -- sh -c 'touch $LOCKS/in; while test ! -e $LOCKS/go; do sleep 0.01; "
        "done' & await in; }\n"
        "let_go() { touch $LOCKS/go; wait; }\n";
    ::setenv("SCRIPT", (functions + script).c_str(), 1);
    FILE* pipe = ::popen("timeout 20 sh -c \"$SCRIPT\" 2>&1", "r");
    Result result;
    std::array<char, 4096> bytes{};
    while (std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe))
      result.out.append(bytes.data(), size);
    result.status = WEXITSTATUS(::pclose(pipe));
    return result;
  }

  ScratchFolder scratch;
};

TEST_F(LockCommandTest, RunsTheCommandAndReturnsItsStatus) {
  EXPECT_EQ(run("$CONCH deploy -- sh -c 'echo $CONCH_LOCK $CONCH_FENCE; exit 3'"),
            (Result{3, "deploy 1\n"}));
  EXPECT_EQ(run("$CONCH deploy --timeout 1s --grace 250ms -- sh -c 'echo $CONCH_FENCE'"),
            (Result{0, "2\n"}));
}

TEST_F(LockCommandTest, TheCommandsWordsAreItsOwn) {
  EXPECT_EQ(run("$CONCH a -- echo --try -- '[1,2]' --help -c '' \"a  b\""),
            (Result{0, "--try -- [1,2] --help -c  a  b\n"}));
}

TEST_F(LockCommandTest, ACommandIsNeededAndItsPlaceIsAfterTheDashes) {
  const std::string usage = "; usage: conch lock NAME [OPTIONS] -- COMMAND...\n";
  EXPECT_EQ(run("$CONCH a"), (Result{1, "conch: no command to run under the lock" + usage}));
  EXPECT_EQ(run("$CONCH a --"), (Result{1, "conch: no command after the --" + usage}));
  EXPECT_EQ(run("$CONCH a true"), (Result{1, "conch: write -- before the command" + usage}));
  EXPECT_EQ(run("$CONCH -- a true"), (Result{1, "conch: no lock name before the --" + usage}));
  EXPECT_NE(run("$CONCH a b -- true").status, 0);
}

TEST_F(LockCommandTest, BadOptionsAreExplained) {
  EXPECT_EQ(
      run("$CONCH a --timeout soon -- true"),
      (Result{1, "conch: --timeout: \"soon\" is not a duration such as 500ms, 1.5s or 1m30s\n"}));
  EXPECT_NE(run("$CONCH a --group ../b -- true").out.find("is not a group name"),
            std::string::npos);
  EXPECT_NE(run("CONCH_GROUP=../b $CONCH a -- true").out.find("is not a group name"),
            std::string::npos);
  EXPECT_NE(run("$CONCH '' -- true").out.find("cannot be the name of a lock"), std::string::npos);
  EXPECT_NE(run("$CONCH a --try --timeout 1s -- true").status, 0);
  EXPECT_NE(run("$CONCH a --lost-status 256 -- true").status, 0);
}

TEST_F(LockCommandTest, WhoTriesDoesNotWait) {
  EXPECT_EQ(run("hold a; $CONCH a --try -- echo no; echo $?; let_go"),
            (Result{0, "conch: a was not obtained: it was not free\n75\n"}));
}

TEST_F(LockCommandTest, WhoWaitsDoesNotWaitForEver) {
  EXPECT_EQ(run("hold a; $CONCH a --timeout 50ms --not-obtained-status 9 -- echo no; echo $?;"
                "let_go"),
            (Result{0, "conch: a was not obtained: it was not free in time\n9\n"}));
}

TEST_F(LockCommandTest, DurationsNeedNoUnitAndMayHaveSeveral) {
  EXPECT_EQ(run("hold a; $CONCH a --timeout 0.05 -- echo no 2>&-; echo $?; let_go"),
            (Result{0, "75\n"}));
  EXPECT_EQ(run("$CONCH a --timeout 1m30s --grace 3 -- echo in"), (Result{0, "in\n"}));
}

TEST_F(LockCommandTest, ReadersShare) {
  EXPECT_EQ(run("hold 'a --shared'; $CONCH a --shared -- echo in; let_go"), (Result{0, "in\n"}));
}

TEST_F(LockCommandTest, ATimeoutOfNothingIsATry) {
  EXPECT_EQ(run("hold a; $CONCH a --timeout 0s -- echo no; echo $?; let_go"),
            (Result{0, "conch: a was not obtained: it was not free\n75\n"}));
}

TEST_F(LockCommandTest, AGroupThatCannotBeUsedHasAStatusOfItsOwn) {
  EXPECT_EQ(run("$CONCH a --group forbidden --not-obtained-status 9 -- true"),
            (Result{69, "conch: a was not obtained: this group is forbidden\n"}));
}

TEST_F(LockCommandTest, ASignalWhileItWaitsIsAnAnswer) {
  for (auto [name, number] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    std::string wait = "env --default-signal=INT $CONCH a --verbose -- echo no 2>$LOCKS/log & ";
    EXPECT_EQ(run("rm -f $LOCKS/in $LOCKS/go; hold a; " + wait +
                  "until grep -qs waiting $LOCKS/log; do sleep 0.01; done; kill -" + name +
                  " $!; wait $!; echo $?; rm $LOCKS/log; let_go"),
              (Result{0, std::to_string(number) + "\n"}));
  }
}

TEST_F(LockCommandTest, WhatCannotBeRunIsExplained) {
  EXPECT_EQ(run("$CONCH a -- ./nothing"),
            (Result{127, "conch: cannot run ./nothing: No such file or directory\n"}));
}

TEST_F(LockCommandTest, ALostLockEndsTheCommand) {
  EXPECT_EQ(run("$CONCH a --lost-status 6 --grace 50ms -- sh -c 'trap \"\" TERM; touch $LOCKS/in; "
                "while :; do sleep 0.01; done' & await in; : >$LOCKS/lost; wait $!"),
            (Result{6, "conch: a was lost, and the command was terminated\n"}));
}

TEST_F(LockCommandTest, VerboseSaysWhatHappens) {
  EXPECT_EQ(run("$CONCH a --verbose -- true"),
            (Result{0,
                    "conch: waiting for a\nconch: obtained a, fence 1\n"
                    "conch: the command exited with status 0\n"
                    "conch: a is released\n"}));
}

TEST_F(LockCommandTest, TheLockOfOneThatWasKilledIsFreeWhenItsCommandIsGone) {
  EXPECT_EQ(run("$CONCH a -- sh -c 'touch $LOCKS/in; sleep 1000 & sleep 1000' & await in; "
                "kill -9 $!; $CONCH a --timeout 10s -- sh -c 'pgrep -cf \"^sleep 1000\" -g 0 "
                "|| echo $CONCH_FENCE' | tail -1"),
            (Result{0, "2\n"}));
}

TEST_F(LockCommandTest, TwentyAtOnceTakeTurns) {
  EXPECT_EQ(
      run("for i in $(seq 20); do $CONCH a -- sh -c "
          "'n=$(cat $LOCKS/n 2>/dev/null || echo 0); sleep 0.01; echo $((n + 1)) >$LOCKS/n' & "
          "done; wait; cat $LOCKS/n"),
      (Result{0, "20\n"}));
}

}  // namespace conch::lock_command_test
