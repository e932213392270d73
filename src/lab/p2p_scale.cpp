// Past the paper: the same rounds with up to a million nodes, on one machine.
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

constexpr sim::Node sizes[] = {1000, 10'000, 100'000, 1'000'000};
constexpr Who entrants[] = {T1, Non, Sg1};

/// What this process has had at most since the last call; where Linux does not say, nothing.
double peak_memory_mib() {
  std::ifstream status("/proc/self/status");
  double kib = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) std::istringstream(line.substr(6)) >> kib;
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return kib / 1024;
}

/// As many resources and requests for each node as with a million nodes, 10 000 and 3000.
sim::MultitudeOptions world_of(sim::Node nodes, Who who, std::uint64_t seed) {
  sim::MultitudeOptions world;
  world.protocol = rivals[who].protocol;
  world.replication.retry = rivals[who].retry;
  world.replication.hand_off = rivals[who].hand_off;
  world.by_keys = world.protocol == "sigma";
  world.nodes = nodes;
  world.locks = nodes / 100;
  world.requests = nodes * 3 / 1000;
  world.seed = seed;
  return world;
}

struct Growth {
  double load = 0;
  double route = 0;
};

Growth add_row(Table& table, sim::Node nodes, Who who, std::uint64_t seed) {
  peak_memory_mib();
  auto begin = std::chrono::steady_clock::now();
  sim::MultitudeResult result = sim::run_multitude(world_of(nodes, who, seed));
  double took_s = sim::seconds(std::chrono::steady_clock::now() - begin);
  CONCH_EXPECT(!result.violation, "every property holds");
  std::sort(result.loads.begin(), result.loads.end());
  auto messages = static_cast<double>(result.messages);
  table.row({std::to_string(nodes), std::string(rivals[who].name),
             fmt::format("{:.2f}", result.mean_route), std::to_string(result.messages),
             fmt::format("{:.1f}", messages / static_cast<double>(result.asked)),
             fmt::format("{:.1f}", 100 * static_cast<double>(result.granted) /
                                       static_cast<double>(result.asked)),
             fmt::format("{:.1f}", messages / nodes),
             std::to_string(result.loads[result.loads.size() * 99 / 100]),
             std::to_string(result.loads.back()), std::to_string(result.values_most),
             fmt::format("{:.1f}", took_s), fmt::format("{:.0f}", peak_memory_mib())});
  return {messages / nodes, result.mean_route};
}

}  // namespace

Findings p2p_scale(const Seeds& seeds) {
  Findings findings{
      "Pastry; a resource for every 100 nodes, with 10 replicas; 20 rounds of 3 requests for every "
      "1000 nodes. All messages\nare counted, those for fences too; loads are of 20 rounds. One "
      "core.",
      Table({"nodes", "protocol", "route", "messages", "per request", "granted %", "mean load",
             "99 %", "most", "values", "s", "MiB"}),
      {}};
  findings.table.align_left(1);
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    std::map<std::pair<sim::Node, Who>, Growth> grown;
    for (sim::Node nodes : sizes)
      for (Who who : entrants) grown[{nodes, who}] = add_row(findings.table, nodes, who, seed);
    for (Who who : entrants) {
      Growth few = grown[{sizes[0], who}], many = grown[{sizes[std::size(sizes) - 1], who}];
      findings.remarks.push_back(
          fmt::format("{}: with a thousand times the nodes, and requests, a node gets {:.2f} times "
                      "the messages; routes are {:.2f} times as long.",
                      rivals[who].name, many.load / few.load, many.route / few.route));
    }
  }
  findings.remarks.emplace_back("Values are what nodes remember of a resource, most at a time.");
  return findings;
}

}  // namespace conch::lab
