// How long to leave somebody alone who could not be reached.
#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace conch::net {

/// After so many failures in a row; at once after none.
constexpr Duration back_off(unsigned failures) {
  constexpr Duration first = std::chrono::milliseconds(10);
  constexpr Duration longest = std::chrono::seconds(1);
  if (failures == 0) return Duration::zero();
  return std::min(longest, first * (1 << std::min(failures - 1, 10u)));
}

}  // namespace conch::net
