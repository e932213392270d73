// State that forked processes share.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "net/shared_state.hpp"

namespace conch::bench {

/// Nanoseconds of CLOCK_MONOTONIC, which is the same for all processes.
inline std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// A number in shared memory that only grows, and for which processes can wait. std::atomic::wait
/// does not work here: it serves the threads of one process.
class Gauge {
 public:
  std::uint32_t value() const { return value_.load(std::memory_order_acquire); }

  void raise_to(std::uint32_t value) {
    value_.store(value, std::memory_order_release);
    syscall(SYS_futex, &value_, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  }

  /// Needs no timeout: if a process fails, the parent gives up, and its children die with it.
  void await(std::uint32_t value) {
    for (std::uint32_t seen = this->value(); seen < value; seen = this->value())
      syscall(SYS_futex, &value_, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }

 private:
  std::atomic<std::uint32_t> value_{0};
};

}  // namespace conch::bench
