// Tests a command under a lock at a terminal: Ctrl-C reaches it once, Ctrl-Z stops it, and fg
// continues it.
#include <pty.h>
#include <termios.h>

#include "keeper_run.hpp"

namespace conch::keeper_terminal_test {

/// A shell in a session of its own; the test plays its user.
class KeeperTerminalTest : public KeeperRun {
 protected:
  KeeperTerminalTest() {
    int master = -1;
    int slave = -1;
    if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) return;
    keys = Descriptor(master);
    terminal = Descriptor(slave);
    ::fcntl(master, F_SETFD, FD_CLOEXEC);
    ::fcntl(slave, F_SETFD, FD_CLOEXEC);
  }

  void SetUp() override {
    if (!keys) GTEST_SKIP() << "there are no terminals here: mount devpts";
  }

  /// Starts the program as the foreground job of a shell. If the program stops, the shell continues
  /// it once; the shell ends with the program's status.
  void start_job(const std::string& script) {
    start({"sh", "-c", script}, patience, [this] { become_shell(); });
  }
  /// Starts the program as the only process of its session.
  void start_alone(const std::string& script) {
    start({"sh", "-c", script}, patience, [this] { open_terminal(); });
  }
  void press(char key) const { ASSERT_EQ(::write(keys.number(), &key, 1), 1); }
  static bool are_stopped(const std::string& name) {
    for (const cli::Descendant& one : cli::descendants_of(::getpid()))
      if (one.name == name && !one.is_stopped) return false;
    return count(name) > 0;
  }

  Descriptor keys;
  Descriptor terminal;

 private:
  void open_terminal() const {
    ::setsid();
    ::ioctl(terminal.number(), TIOCSCTTY, 0);
    ::dup2(terminal.number(), 0);
  }
  /// Turns this process into the shell. Returns in the job that it forks.
  void become_shell() const {
    ::close(keys.number());  // or the terminal is never hung up
    open_terminal();
    std::signal(SIGTTOU, SIG_IGN);
    pid_t job = ::fork();
    if (job == 0) {
      ::setpgid(0, 0);
      ::tcsetpgrp(0, ::getpid());
      std::signal(SIGTTOU, SIG_DFL);
      return;
    }
    ::setpgid(job, job);
    int status = 0;
    while (::waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
      ::usleep(50'000);
      if (::write(1, "stopped\n", 8) != 8) break;
      ::raise(SIGSTOP);  // until the user types fg
      ::kill(-job, SIGCONT);
    }
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
  }
};

const std::string counts_interrupts =
    "trap 'echo int' INT; trap 'exit 5' USR1; echo ready; while :; do sleep 0.01; done";

TEST_F(KeeperTerminalTest, CtrlCComesOnce) {
  start_job(counts_interrupts);
  ASSERT_TRUE(await_output("ready"));
  std::string expected = "ready\n";
  for (int i = 0; i < 5; ++i) {
    press('\x03');
    ASSERT_TRUE(await_output(expected += "int\n"));
    ::usleep(50'000);  // time for a second signal to arrive
  }
  for (const cli::Descendant& one : cli::descendants_of(program))
    if (one.name == "keeper_program") ::kill(one.process, SIGUSR1);
  EXPECT_EQ(await_status(), 5);
  EXPECT_EQ(all_output(), expected);
}

TEST_F(KeeperTerminalTest, CtrlZStopsBothAndFgContinuesThem) {
  start_job("echo ready; while sleep 0.01; do echo on; done");
  ASSERT_TRUE(await_output("on"));
  press('\x1a');
  ASSERT_TRUE(await_output("stopped\n"));
  EXPECT_TRUE(are_stopped("keeper_program"));
  EXPECT_TRUE(await_silence());
  EXPECT_FALSE(is_free());
  printed.clear();
  ::kill(program, SIGCONT);
  EXPECT_TRUE(await_output("on"));
  press('\x03');
  EXPECT_EQ(await_status(), 130);
}

/// Without a shell nobody could continue the job. The kernel knows that and does not stop it,
/// unless the keeper interferes.
TEST_F(KeeperTerminalTest, CtrlZDoesNotStopWhatNobodyContinues) {
  start_alone("echo ready; while sleep 0.01; do echo on; done");
  ASSERT_TRUE(await_output("on"));
  press('\x1a');
  ::usleep(100'000);
  printed.clear();
  EXPECT_TRUE(await_output("on"));
  press('\x03');
  EXPECT_EQ(await_status(), 130);
}

TEST_F(KeeperTerminalTest, WhenTheTerminalHangsUpNothingIsLeft) {
  start_job("echo ready; sleep 1000");
  ASSERT_TRUE(await_output("ready"));
  terminal = {};
  keys = {};
  EXPECT_TRUE(await_free());
  await_status();
  EXPECT_TRUE(await([] { return living().empty(); }));
}

}  // namespace conch::keeper_terminal_test
