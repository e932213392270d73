// The time as a fence.
//
// The protocols over an overlay have nobody who remembers a lock for ever: its replicas may all
// forget it, one after the other, while nobody uses it. So whoever has nobody left to ask goes on
// at the time of its world, in units of 2^-32 s, which is above every fence that was handed out
// before: a fence begins at an earlier time, and no lock is handed on as often as every 2^-32 s.
#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace conch::overlay {

struct FenceClock {
  /// What the time was ...
  Fence origin = Fence(Epoch{}, 0);
  /// ... at this time of the world.
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
