#include "simgrid/child.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

namespace conch::simgrid {

namespace {

constexpr char returned = 'R';
constexpr char threw = 'T';

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe create_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw ChildFailed(std::string("no pipe: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

[[noreturn]] void be_child(int pipe, const std::function<std::string()>& f) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // without a parent nobody reads the answer
  std::string answer;
  try {
    answer = returned + f();
  } catch (const std::exception& error) {
    answer = threw + std::string(error.what());
  }
  std::string_view rest = answer;
  while (!rest.empty()) {
    ssize_t written = write(pipe, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) break;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  _exit(0);  // skips the exit handlers of the parent
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("died of ") + strsignal(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status)) + " and said nothing";
}

/// Children that run at the same time; the destructor kills them.
class Children {
 public:
  Children(const std::function<std::string(std::size_t)>& f, std::chrono::seconds limit)
      : f_(f), limit_(limit) {}
  ~Children() {
    for (Child& child : running_) {
      kill(child.pid, SIGKILL);
      reap(child);
    }
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  std::size_t running() const { return running_.size(); }

  void start(std::size_t index) {
    Pipe pipe = create_pipe();
    std::fflush(nullptr);  // else the child inherits buffered text, and SimGrid prints it again
    pid_t pid = fork();
    if (pid == 0) {
      close(pipe.read_end);
      be_child(pipe.write_end, [&] { return f_(index); });
    }
    int error = errno;
    close(pipe.write_end);
    if (pid < 0) {
      close(pipe.read_end);
      throw ChildFailed(std::string("no child process: ") + std::strerror(error));
    }
    running_.push_back({index, pid, pipe.read_end, Clock::now() + limit_, {}});
  }

  /// Waits until a child has ended; returns its index and its answer.
  std::pair<std::size_t, std::string> next() {
    while (true) {
      std::vector<pollfd> wanted;
      for (const Child& child : running_) wanted.push_back({child.pipe, POLLIN, 0});
      // Children begin in order and have the same limit, so the first one is due first.
      auto left = std::chrono::ceil<std::chrono::milliseconds>(running_.front().due - Clock::now());
      int ready =
          left.count() > 0 ? poll(wanted.data(), wanted.size(), static_cast<int>(left.count())) : 0;
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0)
        throw ChildFailed("not done after " + std::to_string(limit_.count()) + " s of real time");
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i].revents != 0 && !read_from(running_[i])) return end(i);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Child {
    std::size_t index;
    pid_t pid;
    int pipe;
    Clock::time_point due;
    std::string answer;
  };

  /// False if the child has closed its end.
  static bool read_from(Child& child) {
    std::array<char, 4096> buffer{};
    ssize_t got = read(child.pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) child.answer.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  static int reap(const Child& child) {
    close(child.pipe);
    int status = 0;
    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }
  std::pair<std::size_t, std::string> end(std::size_t which) {
    Child child = std::move(running_[which]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
    int status = reap(child);
    if (child.answer.empty()) throw ChildFailed("the process that ran it " + how_it_ended(status));
    if (child.answer.front() == threw) throw ChildFailed(child.answer.substr(1));
    return {child.index, child.answer.substr(1)};
  }

  const std::function<std::string(std::size_t)>& f_;
  std::chrono::seconds limit_;
  std::vector<Child> running_;
};

}  // namespace

std::vector<std::string> in_children(std::size_t count,
                                     const std::function<std::string(std::size_t)>& f,
                                     std::chrono::seconds limit) {
  std::vector<std::string> answers(count);
  Children children(f, limit);
  std::size_t at_once = std::max(1u, std::thread::hardware_concurrency());
  std::size_t begun = 0;
  for (std::size_t ended = 0; ended < count; ++ended) {
    while (begun < count && children.running() < at_once) children.start(begun++);
    auto [index, answer] = children.next();
    answers[index] = std::move(answer);
  }
  return answers;
}

}  // namespace conch::simgrid
