// The clock of leases: it goes on while the machine sleeps, nobody can set it, and all processes of
// the machine have the same. It begins anew with every boot.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace conch::file {

/// Since the machine was booted, also in a time namespace that shows something else.
Duration since_boot();
/// What CLOCK_BOOTTIME shows this process at that time, for timers.
timespec on_own_clock(Duration since_boot);
/// The offset of CLOCK_BOOTTIME in what /proc/PID/timens_offsets says.
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

/// Which boot.
const std::string& boot();
/// Equal for processes whose clocks show the same: of one boot, and of one time namespace.
std::string clock_name();

}  // namespace conch::file
