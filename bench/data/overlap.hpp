// Measures figure 8 of the paper on Data Handover with real processes. Each of four processes
// requests the same block again and again, does something else for T_W, and only then acquires it.
#pragma once

#include <cstddef>
#include <vector>

namespace conch::bench {

inline constexpr std::size_t overlap_processes = 4;

/// Medians in nanoseconds.
struct Waits {
  /// From the request to the return of acquire.
  double wait_ns = 0;
  /// The part of it that the call of acquire took.
  double blocking_ns = 0;
};

struct OverlapPoint {
  double work_ns = 0;
  Waits plain;
  Waits prefetch;
};

struct Overlap {
  std::size_t size = 0;
  /// How long acquire takes if the lock has been here for a while and nobody else wants it.
  double fetch_ns = 0;
  /// The first point is without work.
  std::vector<OverlapPoint> points;

  /// The points with more work than the wait without work.
  std::vector<OverlapPoint> beyond_the_queue() const;
};

/// Measures over TCP. Throws if a process fails or gets stuck.
Overlap measure_overlap(std::size_t size, int rounds);

}  // namespace conch::bench
