// `conch` as a shell meets it: processes with folders of their own, of which none is left when the
// test is over.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "register/testing/scratch.hpp"

namespace conch {

using Milliseconds = std::chrono::milliseconds;

/// Before a test says that something does not come about.
inline constexpr Milliseconds patience{20'000};

class Stopwatch {
 public:
  Milliseconds elapsed() const {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - start_);
  }
  Milliseconds left(Milliseconds of) const { return std::max(of - elapsed(), Milliseconds(0)); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Statuses that are none.
inline constexpr int still_running = -1;

/// What it prints, on both ways, is kept; what it reads comes from `say`.
class Process {
 public:
  explicit Process(std::vector<std::string> words) {
    std::array<int, 2> in = pipe();
    std::array<int, 2> out = pipe();
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    id_ = ::fork();
    if (id_ < 0) throw std::runtime_error("cannot fork");
    if (id_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(out[1], STDERR_FILENO);
      ::execvp(pointers[0], pointers.data());
      ::_exit(99);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
    ::fcntl(out_, F_SETFL, O_NONBLOCK);
    end_ = static_cast<int>(::syscall(SYS_pidfd_open, id_, 0));
    if (end_ < 0) throw std::runtime_error("no pidfd");
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    send(SIGKILL);
    std::ignore = await_exit();
    finish_input();
    ::close(out_);
    ::close(end_);
  }

  pid_t id() const { return id_; }
  bool has_ended() const { return status_ != still_running; }
  void send(int signal) const {
    if (!has_ended()) ::kill(id_, signal);
  }
  void say(std::string_view text) const {
    if (::write(in_, text.data(), text.size()) < 0) throw std::runtime_error("it does not read");
  }
  void finish_input() {
    if (in_ >= 0) ::close(std::exchange(in_, -1));
  }

  /// 128 and the signal for one that was killed.
  int await_exit(Milliseconds within = patience) {
    Stopwatch watch;
    while (!has_ended()) {
      std::array<pollfd, 2> sources{{{end_, POLLIN, 0}, {is_open_ ? out_ : -1, POLLIN, 0}}};
      if (::poll(sources.data(), sources.size(), ms(watch.left(within))) == 0) break;
      if (sources[1].revents != 0) read();
      int status = 0;
      if (sources[0].revents != 0 && ::waitpid(id_, &status, 0) == id_)
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    read();
    return status_;
  }
  /// Until it has printed this.
  bool await_output(std::string_view text, Milliseconds within = patience) {
    Stopwatch watch;
    while (printed_.find(text) == std::string::npos) {
      pollfd source{out_, POLLIN, 0};
      if (!is_open_ || ::poll(&source, 1, ms(watch.left(within))) == 0) return false;
      read();
    }
    return true;
  }
  const std::string& output() {
    read();
    return printed_;
  }

 private:
  static int ms(Milliseconds time) { return static_cast<int>(time.count()); }
  static std::array<int, 2> pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    return ends;
  }
  void read() {
    std::array<char, 4096> bytes{};
    ssize_t size = 0;
    while (is_open_ && (size = ::read(out_, bytes.data(), bytes.size())) > 0)
      printed_.append(bytes.data(), static_cast<std::size_t>(size));
    if (size == 0) is_open_ = false;
  }

  pid_t id_ = 0;
  int end_ = -1;
  int in_ = -1;
  int out_ = -1;
  bool is_open_ = true;
  int status_ = still_running;
  std::string printed_;
};

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

/// A machine on which no peer runs, as far as its processes can see. $SCRATCH is theirs.
class Shell : public ::testing::Test {
 protected:
  Shell() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // Whoever escapes comes to us.
    std::signal(SIGPIPE, SIG_IGN);       // NOLINT: who is dead does not read.
    ::setenv("SCRATCH", scratch.path().c_str(), 1);
    ::setenv("XDG_RUNTIME_DIR", path("run").c_str(), 1);
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
  /// `conch lock ... -- sh -c script`.
  Process& lock(Words words, const std::string& script) {
    words.insert(words.begin(), "lock");
    words.insert(words.end(), {"--", "sh", "-c", script});
    return conch(std::move(words));
  }
  /// Is in when it has printed "in", and goes when its input ends.
  Process& hold(Words words) { return lock(std::move(words), "echo in $CONCH_FENCE; cat"); }
  /// Prints "is in the group" when it is.
  Process& peer(Words words = {}) {
    words.insert(words.begin(), "peer");
    return conch(std::move(words));
  }
  /// A peer that is in.
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
  /// A new group whose lease is not five seconds.
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

  /// For what no descriptor tells.
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

  /// Processes that have to do with this test: number and name.
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
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("run"), error))
      if (entry.is_socket(error)) found.push_back(entry.path().string());
    return found;
  }
  /// Those who were killed may take a moment to be gone.
  void expect_nothing_left() const {
    EXPECT_TRUE(await([&] { return living().empty(); }))
        << living().size() << " are left, as " << living().front().second;
    EXPECT_EQ(sockets(), std::vector<std::string>{});
  }

  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ScratchDirectory scratch;

 private:
  std::list<Process> started_;
};

}  // namespace conch
