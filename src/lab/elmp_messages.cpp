// What ELMP's explicit tree costs in messages per request, against the number of nodes: seed 003
// claims O(log n); section 4 of the report has no measurements, so the bounds are those of a fit.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/handover_runs.hpp"
#include "sim/simulation.hpp"
#include "simgrid/handover.hpp"

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
  /// After a refusal, about.
  Duration back_off = {};
};
constexpr Contender contenders[] = {
    {"naimi-trehel", "naimi-trehel", 2, 10'000},
    {"elmp m=2", "elmp", 2, 10'000},
    {"elmp m=4", "elmp", 4, 10'000},
    {"try-lock", "elmp-trylock", 2, 316, 5 * latency},
    {"patient try-lock", "elmp-trylock", 2, 316, 50 * latency},
};

enum class Load : std::uint8_t { low, high };

Options workload(const Contender& contender, Node nodes, Load load) {
  Options options;
  options.algorithm = contender.algorithm;
  options.tuning.order = contender.order;
  options.tuning.back_off = contender.back_off;
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

/// The same classes on SimGrid, as peers with an empty block of data that ask again at once.
std::optional<double> measure_on_simgrid(unsigned order, Node nodes, const Seeds& seeds) {
  if (nodes > 1000) return {};
  handover::Workload workload;
  workload.algorithm = peer_to_peer;
  workload.tuning.order = order;
  workload.peers = nodes;
  workload.cycles = nodes < 1000 ? 20 : 6;
  workload.locked = latency;
  workload.wires = Grid{};
  workload.seed = seeds.first;
  handover::Measured measured = simgrid::run_on_simgrid(workload);
  return static_cast<double>(measured.messages) / static_cast<double>(measured.swaps);
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : "-";
}

/// What was measured with so many nodes; nothing where it would take too long.
struct Row {
  Node nodes;
  std::optional<double> naimi_trehel_low, naimi_trehel_high;
  std::optional<double> binary_low, binary_high, binary_simgrid;
  std::optional<double> quaternary_low, quaternary_high, quaternary_simgrid;
  std::optional<double> trylock, patient_trylock;

  double binary_bound() const { return 2 * std::log2(nodes) + 10; }
  double quaternary_bound() const { return std::log2(nodes) + 17; }
};

Row measure_all(Node nodes, const Seeds& seeds, Engines engines) {
  auto at = [&](std::size_t contender, Load load) {
    return measure(contenders[contender], nodes, load, seeds);
  };
  Row row{nodes,
          at(0, Load::low),
          at(0, Load::high),
          at(1, Load::low),
          at(1, Load::high),
          {},
          at(2, Load::low),
          at(2, Load::high),
          {},
          at(3, Load::high),
          at(4, Load::high)};
  if (engines == Engines::sim) return row;
  row.binary_simgrid = measure_on_simgrid(2, nodes, seeds);
  row.quaternary_simgrid = measure_on_simgrid(4, nodes, seeds);
  return row;
}

std::string judge_growth(const std::vector<Row>& rows) {
  double binary = 0;
  double quaternary = 0;
  for (const Row& row : rows) {
    double most = std::max(*row.binary_low, *row.binary_high);
    binary = std::max(binary, most - row.binary_bound() + 10);
    most = std::max(*row.quaternary_low, *row.quaternary_high);
    quaternary = std::max(quaternary, most - row.quaternary_bound() + 17);
  }
  return judged(
      "All operations have an amortized cost of O(log n).", binary <= 10 && quaternary <= 17,
      fmt::format("Not only amortized: a request takes at most 2 log2 n + {:.1f} messages "
                  "with m = 2 (10 were allowed), log2 n + {:.1f} with m = 4 (17).",
                  binary, quaternary));
}

std::string judge_trylock(const std::vector<Row>& rows) {
  auto with = [&](Node nodes) -> const Row& {
    return *std::find_if(rows.begin(), rows.end(),
                         [&](const Row& row) { return row.nodes == nodes; });
  };
  auto ratio = [&](std::optional<double> Row::*trylock) {
    return *(with(100).*trylock) / *with(100).binary_high;
  };
  auto growth = [&](std::optional<double> Row::*messages) {
    return *(with(316).*messages) / *(with(100).*messages);
  };
  auto verdict = [&](std::optional<double> Row::*trylock) {
    return ratio(trylock) >= 5 ? "holds" : "does not hold";
  };
  return fmt::format(
      "The paper's own rule, to track back and start over when somebody is busy (section 4.1), "
      "was expected to take at least 5 times the messages of a queue at 100 nodes. It takes {:.1f} "
      "times: {}. But that depends on how long it waits: {:.1f} times if ten times as long: {}. It "
      "grows with the nodes either way, {:.1f} and {:.1f} times to 316, where the queue grows "
      "{:.2f} times.",
      ratio(&Row::trylock), verdict(&Row::trylock), ratio(&Row::patient_trylock),
      verdict(&Row::patient_trylock), growth(&Row::trylock), growth(&Row::patient_trylock),
      growth(&Row::binary_high));
}

std::string judge_agreement(const std::vector<Row>& rows) {
  double apart = 0;
  for (const Row& row : rows) {
    if (!row.binary_simgrid) continue;
    apart = std::max({apart, std::abs(*row.binary_simgrid / *row.binary_high - 1),
                      std::abs(*row.quaternary_simgrid / *row.quaternary_high - 1)});
  }
  return fmt::format("The engines are at most {:.2f}% apart; 5% were allowed. {}", 100 * apart,
                     apart <= 0.05 ? "Holds." : "Does not hold.");
}

}  // namespace

Findings elmp_messages(const Seeds& seeds, Engines engines) {
  Table table({"nodes", "low", "high", "low", "high", "simgrid", "bound", "low", "high", "simgrid",
               "bound", "5ms", "50ms"});
  table.group("", 1);
  table.group("naimi-trehel", 2);
  table.group("elmp m=2", 4);
  table.group("elmp m=4", 4);
  table.group("try-lock, high", 2);
  std::vector<Row> rows;
  for (Node nodes : {10U, 32U, 100U, 316U, 1000U, 3162U, 10'000U}) {
    const Row& row = rows.emplace_back(measure_all(nodes, seeds, engines));
    table.row({std::to_string(nodes), number(row.naimi_trehel_low), number(row.naimi_trehel_high),
               number(row.binary_low), number(row.binary_high), number(row.binary_simgrid),
               number(row.binary_bound()), number(row.quaternary_low), number(row.quaternary_high),
               number(row.quaternary_simgrid), number(row.quaternary_bound()), number(row.trylock),
               number(row.patient_trylock)});
  }
  std::vector<std::string> remarks{judge_growth(rows), judge_trylock(rows)};
  if (engines != Engines::sim) remarks.push_back(judge_agreement(rows));
  remarks.emplace_back(
      "ELMP costs a few times naimi-trehel: the price of a tree that is never in pieces, so that "
      "anybody may leave.");
  return {
      fmt::format("Messages per request that climbed to the root; channels are not FIFO, a "
                  "message takes {} to {},\na holder stays {}; {} (one from 3162 nodes on, and on "
                  "SimGrid). Low load: requests\nhardly meet. High load: everybody asks again at "
                  "once. Try-lock (the report's own rule) waits\nabout {} or {} after a refusal.",
                  print_duration(latency / 2), print_duration(latency + latency / 2),
                  print_duration(latency), print_seeds(seeds), print_duration(5 * latency),
                  print_duration(50 * latency)),
      std::move(table), std::move(remarks)};
}

}  // namespace conch::lab
