// How long a message takes between two nodes if nothing is lost, repeated or random: the same
// between all nodes, or along the routes of a grid of clusters.
#pragma once

#include <cstdint>
#include <variant>

#include "core/types.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// All nodes are equally far apart. The setting of [Hernane 2015]: equation 4's alpha * eta is 10.4
/// * 430 us, and a gigabit a second carries 0.92 of that.
struct Uniform {
  Duration latency = std::chrono::microseconds(4472);
  double bytes_per_s = 0.92 * 1.25e8;

  friend bool operator==(const Uniform&, const Uniform&) = default;
};

/// Sites shaped like Grid'5000: every host has a line to the backbone of its site, and there is a
/// line between each two backbones. Latencies and bandwidths are corrected by factors as SimGrid
/// corrects them, for what TCP makes of a line; 10.4 and 0.92 are the paper's.
struct Grid {
  std::uint32_t sites = 3;
  double host_bytes_per_s = 1.25e8;
  double backbone_bytes_per_s = 1.25e9;
  Duration line_latency = std::chrono::microseconds(100);
  double latency_factor = 10.4;
  double bandwidth_factor = 0.92;
  /// Which node is at which site is drawn from this.
  std::uint64_t placement = 1;

  std::uint32_t site_of(Node node) const;
  /// Host, backbone, host; or host, backbone, line, backbone, host.
  std::uint32_t lines_between(Node a, Node b) const { return site_of(a) == site_of(b) ? 3 : 5; }

  friend bool operator==(const Grid&, const Grid&) = default;
};

using Wires = std::variant<Uniform, Grid>;

/// How long a message of this size takes on lines that carry nothing else.
Duration journey(const Wires& wires, Node from, Node to, std::uint64_t bytes);

/// The mean over all pairs, for a message of no length.
Duration mean_latency(const Wires& wires, Node nodes);

}  // namespace conch::sim
