// Independent runs on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace conch::lab {

/// Calls work(0), work(1), ... up to work(count - 1), in any order.
template <class Work>
void in_parallel(std::size_t count, Work&& work) {
  std::atomic<std::size_t> next = 0;
  auto take_turns = [&] {
    for (std::size_t index = next++; index < count; index = next++) work(index);
  };
  std::vector<std::jthread> others;
  std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, count); ++i) others.emplace_back(take_turns);
  take_turns();
}

}  // namespace conch::lab
