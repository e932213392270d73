// The last act of `conch demo`: two places with three peers each and a slow wire between them. All
// want one lock, once under Naimi-Trehel and once under a locality-aware algorithm.
#pragma once

#include <cstdint>
#include <string>

#include "cli/worker_processes.hpp"

namespace conch::cli {

struct PlacesResult {
  std::uint64_t entries = 0;
  /// Entries that followed one at the other place.
  std::uint64_t crossings = 0;
  Seconds mean_wait{};
  Seconds measured{};
  /// Two peers were inside at once.
  bool overlapped = false;
};

/// One-way delay between the places.
inline constexpr std::chrono::milliseconds between_places{15};

/// Throws TimedOut or Interruption.
PlacesResult work_in_two_places(const std::string& algorithm, Seconds measured);

}  // namespace conch::cli
