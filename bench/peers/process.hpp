// Processes that a benchmark starts: none outlives it, and none can make it wait for ever.
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

namespace conch::bench {

/// Ctrl-C, or SIGTERM: everything is cleaned up on the way out.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

using Deadline = std::chrono::steady_clock::time_point;

inline Deadline in(std::chrono::duration<double> time) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
}

/// Call once, before everything else: from then on SIGINT and SIGTERM become `Interrupted`.
void catch_interrupts();

/// Waits until one of the files is readable: its index; -1 when time is over.
int wait_readable(std::span<const int> files, Deadline deadline);

/// A file that is closed when this goes.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  ~File();
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

/// A child. It dies with this process, however that dies, and with this object. One that was moved
/// from has no child, and waiting for its end does no harm.
class Process {
 public:
  /// What the work returns, or the message of what it throws, is what `finish` tells.
  explicit Process(const std::function<std::string()>& work);
  /// Runs a program; what it prints goes to the file.
  static Process program(const std::vector<std::string>& command,
                         const std::filesystem::path& output);
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;

  pid_t pid() const { return pid_; }
  /// Readable when the process has ended.
  int fd() const { return life_.fd(); }
  void signal(int number) const;

  /// Waits for the end. Throws if it failed, was killed, or takes longer.
  std::string finish(Deadline deadline);

 private:
  void kill_and_reap() noexcept;

  pid_t pid_ = -1;
  File life_;
  File words_;
};

/// An event that children announce and this process counts.
class Reports {
 public:
  Reports();
  /// In a child.
  void report() const;
  /// Waits for this many more. Throws if a process ends instead, or if it takes longer.
  void await(std::uint64_t count, std::span<Process> by, Deadline deadline);

 private:
  File events_;
};

/// Lets time pass, but throws if one of these processes ends.
void watch(std::span<Process> processes, std::chrono::duration<double> time);

class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Which processors this process, and what it starts, may run on.
class Affinity {
 public:
  /// Those of the beginning.
  Affinity();
  std::size_t cores() const { return cores_.size(); }
  void free() const;
  /// All on the last of them: the first one serves most interrupts.
  void pin() const;

 private:
  std::vector<int> cores_;
};

}  // namespace conch::bench
