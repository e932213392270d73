// Figure 8 of the seed's paper on Data Handover, on real processes: four of them want one block
// again and again, each asks for it, does something else for T_W, and only then acquires it.
#pragma once

#include <cstddef>
#include <vector>

namespace conch::bench {

inline constexpr std::size_t overlap_processes = 4;

/// Medians, in nanoseconds.
struct Waits {
  /// From the request to the acquire's return.
  double wait_ns = 0;
  /// Of it, what the call of acquire took.
  double blocking_ns = 0;
};

struct OverlapPoint {
  double work_ns = 0;
  Waits plain;
  Waits prefetch;
};

struct Overlap {
  std::size_t size = 0;
  /// What acquire takes of who has had the lock for a while, and nobody else wants it.
  double fetch_ns = 0;
  /// The first is without work.
  std::vector<OverlapPoint> points;

  /// Among those who work longer than they would have waited.
  std::vector<OverlapPoint> beyond_the_queue() const;
};

/// Over TCP. Throws a sentence if a process fails or gets stuck.
Overlap measure_overlap(std::size_t size, int rounds);

}  // namespace conch::bench
