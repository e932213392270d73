// Exercise 15.7 of the lecture notes: a process enters many times before another one wants to.
// Measures what Ricart and Agrawala's algorithm costs then, and what it costs if permissions are
// kept.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/experiment.hpp"
#include "lab/parallel.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Node nodes = 13;
constexpr Duration latency = 1ms;
constexpr Duration hold = 5 * latency;
constexpr std::string_view exercise = "lecture notes, exercise 15.7";
constexpr std::string_view asks_all = "ricart-agrawala", keeps = "ricart-agrawala-kept",
                           token = "naimi-trehel";
constexpr std::string_view algorithms[] = {asks_all, keeps, token};

/// Without contention, a process enters `row` times in a row and then thinks for so long that rows
/// hardly ever meet. With contention, all processes begin their rows at once.
Options workload(std::string_view algorithm, std::uint64_t row, bool contended) {
  Options options;
  options.algorithm = algorithm;
  options.clusters = {nodes};
  options.requests = 5 * row;
  options.burst = row;
  options.local_latency = options.remote_latency = Distribution::constant(latency);
  options.hold = Distribution::constant(hold);
  auto rows = static_cast<std::int64_t>(row);
  options.think = contended ? Distribution::constant(0ms)
                            : Distribution::exponential(20 * nodes * rows * (hold + 2 * latency));
  return options;
}

struct Cost {
  Sample messages;
  /// From request to entry, in message times.
  Sample wait, longest_wait;
  std::size_t stopped = 0;

  void add(const Result& result) {
    if (result.violation) ++stopped;
    messages.add(result.report.messages_per_entry);
    wait.add(result.report.wait_s.mean / seconds_of(latency));
    longest_wait.add(result.report.wait_s.max / seconds_of(latency));
  }
};

Cost measure(Options options, const Seeds& seeds) {
  Cost cost;
  for (options.seed = seeds.first; options.seed <= seeds.last; ++options.seed)
    cost.add(simulate(options));
  return cost;
}

struct Row {
  std::uint64_t length;
  /// In the order of `algorithms`.
  Cost alone[std::size(algorithms)] = {};
  Cost contended[std::size(algorithms)] = {};

  /// Messages per entry if one multicast and its replies serve the whole row.
  double once_a_row() const { return 2.0 * (nodes - 1) / static_cast<double>(length); }
};

std::vector<Row> measure_all(const Setup& setup) {
  std::vector<Row> rows;
  for (std::uint64_t length :
       pick<std::vector<std::uint64_t>>(setup.scale, {1, 10}, {1, 2, 10}, {1, 2, 5, 10, 20, 50}))
    rows.push_back({length});
  constexpr std::size_t each = std::size(algorithms);
  in_parallel(rows.size() * each * 2, [&](std::size_t index) {
    Row& row = rows[rows.size() - 1 - index / (2 * each)];  // the longest first
    std::size_t which = index / 2 % each;
    bool contended = index % 2 == 1;
    (contended ? row.contended : row.alone)[which] =
        measure(workload(algorithms[which], row.length, contended), setup.seeds);
  });
  return rows;
}

std::vector<PaperClaim> judge(const std::vector<Row>& rows) {
  const Row& longest = rows.back();
  double dearest = 0, excess = 0;
  std::size_t stopped = 0;
  for (const Row& row : rows) {
    dearest = std::max(dearest, std::abs(row.alone[0].messages.mean() - 2 * (nodes - 1)));
    excess = std::max(excess, row.alone[1].messages.mean() / row.once_a_row());
    stopped += row.alone[1].stopped + row.contended[1].stopped;
  }
  std::string of(exercise);
  return {
      {of,
       "A multicast at every entry is inefficient where a process enters many times before another "
       "wants to.",
       "",
       fmt::format("2(N-1) = {} messages an entry, and a round trip before each, however many "
                   "there are in a row.",
                   2 * (nodes - 1)),
       judged(dearest < 0.05)},
      {of,
       "Who has let go and was asked by nobody may enter again without a message: a multicast a "
       "row is enough.",
       "2(N-1) for each row",
       fmt::format("At most {:.2f} times that: {:.2f} messages an entry in rows of {}, as only "
                   "those are asked who were answered since (Carvalho and Roucairol). Naimi and "
                   "Trehel's token, which stays where it is, takes {:.2f}.",
                   excess, longest.alone[1].messages.mean(), longest.length,
                   longest.alone[2].messages.mean()),
       judged(excess <= 1.02)},
      {of, "It satisfies ME2, as a request that comes is answered at once.", "",
       fmt::format(
           "Everybody is served in all runs, also where all begin their rows at once; the "
           "longest wait there is {:.2f} times that of asking everybody. ME3 is lost: "
           "tests/scenarios/ricart_agrawala_kept.txt.",
           longest.contended[1].longest_wait.mean() / longest.contended[0].longest_wait.mean()),
       judged(stopped == 0)},
  };
}

Figure draw(const std::vector<Row>& rows) {
  Figure figure{"Messages per entry, by how often a process enters in a row",
                std::string(exercise),
                Shape::lines,
                {"entries in a row", "entries", Spacing::log},
                {"messages per entry", "messages", Spacing::log}};
  for (const Row& row : rows) {
    auto x = static_cast<double>(row.length);
    for (std::size_t i = 0; i < std::size(algorithms); ++i)
      figure.at(algorithms[i]).points.push_back(at(x, row.alone[i].messages));
    figure.at("2(N-1), once a row", Whose::paper).points.push_back({x, row.once_a_row()});
  }
  return figure;
}

}  // namespace

ExperimentResult textbook_reuse(const Setup& setup) {
  ExperimentResult findings{
      fmt::format("{} nodes, every message takes {}, a holder stays {}. A process enters so many "
                  "times in a row, asking again\nat once, five rows in all. Low load: then it "
                  "thinks for 20 N rows in the mean, so that rows hardly\nmeet. High load: it goes "
                  "on at once. Messages per entry, and waits in message times.",
                  nodes, print_duration(latency), print_duration(hold)),
      Table({"row", "once a row", "RA messages", "RA wait", "kept messages", "kept wait",
             "NT messages", "NT wait", "RA high", "kept high", "NT high"})};
  std::vector<Row> rows = measure_all(setup);
  auto number = [](const Sample& sample) { return fmt::format("{:.2f}", sample.mean()); };
  for (const Row& row : rows) {
    std::vector<std::string> cells{std::to_string(row.length),
                                   fmt::format("{:.2f}", row.once_a_row())};
    for (const Cost& cost : row.alone)
      cells.insert(cells.end(), {number(cost.messages), number(cost.wait)});
    for (const Cost& cost : row.contended) cells.push_back(number(cost.messages));
    findings.table.row(std::move(cells));
  }
  findings.claims = judge(rows);
  findings.figures = {draw(rows)};
  return findings;
}

}  // namespace conch::lab
