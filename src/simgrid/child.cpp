#include "simgrid/child.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

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
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left to answer
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
  _exit(0);  // what the parent does at its end is not ours to do
}

/// All that comes until the other end is closed. False: it did not come in time.
bool read_all(int pipe, std::chrono::seconds limit, std::string& text) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wanted{pipe, POLLIN, 0};
    int ready = left.count() > 0 ? poll(&wanted, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    std::array<char, 4096> buffer{};
    ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("died of ") + strsignal(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status)) + " and said nothing";
}

}  // namespace

std::string in_child(const std::function<std::string()>& f, std::chrono::seconds limit) {
  Pipe pipe = create_pipe();
  std::fflush(nullptr);  // or the child has it, too, and SimGrid prints it
  pid_t child = fork();
  if (child == 0) {
    close(pipe.read_end);
    be_child(pipe.write_end, f);
  }
  close(pipe.write_end);
  std::string answer;
  bool in_time = child > 0 && read_all(pipe.read_end, limit, answer);
  close(pipe.read_end);
  if (child < 0) throw ChildFailed(std::string("no child process: ") + std::strerror(errno));
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    throw ChildFailed("not done after " + std::to_string(limit.count()) + " s of real time");
  if (answer.empty()) throw ChildFailed("the process that ran it " + how_it_ended(status));
  if (answer.front() == threw) throw ChildFailed(answer.substr(1));
  return answer.substr(1);
}

}  // namespace conch::simgrid
