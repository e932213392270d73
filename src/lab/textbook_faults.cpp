// "Fault tolerance" of seed 001, measured: each algorithm, on channels as they are, against one
// lost message, and against one process that crashes while it is idle, waiting, holding, serving or
// voting.
#include <fmt/core.h>

#include <map>

#include "catalog/catalog.hpp"
#include "lab/experiment.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Node nodes = 7;

/// How runs with one fault ended.
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
  int runs() const { return went_on + stopped + unsafe; }
  std::string text() const {
    if (went_on == runs()) return "goes on";
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
  options.linked = Linked::never;
  options.think = Distribution::exponential(50ms);
  return options;
}

/// One message of the run, each in turn.
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

std::string serving(std::string_view algorithm, const Seeds& seeds) {
  if (algorithm != "central") return "-";
  return crash_one(algorithm, Who::Role::home, {}, seeds).text();
}

std::string voting(std::string_view algorithm, const Seeds& seeds) {
  if (algorithm != "maekawa") return "-";
  return crash_one(algorithm, Who::Role::voter, {}, seeds).text();
}

void add_row(Table& table, const std::string& name, std::string_view algorithm,
             std::optional<Duration> detect, const Seeds& seeds) {
  auto crash = [&](Who::Role role) { return crash_one(algorithm, role, detect, seeds).text(); };
  table.row({name, lose_one_message(algorithm, seeds).text(), crash(Who::Role::idle),
             crash(Who::Role::waiter), crash(Who::Role::holder), serving(algorithm, seeds),
             voting(algorithm, seeds)});
}

}  // namespace

Findings textbook_faults(const Seeds& seeds) {
  Table table({"algorithm", "lost message", "idle", "waiting", "holding", "serving", "voting"});
  table.group("", 1);
  table.group("one", 1);
  table.group("one crash while", 5);
  for (std::size_t column = 1; column <= 6; ++column) table.align_left(column);
  for (const CatalogEntry& entry : catalog()) {
    if (entry.about.use == Use::specimen) continue;
    std::string name(entry.about.name);
    add_row(table, name, name, {}, seeds);
    if (entry.can.suspecting) add_row(table, name + " + detector", name, 20ms, seeds);
  }
  return {
      fmt::format("{} nodes, no reliable link, no recovery; seeds {}..{}. \"goes on\": everybody "
                  "else is served.\n\"stops\": somebody waits for ever; with a share where not "
                  "every run did.",
                  nodes, seeds.first, seeds.last),
      std::move(table),
      {
          "Notes: \"None of the algorithms would tolerate the loss of messages.\" Holds, where the "
          "lost message mattered; the link (src/link) is what makes channels reliable.",
          "Notes: \"The ring cannot tolerate a crash of any single process.\" Holds.",
          "Notes: \"Maekawa can tolerate some crashes, if the crashed process is not in a voting "
          "set that is required.\" It seldom helps: every process is in K sets.",
          "Notes: \"The central server can tolerate the crash of a client that neither holds nor "
          "has requested.\" Holds; with a failure detector (exercise 15.5) of any client.",
          "Notes: \"Ricart-Agrawala can be adapted to tolerate such a crash.\" As it stands it "
          "does not: everybody waits for the reply of the dead.",
      }};
}

}  // namespace conch::lab
