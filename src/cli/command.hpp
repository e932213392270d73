// A command that runs as a child of this process, and does not outlive it.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "register/directory.hpp"

namespace conch::cli {

struct CommandPlan {
  /// The program, looked for in $PATH, and its arguments.
  std::vector<std::string> words;
  /// `NAME=VALUE`, in addition to ours.
  std::vector<std::string> environment;
  /// Its process group, so that it is where its user believes it: before the terminal or not.
  pid_t group = 0;
  /// The signals that it blocks.
  sigset_t mask{};
};

class Command {
 public:
  /// Only while this process has one thread. Throws Error if there can be no more processes.
  explicit Command(const CommandPlan& plan);

  pid_t process() const { return process_; }
  /// Readable when it is known whether it could be started; -1 if that was asked.
  int news() const { return news_.number(); }
  /// The errno for which it could not; waits for it.
  std::optional<int> take_news();

 private:
  pid_t process_ = 0;
  /// Closed by a successful exec, and by a death before.
  file::Descriptor news_;
};

/// What shells say of a program that could not be started: 127 if there is none, else 126.
int status_of_failed_start(int error);

}  // namespace conch::cli
