// An overlay with many nodes and locks, run in rounds: the experiment of section VI of Muhammad,
// Cheema, Gupta 2005, without failures.
//
// In each round every holder leaves with a chance of one half; then some nodes, drawn at random,
// ask for a lock each, all at once; then the world goes on until only the later plans of waiters
// are left. Every hop of the overlay counts as one message, and so does every direct message; what
// a node tells itself counts nothing.
//
// The overlay is built at once, with one value per node for all locks. A node has a value of the
// protocol only for those locks of which it has something to remember.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/tuning.hpp"
#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

struct OverlayScaleOptions {
  /// sigma, end-to-end or non-end-to-end.
  std::string protocol = "end-to-end";
  /// pastry or chord.
  std::string overlay = "pastry";
  /// The world sets the names of locks, the lease (none) and the times.
  Replication replication{.replicas = 10};
  std::uint64_t seed = 1;
  Node nodes = 6500;
  unsigned locks = 65;
  unsigned rounds = 20;
  /// In each round.
  unsigned requests = 20;
  /// Before each round but the first, half as many nodes leave, and as many come. A node that has
  /// ever asked does not leave. The overlay is repaired at once, without messages; roots that lose
  /// a key route what they know to the new one.
  unsigned churn = 0;
  /// Whether clients know replicas only by their keys and route every message to them, as in the
  /// papers. Otherwise Sigma remembers the nodes that have answered, and sends straight there.
  bool by_keys = false;
  /// How many hops the protocols assume to a replica and back.
  unsigned round_trip = 6;
};

struct OverlayScaleResult {
  std::optional<Violation> violation;
  std::uint64_t asked = 0;
  std::uint64_t granted = 0;
  /// All messages.
  std::uint64_t messages = 0;
  /// Messages that store a fence before an entry, and those by which a root that loses a key hands
  /// it over. The papers have neither.
  std::uint64_t fencing = 0;
  std::uint64_t handover = 0;
  /// By kind.
  std::map<std::string, std::uint64_t> kinds;
  /// Requests that were routed to a replica, and how many of them a node on the way intercepted.
  std::uint64_t routed = 0;
  std::uint64_t intercepted = 0;
  /// From any node to any key.
  double mean_route = 0;
  /// Messages that each node has got or passed on, in all rounds together.
  std::vector<std::uint32_t> loads;
  /// The most of them in a single round.
  std::vector<std::uint32_t> peaks;
  /// The most values of the protocol at a time.
  std::size_t values_most = 0;

  /// Messages, as the papers count them.
  std::uint64_t counted() const { return messages - fencing - handover; }
};

OverlayScaleResult run_overlay_scale(const OverlayScaleOptions& options);

}  // namespace conch::sim
