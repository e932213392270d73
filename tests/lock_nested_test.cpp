// Tests that `conch lock` refuses to run inside of a command that holds the same lock, and in no
// other case.
#include "group_shell.hpp"

namespace conch::lock_nested_test {

class LockNestedTest : public GroupShell {
 protected:
  LockNestedTest() {
    ::setenv("CONCH", CONCH_COMMAND, 1);
    ::unsetenv("CONCH_HELD");
  }
  static Outcome run_script(const Words& options, const std::string& script) {
    Words words{"lock"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sh", "-c", script});
    return run(words);
  }
  void expect_refused(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_TRUE(outcome.says("deploy is held by the conch lock that this one runs under (pid "))
        << outcome.out;
    EXPECT_FALSE(outcome.says("reached")) << outcome.out;
    EXPECT_LT(outcome.took, Milliseconds(5000));
  }
};

TEST_F(LockNestedTest, TheSameLockIsRefusedAtOnce) {
  for (bool hosted : {false, true}) {
    if (hosted) ready_peer();
    expect_refused(run_script({"deploy"}, "$CONCH lock deploy -- echo reached"));
    expect_refused(run_script(
        {"deploy"},
        "$CONCH lock other -- setsid -w sh -c '$CONCH lock deploy --try -- echo reached'"));
  }
}

TEST_F(LockNestedTest, AnotherLockOrAnotherGroupIsNot) {
  Outcome outcome = run_script({"deploy"},
                               "$CONCH lock other -- echo one && "
                               "$CONCH lock deploy --group second -- echo two && "
                               "XDG_STATE_HOME=$SCRATCH/s2 XDG_RUNTIME_DIR=$SCRATCH/r2 "
                               "$CONCH lock deploy -- echo three");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.out, "one\ntwo\nthree\n");
}

TEST_F(LockNestedTest, ReadersMayShareWithThemselves) {
  ready_peer({"--algorithm", "elmp"});
  Outcome shared = run_script({"deploy", "--shared"}, "$CONCH lock deploy --shared -- echo both");
  EXPECT_EQ(shared.status, 0) << shared.out;
  EXPECT_EQ(shared.out, "both\n");
  expect_refused(run_script({"deploy", "--shared"}, "$CONCH lock deploy -- echo reached"));
  expect_refused(run_script({"deploy"}, "$CONCH lock deploy --shared -- echo reached"));
}

TEST_F(LockNestedTest, WhoIsLeftBehindMayLockItAfterwards) {
  Process& outer = lock({"deploy"},
                        "(while ! test -e $SCRATCH/go; do sleep 0.01; done; "
                        "$CONCH lock deploy -- echo in later >$SCRATCH/out) >&- 2>&- &");
  EXPECT_EQ(outer.await_exit(), 0) << outer.output();
  std::ofstream(path("go")) << "";
  EXPECT_TRUE(await([&] { return lines_of("out") == std::vector<std::string>{"in later"}; }));
  expect_nothing_left();
}

/// The variable proves nothing by itself: the process that it names must be an ancestor, and must
/// be the same process as when it was set.
TEST_F(LockNestedTest, AVariableOfSomebodyElseIsNoProof) {
  Process& holder = lock({"deploy"}, "printf %s \"$CONCH_HELD\" >$SCRATCH/held; echo in 1; cat");
  expect_in(holder);
  std::string line = text_of(path("held"));
  ASSERT_TRUE(line.starts_with(std::to_string(holder.id()) + " ")) << line;
  ::setenv("CONCH_HELD", line.c_str(), 1);
  Outcome beside = run({"lock", "deploy", "--try", "--", "true"});
  EXPECT_EQ(beside.status, 75) << "it lives, and is no ancestor: " << beside.out;
  // The id of this process, with a start time that is not its own.
  std::string ours = std::to_string(::getpid()) + " 1" + line.substr(line.find('\t'));
  ::setenv("CONCH_HELD", ours.c_str(), 1);
  EXPECT_EQ(run({"lock", "deploy", "--try", "--", "true"}).status, 75);
  ::setenv("CONCH_HELD", "nonsense\n\t\n1 2\texclusive", 1);
  EXPECT_EQ(run({"lock", "deploy", "--try", "--", "true"}).status, 75);
  ::unsetenv("CONCH_HELD");
  expect_end(holder);
}

}  // namespace conch::lock_nested_test
