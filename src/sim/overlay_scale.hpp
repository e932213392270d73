// An overlay scale run of nodes and of locks, in rounds: the experiment of section VI of Muhammad,
// Cheema, Gupta 2005, and nothing that fails.
//
// In each round every holder leaves with a chance of one half; then so many nodes, drawn at random,
// ask for a lock each, all at once; then the world goes on until nothing is under way but what
// waiters plan to do later. Every hop of the overlay counts one message, and so does every direct
// one; what a node tells itself counts nothing.
//
// The overlay is built at once, one value a node for all its locks. Of a protocol a node has a
// value for each lock that it has something to remember of, and for no other.
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
  /// The names of locks, the lease (none) and the times are the world's.
  Replication replication{.replicas = 10};
  std::uint64_t seed = 1;
  Node nodes = 6500;
  unsigned locks = 65;
  unsigned rounds = 20;
  /// In each round.
  unsigned requests = 20;
  /// Before each round but the first, half as many nodes leave, and as many come. Nobody who has
  /// ever asked leaves. The overlay is repaired at once, without messages; roots that lose a key
  /// route what they know to the new one.
  unsigned churn = 0;
  /// Whether clients know replicas by their keys alone, and route whatever is for one, as in the
  /// papers. Sigma remembers who has answered, else, and sends straight there.
  bool by_keys = false;
  /// The protocols take a message to a replica and back for so many hops long.
  unsigned round_trip = 6;
};

struct OverlayScaleResult {
  std::optional<Violation> violation;
  std::uint64_t asked = 0;
  std::uint64_t granted = 0;
  /// Of them: all.
  std::uint64_t messages = 0;
  /// Those that store a fence before an entry, and those by which a root that loses its key hands
  /// it over. The papers have neither.
  std::uint64_t fencing = 0;
  std::uint64_t handover = 0;
  /// By kind.
  std::map<std::string, std::uint64_t> kinds;
  /// Requests that were routed to a replica, and how many of them somebody on the way stopped.
  std::uint64_t routed = 0;
  std::uint64_t intercepted = 0;
  /// From anybody to any key.
  double mean_route = 0;
  /// Messages that each node has got or passed on, in all rounds together.
  std::vector<std::uint32_t> loads;
  /// The most of them in a single round.
  std::vector<std::uint32_t> peaks;
  /// The most values of the protocol at a time.
  std::size_t values_most = 0;

  /// As the papers count.
  std::uint64_t counted() const { return messages - fencing - handover; }
};

OverlayScaleResult run_overlay_scale(const OverlayScaleOptions& options);

}  // namespace conch::sim
