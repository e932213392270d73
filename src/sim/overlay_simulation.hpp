// An overlay group of nodes without a roster or a register, in virtual time: a protocol over an
// overlay, one lock, and everything that can go wrong with nodes and messages. After a while all
// faults end, and then every node must get what it asks for. Oracles watch all the time what a lock
// promises.
#pragma once

#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tuning.hpp"
#include "oracle/oracles.hpp"
#include "sim/distribution.hpp"
#include "sim/simulated_nodes.hpp"
#include "sim/trace.hpp"

namespace conch::sim {

/// How many faults of each kind strike random nodes, at random times before the calm.
struct Mishaps {
  /// A replica that is gone from the beginning, while all nodes take it for the root.
  bool dead = false;
  /// Replicas that forget, and are back before the overlay notices.
  unsigned resets = 0;
  /// The holder, a waiter, a replica or any other node; most come back without memory.
  unsigned crashes = 0;
  /// Longer and shorter than a lease.
  unsigned pauses = 0;
  unsigned suspicions = 0;
  /// Shorter than it takes a new root to serve.
  unsigned partitions = 0;
  /// If not zero: about half of the nodes cannot reach the others for so long.
  Duration apart{};
  /// Nodes that come, and may take the place of a replica.
  unsigned joins = 0;
};

struct OverlaySimulationOptions {
  /// sigma, end-to-end or non-end-to-end.
  std::string protocol = "sigma";
  Tuning tuning;
  /// pastry, chord; or perfect-pastry, perfect-chord: then the world finds the ways, to the roots
  /// as they are in Pastry or in Chord.
  std::string overlay = "pastry";
  std::uint64_t seed = 1;
  unsigned nodes = 24;
  unsigned requests = 10;
  Distribution latency =
      Distribution::uniform(std::chrono::milliseconds(1), std::chrono::milliseconds(20));
  /// The requests of one burst come within this time.
  Duration burst = std::chrono::milliseconds(180);
  /// With this chance a critical section takes up to two leases.
  double dwell = 0;
  double lose = 0;
  double duplicate = 0;
  /// With this chance a waiter loses patience.
  double cancel = 0.1;
  /// Every node's clock runs up to this share too fast or too slow.
  double drift = 0;
  Mishaps mishaps;
  /// Gets a line for every event.
  std::ostream* trace = nullptr;
  TraceSink* sink = nullptr;

  /// The options of a weather: `calm` (only reordering and duplicates), `crowded` (all ask at
  /// once), `lossy`, `stormy` (everything), `shaky` (replicas forget), `wary` (all nodes are
  /// suspected), `idle` (all replicas forget one after the other while no node asks), `dead` (one
  /// replica is gone), `parted` (an overlay falls apart; see limits.md).
  static OverlaySimulationOptions of(const std::string& protocol, const std::string& weather);
};

struct OverlaySimulationResult {
  std::optional<Violation> violation;
  unsigned asked = 0;
  unsigned granted = 0;
  unsigned cancelled = 0;
  /// Requests whose nodes crashed.
  unsigned crashed = 0;
  /// Leases that ran out under their holders, and how many of those were outlived by an entry.
  unsigned lost = 0;
  unsigned outlived = 0;
  unsigned expired = 0;
  unsigned unreachable = 0;
  std::uint64_t messages = 0;
  /// How many of each kind were sent.
  std::map<std::string, std::uint64_t> kinds;
  /// What happened to nodes and to the lock, except messages and timers, a line each.
  std::vector<std::string> events;
  Duration length{};

  /// Adds the numbers of another run, but not its violation.
  void add(const OverlaySimulationResult& other);
};

/// Every weather that `of` knows, and every overlay.
std::span<const std::string_view> weathers();
std::span<const std::string_view> overlays();

/// Reads `crashes=1,pauses=0`. The weather has the `others`, which are not named.
Mishaps parse_mishaps(std::string_view text, Mishaps others);

/// Where the nodes are on the ring, those that join later among them.
std::vector<std::uint64_t> places_of(const OverlaySimulationOptions& options);

OverlaySimulationResult simulate_overlay(const OverlaySimulationOptions& options);

}  // namespace conch::sim
