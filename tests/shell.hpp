// Runs `conch` from a shell: processes with folders of their own, none of which is left when the
// test is over.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "process.hpp"
#include "register/testing/scratch.hpp"

namespace conch {

struct Outcome {
  int status = still_running;
  std::string out;
  Milliseconds took{};

  bool says(std::string_view text) const { return out.find(text) != std::string::npos; }
};
inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << "status " << outcome.status << " after " << outcome.took.count() << " ms, \""
       << outcome.out << "\"";
}

/// A machine without a peer, as far as its processes can see. They have a folder in $SCRATCH.
class Shell : public ::testing::Test {
 protected:
  Shell() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopts orphans
    std::signal(SIGPIPE, SIG_IGN);       // NOLINT: a dead process does not read
    ::setenv("SCRATCH", scratch.path().c_str(), 1);
    ::setenv("XDG_STATE_HOME", path("state").c_str(), 1);
    ::unsetenv("CONCH_GROUP");
  }
  ~Shell() override {
    started_.clear();
    for (const auto& [id, name] : living()) ::kill(id, SIGKILL);
    EXPECT_TRUE(await([] { return ::waitpid(-1, nullptr, WNOHANG) < 0; })) << "cannot be killed";
  }

  using Words = std::vector<std::string>;

  std::string path(const std::string& name) const { return scratch.path() + "/" + name; }

  Process& start(Words words) { return started_.emplace_back(std::move(words)); }
  Process& conch(Words words) {
    words.insert(words.begin(), CONCH_COMMAND);
    return start(std::move(words));
  }
  /// Runs `conch lock ... -- sh -c script`.
  Process& lock(Words words, const std::string& script) {
    words.insert(words.begin(), "lock");
    words.insert(words.end(), {"--", "sh", "-c", script});
    return conch(std::move(words));
  }
  /// Holds a lock: prints "in" and the fence when it is inside, and releases when its input ends.
  Process& hold(Words words) { return lock(std::move(words), "echo in $CONCH_FENCE; cat"); }
  /// Starts a peer, which prints "is in the group" when it has joined.
  Process& peer(Words words = {}) {
    words.insert(words.begin(), "peer");
    return conch(std::move(words));
  }
  /// Starts a peer and waits until it has joined.
  Process& ready_peer(Words words = {}) {
    Process& process = peer(std::move(words));
    EXPECT_TRUE(process.await_output("is in the group")) << process.output();
    return process;
  }
  static Outcome run(Words words) {
    Stopwatch watch;
    words.insert(words.begin(), CONCH_COMMAND);
    Process process(std::move(words));
    process.finish_input();
    int status = process.await_exit();
    return {status, process.output(), watch.elapsed()};
  }
  /// Founds a group with this lease instead of the default of five seconds.
  void found(const std::string& lease) {
    Process& founder = ready_peer({"--lease", lease});
    founder.send(SIGTERM);
    EXPECT_EQ(founder.await_exit(), 0) << founder.output();
  }
  static std::uint64_t fence_in(Process& holder) {
    std::istringstream text(holder.output());
    std::string word;
    while (text >> word)
      if (word == "in") break;
    std::uint64_t fence = 0;
    text >> fence;
    return fence;
  }

  /// Polls a condition for which there is no descriptor to wait for.
  template <class Predicate>
  static bool await(Predicate&& predicate, Milliseconds within = patience) {
    Stopwatch watch;
    while (!predicate()) {
      if (watch.elapsed() >= within) return false;
      ::poll(nullptr, 0, 5);
    }
    return true;
  }

  std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream file(path(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  std::vector<std::uint64_t> numbers_in(const std::string& name) const {
    std::vector<std::uint64_t> numbers;
    for (const std::string& line : lines_of(name)) numbers.push_back(std::stoull(line));
    return numbers;
  }

  /// The processes that belong to this test: id and name.
  std::vector<std::pair<pid_t, std::string>> living() const {
    std::vector<std::pair<pid_t, std::string>> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      std::string number = entry.path().filename().string();
      if (number.find_first_not_of("0123456789") != std::string::npos) continue;
      bool is_ours = text_of(entry.path() / "environ").find(scratch.path()) != std::string::npos;
      if (is_ours && std::stoi(number) != ::getpid())
        found.emplace_back(std::stoi(number), text_of(entry.path() / "comm"));
    }
    return found;
  }
  std::vector<std::string> sockets() const {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("state"), error))
      if (entry.is_socket(error)) found.push_back(entry.path().string());
    return found;
  }
  /// Killed processes may take a moment to be gone.
  void expect_nothing_left() const {
    EXPECT_TRUE(await([&] { return living().empty(); }))
        << living().size() << " are left, as " << living().front().second;
    EXPECT_EQ(sockets(), std::vector<std::string>{});
  }

  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ScratchFolder scratch;

 private:
  std::list<Process> started_;
};

}  // namespace conch
