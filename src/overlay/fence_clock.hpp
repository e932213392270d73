// Clock time expressed as a fence.
//
// A protocol over an overlay has no permanent record of a lock: all of its replicas may forget an
// idle lock one after another. When no replica is left to ask, the protocol continues from the
// current time in units of 2^-32 s. That is above every fence handed out before: a fence starts at
// an earlier time, and no lock is handed on as often as once every 2^-32 s.
#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace conch::overlay {

struct FenceClock {
  /// The fence that stands for the time `since`.
  Fence origin = Fence(Epoch{}, 0);
  /// The world's time at which the clock showed `origin`.
  Time since{};

  constexpr Fence at(Time now) const {
    using namespace std::chrono;
    auto elapsed = std::max(duration_cast<nanoseconds>(now - since), nanoseconds::zero());
    auto whole = duration_cast<seconds>(elapsed);
    auto rest = static_cast<std::uint64_t>((elapsed - whole).count());
    return Fence(origin.number() + (static_cast<std::uint64_t>(whole.count()) << 32) +
                 (rest << 32) / std::nano::den);
  }
};

}  // namespace conch::overlay
