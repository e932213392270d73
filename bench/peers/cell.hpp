// One measurement: several processes want the same lock again and again.
#pragma once

#include <span>

#include "contender.hpp"
#include "machine.hpp"

namespace conch::bench {

inline constexpr int processes_max = 8;
inline constexpr int locks_max = 1000;

struct Setting {
  int processes = 1;
  int locks = 1;
  double seconds = 1;
};

/// Times in nanoseconds; medians over all entries of all processes.
struct Reading {
  double entries_per_s = 0;
  /// Entries that follow an entry of another process.
  double handovers_per_s = 0;
  /// From the call of unlock until the next holder, another process, is inside.
  double gap_ns = 0;
  /// From the call of lock until the process is inside.
  double wait_ns = 0;
  /// The share of all entries, in percent, of the processes with the fewest and with the most.
  double share_min = 0;
  double share_max = 0;
  /// Messages and bytes per entry.
  double messages = 0;
  double bytes = 0;
};

/// Throws if a process fails or gets stuck, if two were inside at once, or if an entry was not
/// counted.
Reading measure(Contender& contender, const Setting& setting);

/// The median of each field.
Reading median(std::span<const Reading> readings);

}  // namespace conch::bench
