// The wall clock of a process, set by somebody else: clock_gettime(CLOCK_REALTIME), gettimeofday
// and time of a program that is linked with this. The steady clocks are as they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "shared_page.hpp"

namespace conch::chaos {

using ClockOffset = testing::SharedPage<std::atomic<std::int64_t>>;

/// From here on the wall clock is off by as many nanoseconds as this file, a ClockOffset, says
/// whenever somebody looks.
void follow_clock(const std::string& file);

}  // namespace conch::chaos
