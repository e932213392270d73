// The course of a measurement, which is the same for all ways.
#pragma once

#include <cstddef>
#include <cstdint>

namespace conch::bench {

/// One measurement: two processes hand a block of this size to each other this many times.
struct Course {
  std::size_t size = 0;
  int handovers = 0;
};

/// The first handovers, in which memory is mapped and connections are made, are not measured.
inline constexpr int warm_up_handovers = 6;
/// The giver waits this long before each handover, so that the next holder is asleep.
inline constexpr std::uint64_t asleep_ns = 50'000;

}  // namespace conch::bench
