// The worker processes that a test has started. Those that still run are killed at the end.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace conch::testing {

class ChildProcesses {
 public:
  ChildProcesses() = default;
  ~ChildProcesses() {
    for (pid_t worker : workers_) ::kill(worker, SIGKILL);
    for (pid_t worker : workers_) ::waitpid(worker, nullptr, 0);
  }
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;

  std::size_t size() const { return workers_.size(); }
  pid_t newest() const { return workers_.back(); }

  void start(std::vector<std::string> arguments) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t worker = 0;
    ASSERT_EQ(::posix_spawn(&worker, argv[0], nullptr, nullptr, argv.data(), environ), 0);
    workers_.push_back(worker);
  }
  /// The index of the worker with this process id; `otherwise` if there is none.
  std::size_t find(pid_t process, std::size_t otherwise) const {
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (workers_[i] == process) return i;
    return otherwise;
  }
  /// Kills a worker; false if it had ended by itself just before.
  bool kill_one(std::size_t which) {
    pid_t worker = workers_[which];
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(which));
    ::kill(worker, SIGKILL);
    int status = 0;
    ::waitpid(worker, &status, 0);
    return WIFSIGNALED(status);
  }
  /// Expects that every worker ends by itself, with exit status 0.
  void expect_all_end(std::chrono::seconds patience) {
    using Clock = std::chrono::steady_clock;
    auto deadline = Clock::now() + patience;
    while (!workers_.empty() && Clock::now() < deadline) {
      int status = 0;
      pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended <= 0) {
        // waitpid has no deadline.
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        continue;
      }
      std::erase(workers_, ended);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    }
    EXPECT_TRUE(workers_.empty()) << workers_.size() << " still run";
  }

 private:
  std::vector<pid_t> workers_;
};

}  // namespace conch::testing
