// Processes that want one lock all the time, and what they note while they do: for `conch bench`.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <conch/mutex.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cli/worker_processes.hpp"

namespace conch::cli {

inline constexpr std::size_t contenders_max = 64;

/// Keeps the latest 16384 samples.
class Samples {
 public:
  void add(std::uint64_t ns) { ns_[count_++ % ns_.size()] = static_cast<double>(ns); }
  std::span<const double> kept() const {
    return std::span(ns_).first(std::min<std::size_t>(count_, ns_.size()));
  }

 private:
  std::size_t count_ = 0;
  std::array<double, 1 << 14> ns_{};
};

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The statistics of one process, which alone writes them.
struct alignas(64) Account {
  std::uint64_t entries = 0;
  std::uint64_t handovers = 0;
  /// Messages sent while it waited, and the message that brought the token.
  std::uint64_t messages = 0;
  Samples gaps;
  Samples waits;
};

/// Shared by the processes.
struct Contention {
  // Only the lock holder accesses these.
  std::size_t last_holder = contenders_max;
  std::uint64_t unlocked_ns = 0;
  std::array<Account, contenders_max> accounts;

  /// Enters and leaves once; `counts` if that belongs to the measurement.
  void enter(Mutex& mutex, std::size_t process, bool counts) {
    Account& account = accounts[process];
    std::uint64_t called_ns = now_ns();
    mutex.lock();
    std::uint64_t in_ns = now_ns();
    bool handed_over = std::exchange(last_holder, process) != process;
    std::uint64_t gap_ns = in_ns - unlocked_ns;
    Receipt receipt = mutex.receipt();
    unlocked_ns = now_ns();
    mutex.unlock();
    if (!counts) return;
    ++account.entries;
    account.messages += receipt.messages_sent + (receipt.messages_received > 0 ? 1 : 0);
    account.waits.add(in_ns - called_ns);
    if (!handed_over) return;
    ++account.handovers;
    account.gaps.add(gap_ns);
  }
};

}  // namespace conch::cli
