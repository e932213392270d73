// The timeout argument of poll.
#pragma once

#include <algorithm>
#include <climits>

#include "net/clock.hpp"

namespace conch::net {

/// Rounds up, so that a wait of less than a millisecond does not become a busy loop.
inline int milliseconds_until(Time until) {
  Time now = steady_now();
  if (until <= now) return 0;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
  return static_cast<int>(std::min<long>(left, INT_MAX));
}

}  // namespace conch::net
