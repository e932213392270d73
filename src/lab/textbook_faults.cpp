// The section "Fault tolerance" of the lecture notes, measured: each algorithm on unreliable
// channels, against one lost message, and against one process that crashes while it is idle,
// waiting, holding, serving or voting.
#include <fmt/core.h>

#include <algorithm>

#include "catalog/catalog.hpp"
#include "lab/experiment.hpp"
#include "mutex/voting_sets.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Node nodes = 7;

/// Counts how runs with one fault ended.
struct Outcomes {
  int went_on = 0;
  int stopped = 0;
  int unsafe = 0;

  void add(const Result& result) {
    if (!result.violation) {
      ++went_on;
    } else if (result.violation->property == Property::progress) {
      ++stopped;
    } else {
      ++unsafe;
    }
  }
  friend Outcomes operator+(const Outcomes& a, const Outcomes& b) {
    return {a.went_on + b.went_on, a.stopped + b.stopped, a.unsafe + b.unsafe};
  }
  int runs() const { return went_on + stopped + unsafe; }
  bool all_went_on() const { return went_on == runs(); }
  std::string text() const {
    if (all_went_on()) return "goes on";
    std::string text;
    auto part = [&](int count, std::string_view what) {
      if (count == 0) return;
      text += (text.empty() ? "" : ", ") + std::string(what);
      if (count < runs()) text += fmt::format(" {}%", (100 * count + runs() / 2) / runs());
    };
    part(stopped, "stops");
    part(unsafe, "unsafe");
    return text;
  }
};

Options workload(std::string_view algorithm, std::uint64_t seed) {
  Options options;
  options.algorithm = algorithm;
  options.clusters = {nodes};
  options.requests = 15;
  options.seed = seed;
  options.linked = LinkUse::never;
  options.think = Distribution::exponential(50ms);
  return options;
}

/// Loses every fifth of the first 50 messages, one per run.
Outcomes lose_one_message(std::string_view algorithm, const Seeds& seeds) {
  Outcomes outcomes;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    for (std::uint64_t message = 5; message <= 50; message += 5) {
      Options options = workload(algorithm, seed);
      options.faults.drop = message;
      outcomes.add(simulate(options));
    }
  }
  return outcomes;
}

Outcomes crash_one(std::string_view algorithm, Who::Role role, std::optional<Duration> detect,
                   const Seeds& seeds) {
  Outcomes outcomes;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    Options options = workload(algorithm, seed);
    options.faults.scheduled.push_back(Crash{{role, 0}, 100ms, {}});
    options.faults.detect_after = detect;
    outcomes.add(simulate(options));
  }
  return outcomes;
}

/// Runs of Maekawa's voting in which each process in turn is dead. In half of them, only processes
/// that do not need its vote request the lock; in the others, only those that do.
struct VotingRuns {
  Outcomes unneeded, needed;
};

VotingRuns crash_voters(const Seeds& seeds) {
  VotingRuns voting;
  Members all = Members::first(nodes);
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
    for (Node dead = 0; dead < nodes; ++dead)
      for (bool is_needed : {false, true}) {
        Options options = workload("maekawa", seed);
        for (Node node = 0; node < nodes; ++node) {
          auto votes = voting_set(all, id_of(node), conch::VotingSetShape::automatic);
          if (node != dead && votes.contains(id_of(dead)) == is_needed)
            options.askers.push_back(node);
        }
        options.faults.scheduled.push_back(Crash{{Who::Role::number, dead}, 100ms, {}});
        (is_needed ? voting.needed : voting.unneeded).add(simulate(options));
      }
  return voting;
}

/// What one algorithm did under each fault. `serving` and `voting` are empty where there is no
/// server or voter.
struct Row {
  std::string name;
  Outcomes lost, idle, waiting, holding;
  std::optional<Outcomes> serving, voting;
};

Row measure(const std::string& name, std::string_view algorithm, std::optional<Duration> detect,
            const Seeds& seeds) {
  auto crash = [&](Who::Role role) { return crash_one(algorithm, role, detect, seeds); };
  Row row{name,
          lose_one_message(algorithm, seeds),
          crash(Who::Role::idle),
          crash(Who::Role::waiter),
          crash(Who::Role::holder),
          {},
          {}};
  if (algorithm == "central") row.serving = crash(Who::Role::home);
  if (algorithm == "maekawa") row.voting = crash(Who::Role::voter);
  return row;
}

std::vector<Row> measure_all(const Seeds& seeds) {
  std::vector<Row> rows;
  for (const CatalogEntry& entry : catalog()) {
    if (!entry.about.is_sound() || entry.is_preset()) continue;
    std::string name(entry.about.name);
    rows.push_back(measure(name, name, {}, seeds));
    if (entry.can.suspecting) rows.push_back(measure(name + " + detector", name, 20ms, seeds));
  }
  return rows;
}

const Row& row_of(const std::vector<Row>& rows, std::string_view name) {
  return *std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
}

std::string survived(const Outcomes& outcomes) {
  return fmt::format("{} of {} runs", outcomes.went_on, outcomes.runs());
}

constexpr std::string_view section = "lecture notes, section 15.2, fault tolerance";

std::vector<PaperClaim> judge(const std::vector<Row>& rows, const VotingRuns& voting) {
  auto tolerant = std::count_if(rows.begin(), rows.end(),
                                [](const Row& row) { return row.lost.all_went_on(); });
  const Row& ring = row_of(rows, "ring");
  const Row& central = row_of(rows, "central");
  const Row& detector = row_of(rows, "central + detector");
  const Row& ricart = row_of(rows, "ricart-agrawala");
  const Row& implicit = row_of(rows, "ricart-agrawala + detector");
  Outcomes ring_crashes = ring.idle + ring.waiting + ring.holding;
  Outcomes detected = detector.idle + detector.waiting + detector.holding;
  std::string of(section);
  return {
      {of, "No algorithm stands the loss of a message.", "none",
       fmt::format("{} of {} do. Not every lost message matters to those that send more than they "
                   "need; none should run without the reliable link.",
                   tolerant, rows.size()),
       judged(tolerant == 0)},
      {of, "A ring stands no crash of anybody.", "none",
       survived(ring_crashes) + " went on after a crash.", judged(ring_crashes.went_on == 0)},
      {of, "Maekawa's voting stands a crash, as long as nobody needs the vote of the dead.", "",
       survived(voting.unneeded) + " went on where only those ask who do not need it, and " +
           survived(voting.needed) +
           " where those ask who do (each process in turn is dead). Everybody is in somebody's "
           "voting set: in the table, where all ask, nobody may die.",
       judged(voting.unneeded.all_went_on())},
      {of, "A server stands the crash of a client that neither holds nor waits.", "always",
       survived(central.idle) + " went on.", judged(central.idle.all_went_on())},
      {"lecture notes, exercise 15.5",
       "With a failure detector a server stands the crash of any client.", "always",
       survived(detected) + " went on. The server itself must live.",
       judged(detected.all_went_on())},
      {of, "Ricart-Agrawala can be changed to stand the crash of a process that is idle.", "always",
       "With a failure detector " + survived(implicit.idle) +
           " went on. As it stands everybody waits for a reply of the dead: " +
           survived(ricart.idle) + " did.",
       judged(implicit.idle.all_went_on())},
  };
}

Figure draw(const std::vector<Row>& rows) {
  Figure figure{"Runs that go on after one fault",
                std::string(section),
                Shape::bars,
                {"algorithm"},
                {"runs that go on", "%"}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    figure.x.names.push_back(row.name);
    auto add = [&](std::string_view fault, const std::optional<Outcomes>& outcomes) {
      if (outcomes)
        figure.at(fault).points.push_back(
            {static_cast<double>(i), 100.0 * outcomes->went_on / outcomes->runs()});
    };
    add("a lost message", row.lost);
    add("a crash while idle", row.idle);
    add("while waiting", row.waiting);
    add("while holding", row.holding);
    add("of the server or a voter", row.serving ? row.serving : row.voting);
  }
  return figure;
}

}  // namespace

ExperimentResult textbook_faults(const Setup& setup) {
  const Seeds& seeds = setup.seeds;
  Table table({"algorithm", "lost message", "idle", "waiting", "holding", "serving", "voting"});
  table.group("", 1);
  table.group("one", 1);
  table.group("one crash while", 5);
  for (std::size_t column = 1; column <= 6; ++column) table.align_left(column);
  std::vector<Row> rows = measure_all(seeds);
  auto text = [](const std::optional<Outcomes>& outcomes) {
    return outcomes ? outcomes->text() : std::string("-");
  };
  for (const Row& row : rows)
    table.row({row.name, row.lost.text(), row.idle.text(), row.waiting.text(), row.holding.text(),
               text(row.serving), text(row.voting)});
  return {fmt::format("{} nodes, no reliable link, no recovery. \"goes on\": "
                      "everybody else is served.\n\"stops\": somebody waits for ever; \"unsafe\": "
                      "two holders or lost data; with a share where\nnot every run did.",
                      nodes),
          std::move(table),
          {},
          judge(rows, crash_voters(seeds)),
          {draw(rows)}};
}

}  // namespace conch::lab
