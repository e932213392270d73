// The last act of `conch demo`: three peers in each of two places with a long wire between, which
// all want one lock, once under Naimi-Trehel and once under an algorithm that minds who is near.
#pragma once

#include <cstdint>
#include <string>

#include "cli/crew.hpp"

namespace conch::cli {

struct PlacesResult {
  std::uint64_t entries = 0;
  /// Entries after one from the other place.
  std::uint64_t crossings = 0;
  Seconds mean_wait{};
  Seconds measured{};
  /// Two were inside at once.
  bool overlapped = false;
};

/// One way, between the places.
inline constexpr std::chrono::milliseconds between_places{15};

/// Throws Stuck, Interruption.
PlacesResult work_in_two_places(const std::string& algorithm, Seconds measured);

}  // namespace conch::cli
