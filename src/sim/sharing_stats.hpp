// Who met whom, in runs with readers or ranges: a run in which nobody did shows nothing.
#pragma once

#include <cstdint>
#include <map>

#include "oracle/oracles.hpp"
#include "sim/options.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// Counts of a run, or of several.
struct SharingStats {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::size_t inside_max = 0;
  /// Entries to read what somebody inside was reading.
  std::uint64_t readers_together = 0;
  /// Entries while somebody was inside with another range, and one of the two wrote.
  std::uint64_t ranges_together = 0;
  /// How often somebody who wanted to read waited while a writer was inside.
  std::uint64_t readers_behind_writers = 0;
  /// How often somebody waited while one with another, overlapping range was inside.
  std::uint64_t ranges_overlapped = 0;

  void add(const SharingStats& other);
};

class SharingMeter {
 public:
  void requested(Node node, const Wish& wish, const Inside& inside);
  /// `inside` are the others.
  void entered(Node node, const Wish& wish, const Inside& inside);
  /// It does not wait any more.
  void gave_up(Node node) { waiting_.erase(node); }
  const SharingStats& sharing() const { return sharing_; }

 private:
  void waits(const Wish& waiter, const Wish& holder);

  SharingStats sharing_;
  std::map<Node, Wish> waiting_;
};

/// What never happened although the options ask for it and there were nodes and requests enough.
Finding missed(const SharingStats& sharing, const Options& options);

}  // namespace conch::sim
