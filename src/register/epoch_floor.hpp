// Below which no epoch begins: the seconds since 1970, so that a register that was lost and founded
// anew goes on above the epochs, and so the fences, that it had handed out.
#pragma once

#include <chrono>

#include "core/types.hpp"

namespace conch {

/// A clock that shows a time before the build, or ten years after it, is wrong: then 0, and epochs
/// count on by one.
Epoch epoch_floor(std::chrono::sys_seconds now, std::chrono::sys_seconds built);
/// By the clock of this machine.
Epoch epoch_floor();

/// The same to the part of a second, for locks that have no epochs; the first fence of all if the
/// clock is wrong.
Fence fence_floor(std::chrono::sys_time<std::chrono::nanoseconds> now,
                  std::chrono::sys_seconds built);
Fence fence_floor();

}  // namespace conch
