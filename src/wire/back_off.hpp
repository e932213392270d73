// How long to wait before dialing a peer again that could not be reached.
#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace conch::wire {

/// The longest pause before dialing a peer that does not answer: it may be back at any moment.
inline constexpr Duration longest_silence = std::chrono::seconds(1);
/// The longest pause before dialing a peer that refuses: most often its address belongs to another
/// process by now.
inline constexpr Duration longest_refusal = std::chrono::minutes(1);

/// The pause after so many failures in a row; zero after none.
constexpr Duration back_off(unsigned failures, Duration longest = longest_silence) {
  constexpr Duration first = std::chrono::milliseconds(10);
  if (failures == 0) return Duration::zero();
  return std::min(longest, first * (1 << std::min(failures - 1, 20u)));
}

}  // namespace conch::wire
