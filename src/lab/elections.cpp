// Section 15.3 of the lecture notes: messages and turnaround of elections against the number of
// processes, beside the formulas of the textbook.
#include <fmt/core.h>

#include <algorithm>

#include "lab/experiment.hpp"
#include "sim/election.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Duration latency = 1ms;

struct Cost {
  std::uint64_t messages = 0;
  /// In message times.
  double turnaround = 0;
  bool held = true;
};

/// A quiet system: nothing happens but what the experiment asks for, and all messages take equally
/// long.
ElectionOptions still(std::string_view algorithm, Node nodes) {
  ElectionOptions options;
  options.algorithm = algorithm;
  options.nodes = nodes;
  options.starts = 0;
  options.crashes = 0;
  options.latency = Distribution::constant(latency);
  if (algorithm == "chang-roberts") options.crashes.reset();
  return options;
}

Cost measure(const ElectionOptions& options) {
  ElectionResult result = simulate(options);
  return {result.messages.total, result.turnaround_s / seconds_of(latency), !result.violation};
}

std::vector<NodeId> in_order(Node nodes) {
  std::vector<NodeId> ring;
  for (Node node = 0; node < nodes; ++node) ring.push_back(id_of(node));
  return ring;
}

/// Runs on a ring in falling order. The neighbour of the highest process is the second highest,
/// whose message passes all the others before it meets the highest.
Cost ring(Node nodes, std::vector<Node> starters) {
  ElectionOptions options = still("chang-roberts", nodes);
  options.ring = in_order(nodes);
  std::reverse(options.ring.begin(), options.ring.end());
  options.starters = std::move(starters);
  return measure(options);
}

/// Messages when all processes start at once, on random rings.
Sample random_rings(Node nodes, const Seeds& seeds) {
  Sample messages;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    ElectionOptions options = still("chang-roberts", nodes);
    options.seed = seed;
    for (Node node = 0; node < nodes; ++node) options.starters.push_back(node);
    messages.add(static_cast<double>(measure(options).messages));
  }
  return messages;
}

/// The highest process has crashed, and `starter` notices it.
Cost failover(std::string_view algorithm, Node nodes, Node starter) {
  ElectionOptions options = still(algorithm, nodes);
  options.down = {nodes - 1};
  options.starters = {starter};
  return measure(options);
}

/// The cost of the return of the highest process while the next one is the coordinator: a run with
/// crash and return, less a run with the crash alone.
Cost comeback(std::string_view algorithm, Node nodes) {
  ElectionOptions options = still(algorithm, nodes);
  options.starters = {nodes - 1};
  options.scheduled_crashes = {{{Who::Role::number, nodes - 1}, 100ms, 200ms}};
  Cost whole = measure(options);
  options.scheduled_crashes[0].length.reset();
  Cost before = measure(options);
  return {whole.messages - before.messages, 0, whole.held && before.held};
}

struct Row {
  Node nodes = 0;
  Cost best, worst, all;
  Sample random;
  Cost bully_best, bully_worst, bully_comeback, polite_comeback;

  bool held() const {
    for (const Cost* cost :
         {&best, &worst, &all, &bully_best, &bully_worst, &bully_comeback, &polite_comeback})
      if (!cost->held) return false;
    return true;
  }
};

Row measure_all(Node nodes, const Seeds& seeds) {
  std::vector<Node> everybody;
  for (Node node = 0; node < nodes; ++node) everybody.push_back(node);
  Row row;
  row.nodes = nodes;
  row.best = ring(nodes, {nodes - 1});
  row.worst = ring(nodes, {nodes - 2});
  row.all = ring(nodes, everybody);
  row.random = random_rings(nodes, seeds);
  row.bully_best = failover("bully", nodes, nodes - 2);
  row.bully_worst = failover("bully", nodes, 0);
  row.bully_comeback = comeback("bully", nodes);
  row.polite_comeback = comeback("bully-polite", nodes);
  return row;
}

template <class Test>
bool everywhere(const std::vector<Row>& rows, Test&& test) {
  return std::all_of(rows.begin(), rows.end(), test);
}

constexpr std::string_view section = "lecture notes, section 15.3";

/// The formulas for N processes of the textbook, chapter 15, on which the notes [Coulouris 2011]
/// are based; the notes have none. All processes are up but the highest, which has crashed.
double ring_best(double n) { return 2 * n; }
double ring_worst(double n) { return 3 * n - 1; }
double bully_best(double n) { return n - 2; }
/// Not in the textbook, but it follows.
double ring_all(double n) { return n * (n + 1) / 2 + n; }

std::vector<PaperClaim> judge(const std::vector<Row>& rows) {
  std::string of(section);
  const Row& most = rows.back();
  std::string with = fmt::format(" with {} processes", most.nodes);
  return {
      {of, "Everybody ends with the same coordinator, the highest (E1, E2).", "in all runs",
       "E1 and E2 in all runs.",
       judged(everywhere(rows, [](const Row& row) { return row.held(); }))},
      {of,
       "On a ring a single starter needs 3N-1 messages at worst, if its neighbour the other way "
       "round is the highest, and 2N at best, if it is the highest itself; the turnaround is the "
       "same, because messages go one after the other.",
       fmt::format("textbook, {:.0f} and {:.0f}{}", ring_worst(most.nodes), ring_best(most.nodes),
                   with),
       fmt::format("{} and {}. The last message only tells the coordinator that its announcement "
                   "has come round.",
                   most.worst.messages, most.best.messages),
       judged(everywhere(rows,
                         [](const Row& row) {
                           return row.worst.messages == std::uint64_t{3} * row.nodes - 1 &&
                                  row.best.messages == std::uint64_t{2} * row.nodes &&
                                  row.worst.turnaround <= 3 * row.nodes - 1 &&
                                  row.best.turnaround <= 2 * row.nodes;
                         }))},
      {of,
       "If all begin at once and the ring is in falling order, no message is ended early: "
       "N(N+1)/2 + N.",
       fmt::format("computed, {:.0f}{}", ring_all(most.nodes), with),
       fmt::format("{}. On a random ring it is {:.0f} in the mean: O(N log N), as Chang and "
                   "Roberts have shown.",
                   most.all.messages, most.random.mean()),
       judged(everywhere(rows,
                         [](const Row& row) {
                           return row.all.messages == row.nodes * (row.nodes + 1) / 2 + row.nodes;
                         }))},
      {of, "A bully at best: the next below notices, and tells N-2 processes.",
       fmt::format("textbook, {:.0f}{}", bully_best(most.nodes), with),
       std::to_string(most.bully_best.messages) +
           ". The one more is the question to the process that has crashed; it takes T and a "
           "message.",
       judged(everywhere(
           rows, [](const Row& row) { return row.bully_best.messages == row.nodes - 2 + 1; }))},
      {of, "A bully at worst, if the lowest notices: O(N^2).", "textbook, O(N^2)",
       std::to_string(most.bully_worst.messages) + with +
           ". Of N-1 that are up, each asks all above it and all answer but the one that has "
           "crashed: (N-1)(N-2) + 2N - 3.",
       judged(everywhere(rows,
                         [](const Row& row) {
                           std::uint64_t up = row.nodes - 1;
                           // Each asks all above it; all but the crashed one answer; one announces.
                           return row.bully_worst.messages ==
                                  up * (up - 1) / 2 + up + up * (up - 1) / 2 + up - 1;
                         }))},
      {"lecture notes, exercise 11.8",
       "An election whenever the highest returns is wasteful: it might just ask.", "",
       fmt::format("{} messages for the election, {} for asking{}: what is saved is the change of "
                   "coordinator, and no message.",
                   most.bully_comeback.messages, most.polite_comeback.messages, with),
       everywhere(rows,
                  [](const Row& row) {
                    return row.polite_comeback.messages < row.bully_comeback.messages;
                  })
           ? ClaimVerdict::holds
           : ClaimVerdict::in_part},
  };
}

std::vector<Figure> draw(const std::vector<Row>& rows) {
  Axis processes{"processes", "processes", Spacing::log};
  Figure messages{"Messages of an election",
                  std::string(section),
                  Shape::lines,
                  processes,
                  {"messages", "messages", Spacing::log}};
  Figure turnaround{"Turnaround of an election",
                    std::string(section),
                    Shape::lines,
                    processes,
                    {"turnaround", "message times", Spacing::log}};
  for (const Row& row : rows) {
    double n = row.nodes;
    auto count = [&](std::string_view name, const Cost& cost) {
      messages.at(name).points.push_back({n, static_cast<double>(cost.messages)});
    };
    auto time = [&](std::string_view name, const Cost& cost) {
      turnaround.at(name).points.push_back({n, cost.turnaround});
    };
    auto says = [&](Figure& figure, std::string_view name, double value) {
      figure.at(name, Whose::paper).points.push_back({n, value});
    };
    count("ring, best", row.best);
    count("ring, worst", row.worst);
    count("ring, all begin", row.all);
    messages.at("ring, all begin, random").points.push_back(at(n, row.random));
    count("bully, best", row.bully_best);
    count("bully, worst", row.bully_worst);
    says(messages, "2N, textbook", ring_best(n));
    says(messages, "3N-1, textbook", ring_worst(n));
    messages.at("N(N+1)/2 + N", Whose::reference).points.push_back({n, ring_all(n)});
    says(messages, "N-2, textbook", bully_best(n));
    time("ring, best", row.best);
    time("ring, worst", row.worst);
    time("bully, best", row.bully_best);
    time("bully, worst", row.bully_worst);
    says(turnaround, "2N, textbook", ring_best(n));
    says(turnaround, "3N-1, textbook", ring_worst(n));
  }
  return {messages, turnaround};
}

}  // namespace

ExperimentResult elections(const Setup& setup) {
  const Seeds& seeds = setup.seeds;
  Table table({"N", "best", "worst", "all", "random", "best", "worst", "best", "worst", "best",
               "worst", "bully", "polite"});
  table.group("", 1);
  table.group("chang-roberts: messages", 4);
  table.group("ring turnaround", 2);
  table.group("bully: messages", 2);
  table.group("bully turnaround", 2);
  table.group("highest returns", 2);
  std::vector<Row> rows;
  for (Node nodes : setup.scale == Scale::smoke ? std::vector<Node>{4, 16}
                                                : std::vector<Node>{4, 8, 16, 32, 64}) {
    const Row& row = rows.emplace_back(measure_all(nodes, seeds));
    auto count = [](const Cost& cost) { return std::to_string(cost.messages); };
    auto time = [](const Cost& cost) { return fmt::format("{:.1f}", cost.turnaround); };
    table.row({std::to_string(nodes), count(row.best), count(row.worst), count(row.all),
               fmt::format("{:.1f}", row.random.mean()), time(row.best), time(row.worst),
               count(row.bully_best), count(row.bully_worst), time(row.bully_best),
               time(row.bully_worst), count(row.bully_comeback), count(row.polite_comeback)});
  }
  return {
      fmt::format(
          "Every message takes {}; T and T' are just above 2 and 4 message times. Ring: "
          "one starter,\nor all at once, on a ring in falling order, and on random rings. Bully: "
          "the highest\nhas crashed and the next below (best) or "
          "the lowest (worst) notices. Turnaround in message times.\nThe formulas are those of the "
          "notes' textbook.",
          print_duration(latency)),
      std::move(table),
      {},
      judge(rows),
      draw(rows)};
}

}  // namespace conch::lab
