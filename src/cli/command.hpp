// A command that runs as a child of this process and does not outlive it.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "register/directory.hpp"

namespace conch::cli {

struct CommandPlan {
  /// The program, looked up in $PATH, and its arguments.
  std::vector<std::string> words;
  /// `NAME=VALUE`, in addition to our environment.
  std::vector<std::string> environment;
  /// Its process group, so that the command is in the foreground or background as its user expects.
  pid_t group = 0;
  /// The signals that it blocks.
  sigset_t mask{};
};

class Command {
 public:
  /// Call it while this process has only one thread. Throws Error if no process can be created.
  explicit Command(const CommandPlan& plan);

  pid_t process() const { return process_; }
  /// Becomes readable when it is known whether the command could be started; -1 after `take_news`.
  int news() const { return news_.number(); }
  /// Waits for the errno of a failed start; empty if it was started.
  std::optional<int> take_news();

 private:
  pid_t process_ = 0;
  /// A successful exec closes the write end, and so does the child's earlier death.
  net::Descriptor news_;
};

/// The exit status that shells use when a program cannot be started: 127 if there is none, else
/// 126.
int status_of_failed_start(int error);

}  // namespace conch::cli
