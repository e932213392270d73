// The comparison of seed 001: bandwidth, client delay and synchronization delay of every algorithm
// on one workload, with the figures of the textbooks beside the measured ones.
#include <fmt/core.h>

#include "catalog/catalog.hpp"
#include "lab/experiment.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

/// A projective plane has 13 points: four votes suffice.
constexpr Node nodes = 13;
constexpr Duration latency = 1ms;

Options workload(std::string_view algorithm, bool high_load) {
  Options options;
  options.algorithm = algorithm;
  options.clusters = {nodes};
  options.requests = 50;
  options.local_latency = options.remote_latency = Distribution::constant(latency);
  options.hold = Distribution::constant(5 * latency);
  options.think =
      high_load ? Distribution::constant(0ms) : Distribution::exponential(nodes * 100 * latency);
  return options;
}

struct Means {
  double messages = 0;
  double client_delay = 0;
  double sync_delay = 0;
  double fairness = 0;
  std::uint64_t runs = 0;
  std::uint64_t broken = 0;
};

Means measure(Options options, const Seeds& seeds) {
  Means means;
  for (options.seed = seeds.first; options.seed <= seeds.last; ++options.seed) {
    Result result = simulate(options);
    if (result.violation) {
      ++means.broken;
      continue;
    }
    ++means.runs;
    means.messages += result.report.busy_messages_per_entry;
    means.client_delay += result.report.client_delay_s / seconds(latency);
    means.sync_delay += result.report.sync_delay_s / seconds(latency);
    means.fairness += result.report.fairness;
  }
  auto runs = static_cast<double>(std::max<std::uint64_t>(means.runs, 1));
  for (double* sum : {&means.messages, &means.client_delay, &means.sync_delay, &means.fairness})
    *sum /= runs;
  return means;
}

/// The textbooks' messages per entry with N = 13, K = 4. The server and a node's own vote cost
/// nothing.
std::string expected_messages(std::string_view name) {
  constexpr int n = nodes;
  constexpr int k = 4;
  if (name == "central") return fmt::format("{:.1f}", 3.0 * (n - 1) / n);
  if (name == "ring") return fmt::format("1..{}", n);
  if (name == "ring-idle-hold") return fmt::format("0..{}", 2 * n);
  if (name == "ricart-agrawala") return std::to_string(2 * (n - 1));
  if (name == "ricart-agrawala-kept") return fmt::format("0..{}", 2 * (n - 1));
  if (name.starts_with("maekawa")) return fmt::format("{}..{}", 3 * (k - 1), 5 * (k - 1));
  if (name == "lamport") return std::to_string(3 * (n - 1));
  if (name == "suzuki-kasami") return fmt::format("0 or {}", n);
  if (name == "raymond") return "4 (high)";
  return "O(log N)";
}

std::string number(double value) { return fmt::format("{:.2f}", value); }

std::vector<std::string> remarks() {
  std::vector<std::string> list;
  auto remark = [&](std::string_view text) { list.emplace_back(text); };
  remark("A token is handed over in one message; a server, or a vote, takes two: the sync delay.");
  remark("Asking everybody buys fairness by time stamps (ME3) at 2(N-1) messages an entry.");
  remark(
      "naimi-trehel costs a few messages however many nodes there are, and none to enter again "
      "where the token rests: the default of the real peers.");
  remark(
      "maekawa-textbook is the notes' pseudo-code: it deadlocks as soon as requests meet. maekawa "
      "does not, for up to 5 messages a vote instead of 3.");
  remark(
      "ring counts only messages sent while somebody wanted to enter; when idle it sends one per "
      "message time for ever.");
  return list;
}

}  // namespace

Findings textbook(const Seeds& seeds) {
  Table table({"algorithm", "textbook", "low", "high", "textbook", "low", "textbook", "high",
               "high", "ME3"});
  table.group("", 1);
  table.group("messages per entry", 3);
  table.group("client delay", 2);
  table.group("sync delay", 2);
  table.group("fairness", 1);
  table.group("", 1);
  for (const CatalogEntry& entry : catalog()) {
    const About& about = entry.about;
    bool variant = about.name.find('@') != std::string_view::npos;
    if (variant || entry.is_preset()) continue;
    Means low = measure(workload(about.name, false), seeds);
    Means high = measure(workload(about.name, true), seeds);
    auto cell = [](const Means& means, double value) {
      return means.runs > 0 ? number(value) : std::string("deadlock");
    };
    table.row({std::string(about.name), expected_messages(about.name), cell(low, low.messages),
               cell(high, high.messages), std::string(about.client_delay),
               cell(low, low.client_delay), std::string(about.sync_delay),
               cell(high, high.sync_delay), cell(high, high.fairness),
               about.promises_order ? "yes" : "no"});
  }
  return {
      fmt::format("{} nodes, every message takes {}, a holder stays {}; seeds {}..{}. Low load: a "
                  "node\nasks every {} on average. High load: it asks again at once. Delays are in "
                  "message times.",
                  nodes, print_duration(latency), print_duration(5 * latency), seeds.first,
                  seeds.last, print_duration(nodes * 100 * latency)),
      std::move(table), remarks()};
}

}  // namespace conch::lab
