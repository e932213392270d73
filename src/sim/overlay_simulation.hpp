// An overlay group of nodes without a roster or a register, in virtual time: a protocol over an
// overlay, one lock, and everything that can go wrong with nodes and messages. After a while all
// that ends, and then everybody must get what they ask for. What a lock promises is watched all the
// time.
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

/// So many of each, at random times and of random nodes, before the calm.
struct Mishaps {
  /// A replica that is gone from the beginning, while everybody believes it to be the root.
  bool dead = false;
  /// Replicas that forget, and are back before the overlay notices.
  unsigned resets = 0;
  /// The holder, a waiter, a replica or somebody else; most come back with no memory.
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
  /// Within so much time of each other those ask who ask at about the same time.
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
  /// Every event, a line each.
  std::ostream* trace = nullptr;
  TraceSink* sink = nullptr;

  /// A name for each kind of world: `calm` (reordering and duplicates alone), `crowded` (everybody
  /// at once), `lossy`, `stormy` (everything), `shaky` (replicas forget), `wary` (everybody is
  /// suspected), `idle` (all replicas forget one after the other while nobody asks), `dead` (one
  /// replica is gone), `parted` (an overlay falls apart; see limits.md).
  static OverlaySimulationOptions of(const std::string& protocol, const std::string& weather);
};

struct OverlaySimulationResult {
  std::optional<Violation> violation;
  unsigned asked = 0;
  unsigned granted = 0;
  unsigned cancelled = 0;
  /// Requests that went with their nodes.
  unsigned crashed = 0;
  /// Leases that ran out under their holders, and how many of those were outlived by an entry.
  unsigned lost = 0;
  unsigned outlived = 0;
  unsigned expired = 0;
  unsigned unreachable = 0;
  std::uint64_t messages = 0;
  /// How many of each kind were sent.
  std::map<std::string, std::uint64_t> kinds;
  /// What happened to nodes and to the lock, but for messages and timers, a line each.
  std::vector<std::string> events;
  Duration length{};

  /// The numbers of another run, but for what went wrong in it.
  void add(const OverlaySimulationResult& other);
};

/// Every weather that `of` knows, and every overlay.
std::span<const std::string_view> weathers();
std::span<const std::string_view> overlays();

/// `crashes=1,pauses=0`: these instead of those that the weather has, which are the others.
Mishaps parse_mishaps(std::string_view text, Mishaps others);

/// Where the nodes are on the ring, those that join later among them.
std::vector<std::uint64_t> places_of(const OverlaySimulationOptions& options);

OverlaySimulationResult simulate_overlay(const OverlaySimulationOptions& options);

}  // namespace conch::sim
