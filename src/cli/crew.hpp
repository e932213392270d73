// Processes that a command forks to show or to measure something. They share memory with it, none
// outlives it, and none of them can make it wait for ever.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "net/descriptor.hpp"

namespace conch::cli {

/// Ctrl-C, or SIGTERM: everything is cleaned up on the way out.
struct Interruption : std::runtime_error {
  explicit Interruption(int which) : std::runtime_error("interrupted"), signal(which) {}
  int signal;
};

/// Somebody did not do in time what was expected.
struct Stuck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Seconds = std::chrono::duration<double>;

/// The result of a system call; throws if it failed.
int checked(int result, const char* what);

/// Throws unless peers can run it: better here than in every process.
void check_algorithm(const std::string& name);

/// CLOCK_MONOTONIC, which is the same in all processes.
std::uint64_t now_ns();
/// In this process, without looking at signals.
void doze(Seconds time);

/// An object in memory that processes forked from here on share.
template <class T>
class Shared {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  Shared() {
    void* memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("there is no memory to share");
    object_ = new (memory) T;
  }
  ~Shared() { ::munmap(object_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  T* operator->() { return object_; }
  T& operator*() { return *object_; }

 private:
  T* object_;
};

/// A folder that goes with this object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Made while the process has one thread, and keeps it so: fork copies no other.
class Crew {
 public:
  using Number = std::size_t;

  Crew();
  /// Kills who is left.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Begins one more; what it throws is printed, and ends it.
  Number begin(const std::function<void()>& work);
  pid_t process(Number member) const { return members_[member].process; }
  void signal(Number member, int number) const;
  /// kill -9, which is no failure.
  void kill(Number member);

  // These throw if a member fails or is killed by others, and Interruption.

  void rest(Seconds time);
  /// Looks every millisecond. Throws Stuck, with what did not happen.
  void await(const std::function<bool()>& happened, Seconds patience, const std::string& what);
  /// Until all that have not been killed have ended by themselves.
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
