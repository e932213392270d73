// State that the worker processes of a test share: a counter that only the holder of a lock
// changes, and what it takes to notice two holders inside at once. It lives in a mapped file, so it
// survives when a holder is killed.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <string>

#include "shared_page.hpp"

namespace conch::testing {

struct SharedMemory {
  /// The process that is inside; 0 if none is.
  std::atomic<std::int32_t> inside;
  std::atomic<std::uint64_t> entries;
  /// Entries that follow an entry of another process.
  std::atomic<std::uint64_t> handovers;
  std::atomic<std::uint64_t> handovers_wanted;
  std::atomic<std::uint64_t> last_fence;
  /// These must stay 0.
  std::atomic<std::uint64_t> overlaps;
  std::atomic<std::uint64_t> stale_fences;
  // These should happen now and then.
  std::atomic<std::uint64_t> rejoins;
  std::atomic<std::uint64_t> deaths_inside;
  std::atomic<std::uint64_t> losses;
  std::atomic<std::int32_t> last_process;
  /// No worker starts before `ready` reaches `ready_wanted`.
  std::atomic<std::uint32_t> ready;
  std::atomic<std::uint32_t> ready_wanted;
};

/// Whether a process runs; a zombie does not, so it is not inside either.
inline bool is_alive(std::int32_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return false;
  char state = line[line.rfind(')') + 2];
  return state != 'Z' && state != 'X';
}

class SharedMemoryFile {
 public:
  explicit SharedMemoryFile(const std::string& file) : memory_(file) {}

  SharedMemory* operator->() const { return &*memory_; }

  void enter(std::uint64_t fence) {
    std::int32_t before = memory_->inside.exchange(::getpid());
    if (before != 0) ++(is_alive(before) ? memory_->overlaps : memory_->deaths_inside);
    if (memory_->last_fence.exchange(fence) >= fence) ++memory_->stale_fences;
    if (memory_->last_process.exchange(::getpid()) != ::getpid()) ++memory_->handovers;
    ++memory_->entries;
  }
  void exit() {
    std::int32_t self = ::getpid();
    if (!memory_->inside.compare_exchange_strong(self, 0)) ++memory_->overlaps;
  }
  /// Leaves instead of `exit` if the lock was lost meanwhile: another process may be inside by
  /// right.
  void lose() {
    std::int32_t self = ::getpid();
    memory_->inside.compare_exchange_strong(self, 0);
    ++memory_->losses;
  }
  bool done() const { return memory_->handovers >= memory_->handovers_wanted; }

 private:
  SharedPage<SharedMemory> memory_;
};

}  // namespace conch::testing
