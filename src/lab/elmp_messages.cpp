// The messages per request of ELMP's explicit tree, against the number of nodes. Hernane 2015
// claims O(log n) in its abstract and in section 3 without measurements, so the bounds here come
// from a fit.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/handover_runs.hpp"
#include "lab/parallel.hpp"
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
  /// Larger groups take too long, because the messages grow with the number of nodes that contend.
  Node nodes_max;
  /// The approximate pause after a refusal.
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
  options.channel = ChannelOrder::any;
  options.local_latency = options.remote_latency =
      Distribution::uniform(latency / 2, latency + latency / 2);
  options.hold = Distribution::constant(latency);
  // At low load requests hardly ever meet; at high load every node asks again at once.
  Duration apart = 200 * static_cast<int>(nodes) * latency;
  options.think =
      load == Load::low ? Distribution::exponential(apart) : Distribution::constant(Duration{0});
  return options;
}

/// Messages per request that climbed to the root. A request that finds the idle token at its own
/// node costs nothing, and would make the mean look better than the algorithm is.
std::optional<Sample> measure(const Contender& contender, Node nodes, Load load,
                              const Seeds& seeds) {
  if (nodes > contender.nodes_max) return {};
  Seeds few = seeds;
  if (nodes >= 3000) few.last = few.first;
  Sample sample;
  Options options = workload(contender, nodes, load);
  for (options.seed = few.first; options.seed <= few.last; ++options.seed) {
    Result result = simulate(options);
    if (result.violation)
      throw std::runtime_error(fmt::format("{} with {} nodes, seed {}: {}", contender.title, nodes,
                                           options.seed, result.violation->what));
    const Traffic& traffic = result.report.messages;
    auto swaps = traffic.by_type.find("SWAP");
    std::uint64_t requests = swaps != traffic.by_type.end() ? swaps->second : result.report.entries;
    sample.add(static_cast<double>(traffic.total) / static_cast<double>(requests));
  }
  return sample;
}

/// Runs the same algorithms on SimGrid, as peers with empty data that ask again at once.
std::optional<Sample> measure_on_simgrid(unsigned order, Node nodes, const Seeds& seeds) {
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
  Sample sample;
  sample.add(static_cast<double>(measured.messages) / static_cast<double>(measured.swaps));
  return sample;
}

std::string number(double value) { return fmt::format("{:.1f}", value); }
std::string number(const std::optional<Sample>& sample) {
  return sample ? number(sample->mean()) : "-";
}

/// Measurements with one number of nodes; empty where a run would take too long.
struct Row {
  Node nodes = 0;
  std::optional<Sample> naimi_trehel_low, naimi_trehel_high;
  std::optional<Sample> binary_low, binary_high, binary_simgrid;
  std::optional<Sample> quaternary_low, quaternary_high, quaternary_simgrid;
  std::optional<Sample> trylock, patient_trylock;

  double binary_bound() const { return 2 * std::log2(nodes) + 10; }
  double quaternary_bound() const { return std::log2(nodes) + 17; }
};

Row measure_all(Node nodes, const Seeds& seeds, Engines engines) {
  Row row;
  row.nodes = nodes;
  struct Task {
    std::size_t contender;
    Load load;
    std::optional<Sample> Row::*column;
  };
  const Task tasks[] = {
      {0, Load::low, &Row::naimi_trehel_low}, {0, Load::high, &Row::naimi_trehel_high},
      {1, Load::low, &Row::binary_low},       {1, Load::high, &Row::binary_high},
      {2, Load::low, &Row::quaternary_low},   {2, Load::high, &Row::quaternary_high},
      {3, Load::high, &Row::trylock},         {4, Load::high, &Row::patient_trylock}};
  in_parallel(std::size(tasks), [&](std::size_t i) {
    const Task& task = tasks[i];
    row.*task.column = measure(contenders[task.contender], nodes, task.load, seeds);
  });
  if (engines == Engines::sim) return row;
  row.binary_simgrid = measure_on_simgrid(2, nodes, seeds);
  row.quaternary_simgrid = measure_on_simgrid(4, nodes, seeds);
  return row;
}

constexpr std::string_view log_claim = "Hernane 2015, abstract and section 3";

PaperClaim judge_growth(const std::vector<Row>& rows) {
  double binary = 0;
  double quaternary = 0;
  for (const Row& row : rows) {
    double most = std::max(row.binary_low->mean(), row.binary_high->mean());
    binary = std::max(binary, most - row.binary_bound() + 10);
    most = std::max(row.quaternary_low->mean(), row.quaternary_high->mean());
    quaternary = std::max(quaternary, most - row.quaternary_bound() + 17);
  }
  return {std::string(log_claim),
          "All operations are O(log n) in messages (amortized in the abstract, bounded in section "
          "3).",
          "O(log n)",
          fmt::format("A request, without spreading its cost, takes at most 2 log2 n + {:.1f} "
                      "messages with m = 2 (10 were allowed), log2 n + {:.1f} with m = 4 (17).",
                      binary, quaternary),
          judged(binary <= 10 && quaternary <= 17)};
}

PaperClaim judge_trylock(const std::vector<Row>& rows) {
  // Counts sizes from 100 nodes on for which the try-lock was measured.
  auto counts = [](const Row& row) { return row.nodes >= 100 && row.trylock; };
  auto first = std::find_if(rows.begin(), rows.end(), counts);
  auto last = std::find_if(rows.rbegin(), rows.rend(), counts);
  PaperClaim claim{"Hernane 2015, section 4.1",
                   "O(log n) also holds by the paper's own rule, to track back and start over when "
                   "somebody is busy.",
                   "O(log n)", "Not measured: it takes two sizes from 100 to 316 nodes."};
  if (first == rows.end() || first->nodes == last->nodes) return claim;
  using Column = std::optional<Sample> Row::*;
  auto ratio = [&](Column trylock) {
    return (*first.*trylock)->mean() / first->binary_high->mean();
  };
  auto growth = [&](Column messages) {
    return (*last.*messages)->mean() / (*first.*messages)->mean();
  };
  claim.ours = fmt::format(
      "It takes {:.1f} times the messages of a queue at {} nodes, and {:.1f} times if it waits ten "
      "times as long. It grows with the nodes either way, {:.1f} and {:.1f} times to {}, where the "
      "queue grows {:.2f} times.",
      ratio(&Row::trylock), first->nodes, ratio(&Row::patient_trylock), growth(&Row::trylock),
      growth(&Row::patient_trylock), last->nodes, growth(&Row::binary_high));
  claim.verdict = judged(growth(&Row::patient_trylock) < 1.5);
  return claim;
}

std::string agreement_remark(const std::vector<Row>& rows) {
  double apart = 0;
  for (const Row& row : rows) {
    if (!row.binary_simgrid) continue;
    apart = std::max({apart, std::abs(row.binary_simgrid->mean() / row.binary_high->mean() - 1),
                      std::abs(row.quaternary_simgrid->mean() / row.quaternary_high->mean() - 1)});
  }
  return fmt::format("The engines are at most {:.2f}% apart; 5% were allowed. {}", 100 * apart,
                     apart <= 0.05 ? "Holds." : "Does not hold.");
}

std::vector<Figure> draw(const std::vector<Row>& rows) {
  Axis nodes{"nodes", "nodes", Spacing::log};
  Figure queue{"Messages per request that climbed to the root",
               std::string(log_claim),
               Shape::lines,
               nodes,
               {"messages per request", "messages"}};
  Figure trylock{"Tracking back instead of queueing, at high load",
                 "Hernane 2015, section 4.1",
                 Shape::lines,
                 nodes,
                 {"messages per request", "messages", Spacing::log}};
  for (const Row& row : rows) {
    auto add = [&](Figure& figure, std::string_view name, const std::optional<Sample>& sample) {
      if (sample) figure.at(name).points.push_back(at(row.nodes, *sample));
    };
    add(queue, "ELMP m=2, low load", row.binary_low);
    add(queue, "ELMP m=2, high load", row.binary_high);
    add(queue, "ELMP m=2, SimGrid", row.binary_simgrid);
    add(queue, "ELMP m=4, low load", row.quaternary_low);
    add(queue, "ELMP m=4, high load", row.quaternary_high);
    add(queue, "ELMP m=4, SimGrid", row.quaternary_simgrid);
    add(queue, "naimi-trehel, high load", row.naimi_trehel_high);
    queue.at("2 log2 n + 10", Whose::reference)
        .points.push_back({double(row.nodes), row.binary_bound()});
    queue.at("log2 n + 17", Whose::reference)
        .points.push_back({double(row.nodes), row.quaternary_bound()});
    if (!row.trylock) continue;
    add(trylock, "try-lock, waits 5 ms", row.trylock);
    add(trylock, "try-lock, waits 50 ms", row.patient_trylock);
    add(trylock, "queue, m=2", row.binary_high);
  }
  return {queue, trylock};
}

}  // namespace

ExperimentResult elmp_messages(const Setup& setup) {
  const Seeds& seeds = setup.seeds;
  Table table({"nodes", "low", "high", "low", "high", "simgrid", "bound", "low", "high", "simgrid",
               "bound", "5ms", "50ms"});
  table.group("", 1);
  table.group("naimi-trehel", 2);
  table.group("elmp m=2", 4);
  table.group("elmp m=4", 4);
  table.group("try-lock, high", 2);
  std::vector<Row> rows;
  for (Node nodes : setup.numbers<Node>("nodes")) {
    const Row& row = rows.emplace_back(measure_all(nodes, seeds, setup.engines));
    table.row({std::to_string(nodes), number(row.naimi_trehel_low), number(row.naimi_trehel_high),
               number(row.binary_low), number(row.binary_high), number(row.binary_simgrid),
               number(row.binary_bound()), number(row.quaternary_low), number(row.quaternary_high),
               number(row.quaternary_simgrid), number(row.quaternary_bound()), number(row.trylock),
               number(row.patient_trylock)});
  }
  std::vector<std::string> remarks;
  if (setup.engines != Engines::sim) remarks.push_back(agreement_remark(rows));
  remarks.emplace_back(
      "ELMP costs a few times naimi-trehel: the price of a tree that is never in pieces, so that "
      "anybody may leave.");
  return {fmt::format(
              "Messages per request that climbed to the root; channels are not FIFO, a "
              "message takes {} to {},\na holder stays {}; a single run from 3000 nodes on, and on "
              "SimGrid. Low load: requests\nhardly meet. High load: everybody asks again at "
              "once. Try-lock (the report's own rule) waits\nabout {} or {} after a refusal.",
              print_duration(latency / 2), print_duration(latency + latency / 2),
              print_duration(latency), print_duration(5 * latency), print_duration(50 * latency)),
          std::move(table),
          std::move(remarks),
          {judge_growth(rows), judge_trylock(rows)},
          draw(rows)};
}

}  // namespace conch::lab
