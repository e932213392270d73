// Beyond the paper: the same rounds with up to a million nodes, on one machine.
#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>

#include "lab/p2p.hpp"
#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

constexpr Who entrants[] = {T1, Non, Sg1};

/// The peak memory of this process since the last call, in MiB; 0 if Linux does not report it.
double peak_memory_mib() {
  std::ifstream status("/proc/self/status");
  double kib = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) std::istringstream(line.substr(6)) >> kib;
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return kib / 1024;
}

/// A world with one resource per 100 nodes and 3 requests per 1000 nodes: 10 000 and 3000 for a
/// million nodes.
sim::OverlayScaleOptions world_with(const Setup& setup, sim::Node nodes, Who who,
                                    std::uint64_t seed) {
  sim::OverlayScaleOptions world = with(world_of(setup), rivals[who], seed);
  world.nodes = nodes;
  world.locks = std::max(nodes / 100, 1u);
  world.requests = std::max(nodes * 3 / 1000, 1u);
  return world;
}

/// Measurements of one protocol with one number of nodes.
struct ScaleSamples {
  Sample load, highest, route, per_request, took_s, mib;
};
using Grown = std::map<std::pair<sim::Node, Who>, ScaleSamples>;

void add_row(Table& table, const sim::OverlayScaleOptions& world, Who who, ScaleSamples& samples) {
  peak_memory_mib();
  auto begin = std::chrono::steady_clock::now();
  sim::OverlayScaleResult result = sim::run_overlay_scale(world);
  double took_s = seconds_of(std::chrono::steady_clock::now() - begin);
  double mib = peak_memory_mib();
  CONCH_EXPECT(!result.violation, "every property holds");
  std::sort(result.loads.begin(), result.loads.end());
  auto messages = static_cast<double>(result.messages);
  auto asked = static_cast<double>(result.asked);
  table.row({std::to_string(world.nodes), std::string(rivals[who].name),
             fmt::format("{:.2f}", result.mean_route), std::to_string(result.messages),
             fmt::format("{:.1f}", messages / asked),
             fmt::format("{:.1f}", 100 * static_cast<double>(result.granted) / asked),
             fmt::format("{:.1f}", messages / world.nodes),
             std::to_string(result.loads[result.loads.size() * 99 / 100]),
             std::to_string(result.loads.back()), std::to_string(result.values_most),
             fmt::format("{:.1f}", took_s), fmt::format("{:.0f}", mib)});
  samples.load.add(messages / world.nodes);
  samples.highest.add(result.loads.back());
  samples.route.add(result.mean_route);
  samples.per_request.add(messages / asked);
  samples.took_s.add(took_s);
  samples.mib.add(mib);
}

std::vector<Figure> draw(const Grown& grown) {
  constexpr std::string_view past = "past Muhammad 2005";
  Axis nodes{"nodes", "nodes", Spacing::log};
  auto figure = [&](std::string_view title, Axis y) {
    return Figure{std::string(title), std::string(past), Shape::lines, nodes, std::move(y)};
  };
  Figure requests = figure("Messages per request", {"messages per request", "messages"});
  Figure loads = figure("Load of a node in all rounds", {"load", "messages", Spacing::log});
  Figure memory = figure("Memory of the simulation", {"memory", "MiB", Spacing::log});
  Figure time = figure("Time of the simulation, on one core", {"time", "s", Spacing::log});
  for (const auto& [what, samples] : grown) {
    const auto& [size, who] = what;
    std::string name(rivals[who].name);
    requests.at(name).points.push_back(at(size, samples.per_request));
    loads.at(name + ", mean").points.push_back(at(size, samples.load));
    loads.at(name + ", highest").points.push_back(at(size, samples.highest));
    memory.at(name).points.push_back(at(size, samples.mib));
    time.at(name).points.push_back(at(size, samples.took_s));
  }
  return {requests, loads, time, memory};
}

}  // namespace

ExperimentResult p2p_scale(const Setup& setup) {
  ExperimentResult findings{
      fmt::format("Pastry; a resource for every 100 nodes, with {} replicas; {} rounds of 3 "
                  "requests for every 1000 nodes. All messages\nare counted, those for fences too; "
                  "loads are of all rounds. One core.",
                  setup.number("replicas"), setup.number("rounds")),
      Table({"nodes", "protocol", "route", "messages", "per request", "granted %", "mean load",
             "99 %", "most", "values", "s", "MiB"})};
  findings.table.align_left(1);
  Grown grown;
  auto sizes = setup.numbers<sim::Node>("nodes");
  for (std::uint64_t seed = setup.seeds.first; seed <= setup.seeds.last; ++seed)
    for (sim::Node nodes : sizes)
      for (Who who : entrants)
        add_row(findings.table, world_with(setup, nodes, who, seed), who, grown[{nodes, who}]);
  for (Who who : entrants) {
    const ScaleSamples &few = grown[{sizes.front(), who}], &many = grown[{sizes.back(), who}];
    findings.remarks.push_back(
        fmt::format("{}: with {} times the nodes, and requests, a node gets {:.2f} times the "
                    "messages; routes are {:.2f} times as long.",
                    rivals[who].name, sizes.back() / sizes.front(),
                    many.load.mean() / few.load.mean(), many.route.mean() / few.route.mean()));
  }
  findings.remarks.emplace_back("Values are what nodes remember of a resource, most at a time.");
  findings.figures = draw(grown);
  return findings;
}

}  // namespace conch::lab
