// The clock for leases (CLOCK_BOOTTIME). It runs while the machine sleeps, nobody can set it, and
// all processes of the machine share it. It starts again with every boot.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace conch::file {

/// Time since the machine booted, independent of the process's time namespace.
Duration since_boot();
/// Converts to CLOCK_BOOTTIME as this process sees it, for timers.
timespec on_own_clock(Duration since_boot);
/// Parses the CLOCK_BOOTTIME offset from /proc/PID/timens_offsets.
std::optional<Duration> boot_offset_in(std::string_view timens_offsets);

struct BootClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now() { return time_point(since_boot()); }
};
using BootTime = BootClock::time_point;

/// The kernel's id of this boot.
const std::string& boot();
/// Equal for processes whose clocks show the same time: those of one boot and one time namespace.
std::string clock_name();

}  // namespace conch::file
