// Many runs at once: over a range of seeds, on all cores, with a bar that shows how far it is.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"

namespace conch::cli {

/// The command line with its seeds replaced by one.
std::string repeat_command(const Invocation& invocation, std::uint64_t seed);

class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t total);
  ~ProgressBar();
  void update(std::uint64_t done, std::uint64_t failures) const;

 private:
  std::uint64_t total_;
  bool shown_;
};

/// From the first call on, Ctrl-C ends the runs of this process early instead of the process.
const std::atomic<bool>& interrupted_by_user();

/// Calls `run(index)` for 0 .. total-1 on all cores until the user loses patience, and `keep` with
/// each result, one at a time. What one finds does not depend on the others.
template <class Run, class Keep>
void run_each(std::uint64_t total, Run&& run, Keep&& keep) {
  const std::atomic<bool>& interrupted = interrupted_by_user();
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  auto work = [&] {
    for (std::uint64_t index = next++; index < total && !interrupted; index = next++) {
      auto result = run(index);
      std::lock_guard lock(mutex);
      keep(index, std::move(result));
    }
  };
  std::vector<std::jthread> workers;
  auto cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < std::min<std::uint64_t>(cores, total); ++i) workers.emplace_back(work);
  work();
}

}  // namespace conch::cli
