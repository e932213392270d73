// Which requests met, in runs with readers or ranges: a run in which none did shows nothing.
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
  /// Entries to read what another node inside was reading.
  std::uint64_t readers_together = 0;
  /// Entries while another node was inside with a disjoint range, and one of the two wrote.
  std::uint64_t ranges_together = 0;
  /// How often a reader waited while a writer was inside.
  std::uint64_t readers_behind_writers = 0;
  /// How often a node waited while another one with a different, overlapping range was inside.
  std::uint64_t ranges_overlapped = 0;

  void add(const SharingStats& other);
};

class SharingMeter {
 public:
  void requested(Node node, const Wish& wish, const Inside& inside);
  /// `inside` are the other holders.
  void entered(Node node, const Wish& wish, const Inside& inside);
  /// The node does not wait any more.
  void gave_up(Node node) { waiting_.erase(node); }
  const SharingStats& sharing() const { return sharing_; }

 private:
  void waits(const Wish& waiter, const Wish& holder);

  SharingStats sharing_;
  std::map<Node, Wish> waiting_;
};

/// Names what never happened, although the options ask for it and there were enough nodes and
/// requests.
Finding missed(const SharingStats& sharing, const Options& options);

}  // namespace conch::sim
