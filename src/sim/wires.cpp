#include "sim/wires.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace conch::sim {

namespace {

Duration from_seconds(double seconds) { return Duration(std::llround(seconds * 1e9)); }

struct WireSpeed {
  double latency_s;
  double bytes_per_s;
};

WireSpeed line(const Uniform& wires, Node, Node) {
  return {seconds_of(wires.latency), wires.bytes_per_s};
}

WireSpeed line(const Grid& grid, Node from, Node to) {
  double lines = grid.lines_between(from, to);
  double latency_s = seconds_of(grid.line_latency);
  return {lines * latency_s * grid.latency_factor,
          std::min(grid.host_bytes_per_s, grid.backbone_bytes_per_s) * grid.bandwidth_factor};
}

}  // namespace

std::uint32_t Grid::site_of(Node node) const {
  return static_cast<std::uint32_t>(Random(placement, node).below(sites));
}

Duration journey(const Wires& wires, Node from, Node to, std::uint64_t bytes) {
  WireSpeed way = std::visit([&](const auto& chosen) { return line(chosen, from, to); }, wires);
  return from_seconds(way.latency_s + static_cast<double>(bytes) / way.bytes_per_s);
}

Duration mean_latency(const Wires& wires, Node nodes) {
  if (nodes < 2) return Duration::zero();
  Duration sum{};
  for (Node from = 0; from < nodes; ++from)
    for (Node to = 0; to < nodes; ++to)
      if (from != to) sum += journey(wires, from, to, 0);
  return sum / (std::int64_t{nodes} * (nodes - 1));
}

}  // namespace conch::sim
