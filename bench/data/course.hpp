// What all ways have in common: how a measurement goes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace conch::bench {

/// One measurement: a block that two processes hand to each other so often.
struct Course {
  std::size_t size = 0;
  int handovers = 0;
};

/// The first ones, of which memory comes to be mapped and connections to be made, are not measured.
inline constexpr int warm_up_handovers = 6;
/// Before each handover, the next holder waits at least so long: it is asleep.
inline constexpr std::uint64_t asleep_ns = 50'000;

}  // namespace conch::bench
