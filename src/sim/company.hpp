// Who met whom, in runs with readers or ranges: a run in which nobody did shows nothing.
#pragma once

#include <cstdint>
#include <map>

#include "sim/options.hpp"
#include "sim/oracles.hpp"

namespace conch::sim {

struct Company {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::size_t inside_max = 0;
  /// Entries to read what somebody inside was reading.
  std::uint64_t readers_together = 0;
  /// Entries while somebody was inside with another range, and one of the two wrote.
  std::uint64_t ranges_together = 0;
  /// Requests to read what somebody inside was writing.
  std::uint64_t readers_behind_writers = 0;
  /// Requests while somebody with another, overlapping range was in the way.
  std::uint64_t ranges_overlapped = 0;

  void requested(const Wish& wish, const std::map<Node, Holder>& inside);
  void entered(const Wish& wish, const std::map<Node, Holder>& inside);
  void add(const Company& other);
};

/// What never happened although the options ask for it and there were nodes and requests enough.
Finding missed(const Company& company, const Options& options);

}  // namespace conch::sim
