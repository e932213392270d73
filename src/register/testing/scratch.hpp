// Temporary directories and child processes for tests. Both are gone when the test is over, however
// it ends.
#pragma once

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "net/scratch_folder.hpp"

namespace conch {

/// Whether the descriptor becomes readable within this time.
inline bool readable(int descriptor, std::chrono::milliseconds in) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(in.count())) > 0;
}

/// A process that runs one function. Its exit status is the function's result, or 99 after an
/// exception.
class Child {
 public:
  explicit Child(const std::function<int()>& deed) : process_(::fork()) {
    if (process_ < 0) throw std::runtime_error("cannot fork");
    if (process_ != 0) return;
    int status = 99;
    try {
      status = deed();
    } catch (const std::exception& error) {
      const std::string text = std::string("child: ") + error.what() + "\n";
      if (::write(2, text.data(), text.size()) < 0) status = 98;
    }
    ::_exit(status);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (gone_) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  void send(int signal) const { ::kill(process_, signal); }
  /// Waits until it has stopped itself, or has been stopped.
  bool await_stop() { return WIFSTOPPED(await(WUNTRACED)); }
  int await_exit() {
    int status = await(0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int await(int options) {
    int status = 0;
    if (::waitpid(process_, &status, options) != process_)
      throw std::runtime_error("there is no such child any more");
    gone_ = !WIFSTOPPED(status);
    return status;
  }
  pid_t process_;
  bool gone_ = false;
};

}  // namespace conch
