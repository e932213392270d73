// Processes that a benchmark starts: none outlives it, and none can block it for ever.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "net/descriptor.hpp"
#include "net/scratch_folder.hpp"

namespace conch::bench {

using net::Descriptor;

/// Thrown after SIGINT or SIGTERM; destructors clean up.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

using Deadline = std::chrono::steady_clock::time_point;

inline Deadline in(std::chrono::duration<double> time) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
}

/// Call this first: from then on SIGINT and SIGTERM are thrown as `Interrupted`.
void catch_interrupts();

/// Waits until one of the files is readable. Returns its index, or -1 when the time is over.
int wait_readable(std::span<const int> files, Deadline deadline);

/// A child. It dies with this object, and with this process, however that ends. A moved-from object
/// has no child, and waiting for its end does nothing.
class Process {
 public:
  /// `finish` returns what the work returns, or throws the message of its exception.
  explicit Process(const std::function<std::string()>& work);
  /// Runs a program whose output goes to the file.
  static Process program(const std::vector<std::string>& command,
                         const std::filesystem::path& output);
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;

  pid_t pid() const { return pid_; }
  /// A descriptor that is readable when the process has ended.
  int fd() const { return life_.number(); }
  void signal(int number) const;

  /// Waits for the end. Throws if the process failed, was killed, or does not end in time.
  std::string finish(Deadline deadline);

 private:
  void kill_and_reap() noexcept;

  pid_t pid_ = -1;
  Descriptor life_;
  Descriptor words_;
};

/// An event that children report and this process counts.
class Reports {
 public:
  Reports();
  /// Called in a child.
  void report() const;
  /// Waits for `count` more reports. Throws if a process ends instead, or if it takes longer.
  void await(std::uint64_t count, std::span<Process> by, Deadline deadline);

 private:
  Descriptor events_;
};

/// Waits for this time, but throws if one of these processes ends.
void watch(std::span<Process> processes, std::chrono::duration<double> time);

/// The processors that this process and its children may use.
class Affinity {
 public:
  /// Remembers the processors that are allowed at first.
  Affinity();
  std::size_t cores() const { return cores_.size(); }
  void free() const;
  /// Pins to the last processor, because the first one serves most interrupts.
  void pin() const;

 private:
  std::vector<int> cores_;
};

}  // namespace conch::bench
