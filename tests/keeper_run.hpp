// Runs keeper_program, and ends all processes that descend from it when the test is over.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/descendants.hpp"
#include "net/testing/pipe.hpp"
#include "register/directory.hpp"
#include "register/testing/scratch.hpp"

namespace conch {

using net::Descriptor;

class KeeperRun : public testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds patience{20};

  KeeperRun() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopts orphans
    if (::mkfifo(fifo.c_str(), 0600) != 0) throw std::runtime_error("no FIFO");
    lock = Descriptor(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }
  ~KeeperRun() override {
    EXPECT_EQ(living(), std::vector<std::string>{}) << "were left behind";
    cli::kill_descendants();
  }

  /// `before` runs in the new process, before it becomes the program.
  void start(
      const std::vector<std::string>& command, std::chrono::milliseconds grace = patience,
      const std::function<void()>& before = [] {}) {
    std::vector<std::string> words{KEEPER_PROGRAM, fifo, std::to_string(lost_at),
                                   std::to_string(grace.count()), "--"};
    words.insert(words.end(), command.begin(), command.end());
    program = ::fork();
    if (program < 0) throw std::runtime_error("no process");
    if (program > 0) return output.in = {}, void();
    ::dup2(output.in.number(), STDOUT_FILENO);
    ::dup2(lost.out.number(), lost_at);
    before();
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(99);
  }
  void start_shell(const std::string& script, std::chrono::milliseconds grace = patience) {
    start({"sh", "-c", script}, grace);
  }

  /// The exit status of the program; -1 if it was killed, -2 if it does not end in time.
  int await_status() {
    int status = 0;
    bool ended = await([&] { return ::waitpid(program, &status, WNOHANG) == program; });
    if (!ended) return -2;
    program = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int run(const std::vector<std::string>& command) {
    start(command);
    return await_status();
  }
  int run_shell(const std::string& script) { return run({"sh", "-c", script}); }

  /// Waits until the output of the command contains this text.
  bool await_output(const std::string& text) {
    while (printed.find(text) == std::string::npos)
      if (!read_more()) return false;
    return true;
  }
  std::string all_output() {
    while (read_more()) {
    }
    return printed;
  }
  /// Waits until the command has printed nothing for 100 ms.
  bool await_silence() {
    return await([&] {
      bool is_silent = !readable(output.out.number(), std::chrono::milliseconds(100));
      return is_silent || !read_more();
    });
  }
  /// Waits until no process has the lock any more.
  bool await_free() const {
    pollfd one{lock.number(), POLLIN, 0};
    return ::poll(&one, 1, ms(patience)) > 0 && (one.revents & POLLHUP) != 0;
  }
  bool is_free() const {
    pollfd one{lock.number(), POLLIN, 0};
    ::poll(&one, 1, 0);
    return (one.revents & POLLHUP) != 0;
  }
  void lose_the_lock() { lost.in = {}; }

  /// The names of the descendants that have not ended.
  static std::vector<std::string> living() {
    std::vector<std::string> names;
    for (const cli::Descendant& one : cli::descendants_of(::getpid()))
      if (!one.is_zombie) names.push_back(one.name);
    return names;
  }
  static std::size_t count(const std::string& name) {
    std::vector<std::string> names = living();
    return static_cast<std::size_t>(std::count(names.begin(), names.end(), name));
  }
  pid_t keeper() const {
    for (const cli::Descendant& one : cli::descendants_of(::getpid()))
      if (one.name == "lock keeper") return one.process;
    return 0;
  }
  /// Checks the condition every millisecond.
  static bool await(const std::function<bool()>& condition) {
    for (auto deadline = Clock::now() + patience; Clock::now() < deadline; ::usleep(1000))
      if (condition()) return true;
    return condition();
  }
  static int ms(std::chrono::milliseconds time) { return static_cast<int>(time.count()); }

  static constexpr int lost_at = 50;
  ScratchFolder scratch;
  std::string fifo = scratch.path() + "/lock";
  Descriptor lock;
  Pipe output;
  Pipe lost;
  pid_t program = 0;
  std::string printed;

 private:
  /// False at the end of the output.
  bool read_more() {
    std::array<char, 4096> bytes{};
    if (!readable(output.out.number(), patience)) throw std::runtime_error("nothing is printed");
    ssize_t size = ::read(output.out.number(), bytes.data(), bytes.size());
    if (size > 0) printed.append(bytes.data(), static_cast<std::size_t>(size));
    return size > 0;
  }
};

}  // namespace conch
