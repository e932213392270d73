// Shifts the wall clock of a process from outside: clock_gettime(CLOCK_REALTIME), gettimeofday and
// time of a program that is linked with this. Steady clocks are not changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "shared_page.hpp"

namespace conch::chaos {

using ClockOffset = testing::SharedPage<std::atomic<std::int64_t>>;

/// From now on the wall clock is off by the nanoseconds in this file, a ClockOffset, at each call.
void follow_clock(const std::string& file);

}  // namespace conch::chaos
