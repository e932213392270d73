// What ELMP's explicit tree costs in messages per request, against the number of nodes: seed 003
// claims O(log n); section 4 of the report has no measurements, so the bounds are those of a fit.
#include <fmt/core.h>

#include <cmath>
#include <map>

#include "lab/experiment.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Duration latency = 1ms;

struct Contender {
  std::string_view title;
  std::string_view algorithm;
  unsigned order;
  /// Its messages grow with the number of nodes that contend: larger groups take too long.
  Node nodes_max;
};
constexpr Contender contenders[] = {
    {"naimi-trehel", "naimi-trehel", 2, 10'000},
    {"elmp m=2", "elmp", 2, 10'000},
    {"elmp m=4", "elmp", 4, 10'000},
    {"try-lock", "elmp-trylock", 2, 316},
};

enum class Load : std::uint8_t { low, high };

Options workload(const Contender& contender, Node nodes, Load load) {
  Options options;
  options.algorithm = contender.algorithm;
  options.tuning.order = contender.order;
  options.tuning.back_off = 5 * latency;
  options.clusters = {nodes};
  options.requests = nodes < 1000 ? 20 : nodes < 10'000 ? 6 : 3;
  options.channel = Channel::any;
  options.local_latency = options.remote_latency =
      Distribution::uniform(latency / 2, latency + latency / 2);
  options.hold = Distribution::constant(latency);
  // At low load two requests hardly ever meet; at high load everybody asks again at once.
  Duration apart = 200 * static_cast<int>(nodes) * latency;
  options.think =
      load == Load::low ? Distribution::exponential(apart) : Distribution::constant(Duration{0});
  return options;
}

/// Messages per request that climbed to the root: one that finds the idle token where it is costs
/// nothing, and would make the mean look better than the algorithm is.
std::optional<double> measure(const Contender& contender, Node nodes, Load load,
                              const Seeds& seeds) {
  if (nodes > contender.nodes_max) return {};
  Seeds few = seeds;
  if (nodes >= 3000) few.last = few.first;
  double messages = 0;
  double requests = 0;
  Options options = workload(contender, nodes, load);
  for (options.seed = few.first; options.seed <= few.last; ++options.seed) {
    Result result = simulate(options);
    if (result.violation)
      throw std::runtime_error(fmt::format("{} with {} nodes, seed {}: {}", contender.title, nodes,
                                           options.seed, result.violation->what));
    const Traffic& traffic = result.report.messages;
    auto swaps = traffic.by_type.find("SWAP");
    messages += static_cast<double>(traffic.total);
    requests +=
        static_cast<double>(swaps != traffic.by_type.end() ? swaps->second : result.report.entries);
  }
  return messages / requests;
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : "-";
}

std::string verdict(std::string_view claim, bool holds, const std::string& measured) {
  return fmt::format("{} {}: {}", holds ? "holds:     " : "DOES NOT HOLD:", claim, measured);
}

}  // namespace

Findings elmp_messages(const Seeds& seeds) {
  Table table({"nodes", "low", "high", "low", "high", "bound", "low", "high", "bound", "high"});
  table.group("", 1);
  table.group("naimi-trehel", 2);
  table.group("elmp m=2", 3);
  table.group("elmp m=4", 3);
  table.group("try-lock", 1);
  double worst_2 = -1e9;
  double worst_4 = -1e9;
  std::map<Node, double> queue;
  std::map<Node, double> refused;
  for (Node nodes : {10U, 32U, 100U, 316U, 1000U, 3162U, 10'000U}) {
    auto at = [&](std::size_t contender, Load load) {
      return measure(contenders[contender], nodes, load, seeds);
    };
    double log2n = std::log2(nodes);
    std::optional<double> low_2 = at(1, Load::low), high_2 = at(1, Load::high);
    std::optional<double> low_4 = at(2, Load::low), high_4 = at(2, Load::high);
    std::optional<double> trylock = at(3, Load::high);
    worst_2 = std::max({worst_2, *low_2 - (2 * log2n + 10), *high_2 - (2 * log2n + 10)});
    worst_4 = std::max({worst_4, *low_4 - (log2n + 17), *high_4 - (log2n + 17)});
    queue[nodes] = *high_2;
    if (trylock) refused[nodes] = *trylock;
    table.row({std::to_string(nodes), number(at(0, Load::low)), number(at(0, Load::high)),
               number(low_2), number(high_2), number(2 * log2n + 10), number(low_4), number(high_4),
               number(log2n + 17), number(trylock)});
  }
  std::vector<std::string> remarks;
  remarks.push_back(verdict("all operations cost O(log n): at most 2 log2 n + 10 with m = 2",
                            worst_2 <= 0, fmt::format("{:.1f} below at the least", -worst_2)));
  remarks.push_back(verdict("and at most log2 n + 17 with m = 4", worst_4 <= 0,
                            fmt::format("{:.1f} below at the least", -worst_4)));
  double ratio = refused[100] / queue[100];
  remarks.push_back(
      verdict("a queue at a busy node instead of refusing saves at least five times "
              "the messages at n = 100",
              ratio >= 5, fmt::format("{:.1f} times", ratio)));
  double growth = refused[316] / refused[100];
  remarks.push_back(
      verdict("try-lock grows with n, at least 2.5 times from 100 to 316", growth >= 2.5,
              fmt::format("{:.1f} times; the queue {:.2f}", growth, queue[316] / queue[100])));
  remarks.emplace_back(
      "ELMP costs a few times naimi-trehel: the price of a tree that is never in pieces, so that "
      "anybody may leave.");
  return {
      fmt::format("Messages per request that climbed to the root; channels are not FIFO, a "
                  "message takes {} to {},\na holder stays {}; seeds {}..{} (one from 3162 "
                  "nodes on). Low load: requests hardly meet. High load:\neverybody asks again "
                  "at once. Try-lock (the report's own rule) waits about {} after a refusal.",
                  print_duration(latency / 2), print_duration(latency + latency / 2),
                  print_duration(latency), seeds.first, seeds.last, print_duration(5 * latency)),
      std::move(table), std::move(remarks)};
}

}  // namespace conch::lab
