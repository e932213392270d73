// What the processes of a test share: a counter that only the holder of a lock touches, and what it
// takes to see two of them inside at once. It survives that a holder is killed.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <string>

#include "shared_page.hpp"

namespace conch::testing {

struct Arena {
  /// The process that is inside; 0: none.
  std::atomic<std::int32_t> inside;
  std::atomic<std::uint64_t> entries;
  /// Entries after another process.
  std::atomic<std::uint64_t> handovers;
  std::atomic<std::uint64_t> handovers_wanted;
  std::atomic<std::uint64_t> last_fence;
  /// What must not happen.
  std::atomic<std::uint64_t> overlaps;
  std::atomic<std::uint64_t> stale_fences;
  // What should happen, sometimes.
  std::atomic<std::uint64_t> rejoins;
  std::atomic<std::uint64_t> deaths_inside;
  std::atomic<std::uint64_t> losses;
  std::atomic<std::int32_t> last_process;
  /// Nobody starts before so many are ready.
  std::atomic<std::uint32_t> ready;
  std::atomic<std::uint32_t> ready_wanted;
};

/// Not even a zombie is inside.
inline bool is_alive(std::int32_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return false;
  char state = line[line.rfind(')') + 2];
  return state != 'Z' && state != 'X';
}

class SharedArena {
 public:
  explicit SharedArena(const std::string& file) : arena_(file) {}

  Arena* operator->() const { return &*arena_; }

  void enter(std::uint64_t fence) {
    std::int32_t before = arena_->inside.exchange(::getpid());
    if (before != 0) ++(is_alive(before) ? arena_->overlaps : arena_->deaths_inside);
    if (arena_->last_fence.exchange(fence) >= fence) ++arena_->stale_fences;
    if (arena_->last_process.exchange(::getpid()) != ::getpid()) ++arena_->handovers;
    ++arena_->entries;
  }
  void exit() {
    std::int32_t self = ::getpid();
    if (!arena_->inside.compare_exchange_strong(self, 0)) ++arena_->overlaps;
  }
  /// Instead, if the lock was lost meanwhile: whoever is inside now is there by right.
  void lose() {
    std::int32_t self = ::getpid();
    arena_->inside.compare_exchange_strong(self, 0);
    ++arena_->losses;
  }
  bool done() const { return arena_->handovers >= arena_->handovers_wanted; }

 private:
  SharedPage<Arena> arena_;
};

}  // namespace conch::testing
