// Worker processes that a command forks to show or measure something. They share memory with the
// command and do not outlive it, and none of them can make it wait for ever.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "net/descriptor.hpp"
#include "net/shared_state.hpp"

namespace conch::cli {

/// Ctrl-C or SIGTERM, thrown so that everything is cleaned up on the way out.
struct Interruption : std::runtime_error {
  explicit Interruption(int which) : std::runtime_error("interrupted"), signal(which) {}
  int signal;
};

/// Something expected did not happen in time.
struct TimedOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Seconds = std::chrono::duration<double>;

/// Returns the result of a system call; throws if it failed.
int checked(int result, const char* what);

/// Throws unless peers can run this algorithm, so that the error appears once and not in every
/// process.
void check_algorithm(const std::string& name);

/// CLOCK_MONOTONIC, which is the same in all processes.
std::uint64_t now_ns();
/// Sleeps without handling signals.
void doze(Seconds time);

/// Worker processes. Create it while the process has one thread, and start no other: fork copies
/// only the calling thread.
class WorkerProcesses {
 public:
  using Number = std::size_t;

  WorkerProcesses();
  /// Kills all workers that still run.
  ~WorkerProcesses();
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  /// Starts a worker. An exception in it is printed and ends it.
  Number begin(const std::function<void()>& work);
  pid_t process(Number member) const { return members_[member].process; }
  void signal(Number member, int number) const;
  /// Kills a worker with SIGKILL; `await` does not report that as a failure.
  void kill(Number member);

  // These throw Interruption, and std::runtime_error if a worker fails or is killed by another
  // process.

  void rest(Seconds time);
  /// Checks every millisecond. Throws TimedOut with `what` if it does not happen in time.
  void await(const std::function<bool()>& happened, Seconds patience, const std::string& what);
  /// Waits until all workers that were not killed have ended by themselves.
  void await_ends(Seconds patience);
  bool has_ended(Number member) const { return members_[member].ended; }

 private:
  struct Member {
    pid_t process = 0;
    bool killed = false;
    bool ended = false;
  };

  void reap();
  void take_signal();

  std::vector<Member> members_;
  sigset_t before_{};
  net::Descriptor signals_;
};

}  // namespace conch::cli
