// A process that a test starts. Its output is kept, and it does not outlive the test.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace conch {

using Milliseconds = std::chrono::milliseconds;

/// How long tests wait before they report a timeout.
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

/// The value in place of an exit status while the process runs.
inline constexpr int still_running = -1;

/// Keeps what the process prints to standard output and error; `say` writes to its input.
class Process {
 public:
  /// `at_first` runs in the new process before it becomes the program.
  explicit Process(std::vector<std::string> words, const std::function<void()>& at_first = {}) {
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
      if (at_first) at_first();
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
  /// Returns after SIGSTOP only when the process has stopped, since it runs on until the kernel
  /// delivers the signal.
  void send(int signal) const {
    if (has_ended() || ::kill(id_, signal) != 0 || signal != SIGSTOP) return;
    siginfo_t stopped{};
    ::waitid(P_PID, static_cast<id_t>(id_), &stopped, WSTOPPED | WEXITED | WNOWAIT);
  }
  void say(std::string_view text) const {
    if (::write(in_, text.data(), text.size()) < 0) throw std::runtime_error("it does not read");
  }
  void finish_input() {
    if (in_ >= 0) ::close(std::exchange(in_, -1));
  }

  /// The exit status; 128 and the signal's number if the process was killed.
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
  /// Waits until the process has printed this text.
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

}  // namespace conch
