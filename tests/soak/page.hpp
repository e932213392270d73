// State that the processes of a soak share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "shared_page.hpp"

namespace conch::soak {

inline constexpr std::size_t locks_max = 100'000;

struct Page {
  std::atomic<std::uint64_t> entries;
  std::atomic<std::uint64_t> rejoins;
  /// Locks that were lost by their holder because a lease ran out.
  std::atomic<std::uint64_t> losses;
  std::atomic<std::uint64_t> overlaps;
  /// The number of the peer that has to leave and come back, from 1; 0 for none.
  std::atomic<std::uint32_t> leaver;
  std::atomic<std::uint32_t> joined;
  std::atomic<bool> over;
  /// For each lock, the process that is inside.
  std::array<std::atomic<std::int32_t>, locks_max> inside;
};

using SharedPage = testing::SharedPage<Page>;

}  // namespace conch::soak
