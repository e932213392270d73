// One measurement: a number of processes that all want the same lock, again and again.
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
  /// Entries after another process's.
  double handovers_per_s = 0;
  /// From the unlock call to the next holder, another process, being in.
  double gap_ns = 0;
  /// From the lock call to being in.
  double wait_ns = 0;
  /// Of the entries, in percent: who had the fewest, who had the most.
  double share_min = 0;
  double share_max = 0;
  /// Per entry.
  double messages = 0;
  double bytes = 0;
};

/// Throws a sentence if a process fails or gets stuck, if two were in at once, or if an entry was
/// not counted.
Reading measure(Contender& contender, const Setting& setting);

/// Field by field.
Reading median(std::span<const Reading> readings);

}  // namespace conch::bench
