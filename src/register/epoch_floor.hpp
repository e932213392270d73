// The lower bound for new epochs: the seconds since 1970. So a register that was lost and created
// anew continues above the epochs, and therefore the fences, that it had handed out.
#pragma once

#include <chrono>

#include "core/types.hpp"

namespace conch {

/// Returns 0 if the clock is wrong, that is, before the build or more than ten years after it. Then
/// each epoch is the last one plus one.
Epoch epoch_floor(std::chrono::sys_seconds now, std::chrono::sys_seconds built);
/// Uses the clock of this machine.
Epoch epoch_floor();

/// The same with fractions of a second, for locks without epochs; the smallest fence if the clock
/// is wrong.
Fence fence_floor(std::chrono::sys_time<std::chrono::nanoseconds> now,
                  std::chrono::sys_seconds built);
Fence fence_floor();

}  // namespace conch
