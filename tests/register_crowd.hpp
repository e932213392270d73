// Many peers of one register as real processes; each reports on a pipe what it does.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "recovery/view.hpp"
#include "register/clock.hpp"
#include "register/directory.hpp"

namespace conch {

/// One process from its start to its end, and what it has reported.
class CrowdPeer {
 public:
  CrowdPeer(PeerInstance self, const std::vector<std::string>& command) : self_(self) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    output_ = net::Descriptor(ends[0]);
    net::Descriptor input(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int error = ::posix_spawn(&process_, words[0], &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start " + command[0]);
    last_word_ = file::since_boot();
  }
  CrowdPeer(const CrowdPeer&) = delete;
  CrowdPeer& operator=(const CrowdPeer&) = delete;
  ~CrowdPeer() {
    if (!lives_) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  const PeerInstance& self() const { return self_; }
  bool is_stopped() const { return stopped_; }
  int output() const { return output_.number(); }
  int status() const { return status_; }
  /// When the process last reported anything, or was woken.
  Duration last_word() const { return last_word_; }
  const std::vector<std::string>& lines() const { return lines_; }
  std::string last_line() const { return lines_.empty() ? "" : lines_.back(); }

  void stop() {
    send(SIGSTOP);
    int status = 0;
    if (lives_ && ::waitpid(process_, &status, WUNTRACED) == process_) {
      stopped_ = WIFSTOPPED(status);
      if (!stopped_) bury(status);
    }
    listen();
  }
  void wake() {
    stopped_ = false;
    last_word_ = file::since_boot();
    send(SIGCONT);
  }
  void ask_to_leave() const { send(SIGTERM); }
  /// Kills the process and waits for its death.
  void kill() {
    send(SIGKILL);
    int status = 0;
    if (lives_ && ::waitpid(process_, &status, 0) == process_) bury(status);
    listen();
  }
  /// Whether the process has ended, by itself or by a signal.
  bool has_ended() {
    int status = 0;
    if (lives_ && ::waitpid(process_, &status, WNOHANG) == process_) bury(status);
    listen();
    return !lives_;
  }

  /// Reads what the process has reported.
  void listen() {
    std::array<char, 4096> some;
    ssize_t size = 0;
    while ((size = ::read(output(), some.data(), some.size())) > 0) {
      heard_.append(some.data(), static_cast<std::size_t>(size));
      last_word_ = file::since_boot();
    }
    std::size_t end = 0;
    while ((end = heard_.find('\n')) != std::string::npos) {
      lines_.push_back(heard_.substr(0, end));
      heard_.erase(0, end + 1);
    }
  }

 private:
  void send(int signal) const {
    if (lives_) ::kill(process_, signal);
  }
  void bury(int status) {
    lives_ = false;
    stopped_ = false;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  PeerInstance self_;
  pid_t process_ = 0;
  net::Descriptor output_;
  bool lives_ = true;
  bool stopped_ = false;
  int status_ = -1;
  Duration last_word_{};
  std::string heard_;
  std::vector<std::string> lines_;
};

}  // namespace conch
