// Runs independent work on several cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace conch::lab {

/// Calls work(0) to work(count - 1), in any order, on up to `threads` threads; returns when all are
/// done. The first exception from `work` ends it early, and is thrown again here.
template <class Work>
void in_parallel(std::size_t count, std::size_t threads, Work&& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  auto take_turns = [&] {
    try {
      for (std::size_t index = next++; index < count; index = next++) work(index);
    } catch (...) {
      next = count;
      std::lock_guard guard(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(take_turns);
    take_turns();
  }
  if (failure) std::rethrow_exception(failure);
}

/// The same, on all cores.
template <class Work>
void in_parallel(std::size_t count, Work&& work) {
  in_parallel(count, std::max(1U, std::thread::hardware_concurrency()), work);
}

}  // namespace conch::lab
