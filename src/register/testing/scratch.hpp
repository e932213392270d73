// What tests with real files and real processes need: both are gone when the test is over, however
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

namespace conch {

class ScratchDirectory {
 public:
  ScratchDirectory() : path_((std::filesystem::temp_directory_path() / "conch.XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) throw std::runtime_error("no scratch directory at " + path_);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Whether it becomes readable in time.
inline bool readable(int descriptor, std::chrono::milliseconds in) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(in.count())) > 0;
}

/// A process that does one thing. Its exit status is what that returns, or 99 after an exception.
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
  /// Until it has stopped itself, or been stopped.
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
