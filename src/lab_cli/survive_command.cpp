#include <fmt/core.h>

#include <iostream>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "core/print.hpp"
#include "film/of_traces.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/runs.hpp"
#include "lab_cli/show.hpp"
#include "lab_cli/sim_options.hpp"
#include "sim/group_simulation.hpp"

namespace conch::lab_cli {
namespace {

using sim::GroupSimulationOptions;
using sim::GroupSimulationReport;

constexpr auto every_algorithm = "all";

struct SurviveTexts {
  std::string algorithm;
  std::string nodes = "2..6";
  std::string lease = "1s";
  unsigned drift = 5;
  std::optional<unsigned> clock_drift;
  std::uint64_t seed = 1;
  std::optional<std::string> seeds;
  unsigned threads = 1;
  std::optional<std::string> without;
  std::vector<std::string> strikes;
  bool everywhere = false;
  bool trace = false;
  bool json = false;
  ShowTexts show;
};

std::string rule_names() {
  std::string names;
  for (recovery::Rule rule : recovery::rules)
    names += (names.empty() ? "" : ", ") + std::string(word(rule));
  return names;
}

std::string strike_names() {
  std::string names;
  for (sim::Strike::Kind kind : sim::strikes)
    names += (names.empty() ? "" : ", ") + std::string(word(kind));
  return names;
}

recovery::Rule rule_named(const std::string& name) {
  for (recovery::Rule rule : recovery::rules)
    if (word(rule) == name) return rule;
  throw BadText("--without: \"" + name + "\" is none of " + rule_names());
}

GroupSimulationOptions to_options(const SurviveTexts& texts) {
  GroupSimulationOptions options;
  options.algorithm = texts.algorithm == every_algorithm ? "naimi-trehel" : texts.algorithm;
  sim::NodeRange nodes = sim::parse_nodes(texts.nodes);
  options.nodes_min = nodes.first;
  options.nodes_max = nodes.last;
  options.lease = {parse_duration(texts.lease), texts.drift};
  options.clock_drift_percent = texts.clock_drift.value_or(texts.drift);
  options.seed = texts.seed;
  if (texts.without) options.without = rule_named(*texts.without);
  for (const std::string& strike : texts.strikes)
    options.strikes.push_back(parsed("--strike", [&] { return sim::parse_strike(strike); }));
  if (texts.everywhere || !texts.strikes.empty()) {  // Makes the run short, with few other faults.
    options.stormy_leases = 4;
    options.faults_max = 2;
  }
  sim::validate(options);
  return options;
}

/// If the algorithm is `all`, the seed selects one.
GroupSimulationOptions for_seed(GroupSimulationOptions options, const SurviveTexts& texts,
                                std::uint64_t seed) {
  options.seed = seed;
  if (texts.algorithm != every_algorithm) return options;
  std::vector<std::string> names = sim::surviving_algorithms();
  options.algorithm = names[seed % names.size()];
  return options;
}

struct Totals {
  std::uint64_t grants = 0;
  std::uint64_t epochs = 0;
  std::uint64_t messages = 0;
  sim::Sightings sightings{};

  explicit Totals(const Runs<GroupSimulationReport>& runs) {
    for (const auto& report : runs.results) {
      if (!report) continue;
      grants += report->grants;
      epochs += report->epochs;
      messages += report->messages;
      for (std::size_t i = 0; i < sightings.size(); ++i) sightings[i] += report->sightings[i];
    }
  }

  /// The sightings that this algorithm should show (all of them for `all`), and any others that
  /// were seen.
  sim::Sometimes sometimes(const std::string& algorithm) const {
    sim::Sometimes seen;
    for (std::size_t i = 0; i < sightings.size(); ++i) {
      auto sighting = static_cast<sim::Sighting>(i);
      bool expected = sightings[i] > 0 || algorithm == every_algorithm ||
                      is_expected(sighting, find_any(algorithm));
      if (expected) seen[std::string(word(sighting))] = sightings[i];
    }
    return seen;
  }
};

/// Lists what never happened, and was therefore not tested.
std::string unseen(const Totals& totals, const std::string& algorithm) {
  std::string missing;
  for (const auto& [what, count] : totals.sometimes(algorithm))
    if (count == 0) missing += (missing.empty() ? "" : "; ") + what;
  return missing;
}

void print_json(const Runs<GroupSimulationReport>& runs, const Totals& totals,
                const SurviveTexts& texts, const SeedRange& range) {
  nlohmann::ordered_json json;
  json["algorithm"] = texts.algorithm;
  json["nodes"] = texts.nodes;
  json.update(tally_of(runs, range, totals.messages, totals.sometimes(texts.algorithm)));
  json["grants"] = totals.grants;
  json["epochs"] = totals.epochs;
  fmt::print("{}\n", json.dump(2));
  std::fflush(stdout);
}

void print_totals(const Totals& totals) {
  fmt::print("  {} grants, {} epochs, {} messages\n", totals.grants, totals.epochs,
             totals.messages);
  for (std::size_t i = 0; i < totals.sightings.size(); ++i)
    fmt::print("  {:>9}  {}\n", totals.sightings[i], word(static_cast<sim::Sighting>(i)));
  std::fflush(stdout);
}

void print_text(const Runs<GroupSimulationReport>& runs, const Totals& totals,
                const SurviveTexts& texts, const SeedRange& range) {
  fmt::print("{}, {} peers, {} runs (seeds {}..{}): {} failed\n", texts.algorithm, texts.nodes,
             runs.done, range.first, range.last, runs.failures);
  print_totals(totals);
}

Exit complain_of_nothing_seen(const Totals& totals, const std::string& algorithm) {
  std::string missing = unseen(totals, algorithm);
  if (missing.empty()) return Exit::held;
  fmt::print(stderr, "conch: never happened: {}; what was not seen was not tested\n", missing);
  return Exit::bad_usage;
}

/// Repeats one run for each of its steps, each of its peers and each kind of strike, with that
/// strike added.
void survive_everywhere(const SurviveTexts& texts, Invocation& invocation) {
  if (texts.seeds || texts.trace || texts.json)
    throw BadText("--everywhere tries every step of one run: give --seed, and nothing to show");
  GroupSimulationOptions options = for_seed(to_options(texts), texts, texts.seed);
  if (node::find_routed(options.algorithm))
    throw BadText("--everywhere needs a group with a register");
  GroupSimulationReport plain = sim::GroupSimulation(options).run();
  auto strike_of = [&](std::uint64_t index) {
    sim::Strike strike;
    strike.kind = sim::strikes[index % std::size(sim::strikes)];
    index /= std::size(sim::strikes);
    strike.peer = static_cast<std::uint32_t>(index % plain.peers);
    strike.step = index / plain.peers + 1;
    return strike;
  };
  SeedRange range{0, plain.steps * plain.peers * std::size(sim::strikes) - 1};
  watch_for_interrupts();
  auto runs = run_seeds<GroupSimulationReport>(range, texts.threads, [&](std::uint64_t index) {
    GroupSimulationOptions struck = options;
    struck.strikes.push_back(strike_of(index));
    return sim::GroupSimulation(struck).run();
  });
  Totals totals(runs);
  fmt::print("{}, seed {}, {} peers: {} things at each of {} steps, {} runs: {} failed\n",
             options.algorithm, options.seed, plain.peers, std::size(sim::strikes), plain.steps,
             runs.done, runs.failures);
  print_totals(totals);
  invocation.exit = complain_of_failures(
      runs, range, [&](const GroupSimulationReport& report, std::uint64_t index) {
        fmt::print(stderr, "{} broken: {}\n  repeat: {} --trace --strike {}\n",
                   word(report.violation->property), report.violation->what,
                   command_without(invocation, {"--threads"}, {"--everywhere"}),
                   print(strike_of(index)));
      });
  invocation.exit = complain_of_interrupt(runs.done, range.last + 1, invocation.exit);
}

/// Makes a film of the traces that the peers have written.
film::Builder film_of(const sim::GroupSimulation::Traces& traces, film::RecordingInfo about) {
  std::list<std::istringstream> texts;
  std::list<audit::TraceStream> streams;
  std::vector<audit::TraceStream*> pointers;
  for (const auto& [serial, text] : traces) {
    if (text.empty()) continue;  // This process never began a life.
    std::string name = "process " + std::to_string(serial);
    pointers.push_back(&streams.emplace_back(texts.emplace_back(text), name));
  }
  return film::film_of(std::move(pointers), std::move(about));
}

void survive_and_show(const SurviveTexts& texts, Invocation& invocation) {
  if (texts.seeds || texts.everywhere) throw BadText("--view shows one run: give --seed");
  GroupSimulationOptions options = for_seed(to_options(texts), texts, texts.seed);
  if (node::find_routed(options.algorithm))
    throw BadText("--view needs a group with a register; conch sim " + options.algorithm +
                  " --view shows one without");
  sim::GroupSimulation::Traces traces;
  GroupSimulationReport report = sim::GroupSimulation(options, nullptr, &traces).run();
  invocation.exit = exit_for(report.violation);
  if (report.violation)
    fmt::print(stderr, "{} broken in {} with seed {}: {}\n", word(report.violation->property),
               options.algorithm, options.seed, report.violation->what);
  film::Builder film = film_of(
      traces, {.title = fmt::format("{} survives, seed {}", options.algorithm, options.seed),
               .command = command_without(invocation, {"--view-out", "--view-at"},
                                          {"--view", "--view-open", "--view-insecure"}),
               .algorithm = options.algorithm});
  show(film, texts.show);
}

void survive(const SurviveTexts& texts, Invocation& invocation) {
  constexpr std::uint64_t telling_runs = 1000;
  if (texts.show.wanted()) return survive_and_show(texts, invocation);
  if (texts.everywhere) return survive_everywhere(texts, invocation);
  GroupSimulationOptions options = to_options(texts);
  SeedRange range{texts.seed, texts.seed};
  if (texts.seeds) range = parse_seeds(*texts.seeds);
  if (texts.trace && texts.seeds)
    throw BadText("--trace shows one run: give --seed instead of --seeds");
  if (texts.trace && texts.json) throw BadText("--trace and --json exclude each other");
  watch_for_interrupts();
  auto runs = run_seeds<GroupSimulationReport>(range, texts.threads, [&](std::uint64_t seed) {
    return sim::GroupSimulation(for_seed(options, texts, seed), texts.trace ? &std::cout : nullptr)
        .run();
  });
  Totals totals(runs);
  texts.json ? print_json(runs, totals, texts, range) : print_text(runs, totals, texts, range);
  invocation.exit = complain_of_failures(
      runs, range, [&](const GroupSimulationReport& report, std::uint64_t seed) {
        fmt::print(stderr, "{} broken in {} with seed {}: {}\n  repeat: {}\n",
                   word(report.violation->property), for_seed(options, texts, seed).algorithm, seed,
                   report.violation->what, repeat_command(invocation, seed));
      });
  if (runs.failures == 0 && runs.done >= telling_runs)
    invocation.exit = complain_of_nothing_seen(totals, texts.algorithm);
  invocation.exit = complain_of_interrupt(runs.done, range.last - range.first + 1, invocation.exit);
}

}  // namespace

void add_survive_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "survive", "Kill, stop and partition the peers of a group, and check that its lock survives");
  auto texts = std::make_shared<SurviveTexts>();
  command
      ->add_option("algorithm", texts->algorithm,
                   "Algorithm that conch algorithms lists for locks or over an overlay, or all")
      ->required();
  command
      ->add_option("--nodes", texts->nodes,
                   "Number of peers, or a range to draw it from; over an overlay at least five, "
                   "and up to three more")
      ->capture_default_str();
  command->add_option("--lease", texts->lease, "Lease duration")->capture_default_str();
  command->add_option("--drift", texts->drift, "Clock drift that leases allow for, in percent")
      ->capture_default_str();
  command->add_option("--clock-drift", texts->clock_drift,
                      "Actual clock drift, if it is to differ [--drift]");
  auto* seed = command->add_option("--seed", texts->seed, "One run")->capture_default_str();
  command->add_option("--seeds", texts->seeds, "Many runs, such as 1..2000")->excludes(seed);
  add_threads_option(*command, texts->threads);
  command->add_option("--without", texts->without,
                      "Leave out a rule of the recovery: " + rule_names());
  command->add_option(
      "--strike", texts->strikes,
      "In a short run: step, what happens before it, and to which peer, such as 137:kill:1; or " +
          strike_names());
  command->add_flag("--everywhere", texts->everywhere,
                    "Try each of these at each step of a short run, on each peer; one at a time, "
                    "besides what --strike gives");
  command->add_flag("--json", texts->json, "Print the numbers as JSON");
  command->add_flag("--trace", texts->trace, "Print everything that happens in the run");
  add_show_options(*command, texts->show);
  command->footer(
      "Exit status: 0 all properties held, 1 bad usage or too little happened, 2 a safety\n"
      "property broke, 3 a liveness property broke. Examples:\n"
      "  conch survive naimi-trehel --seeds 1..2000\n"
      "  conch survive all --seeds 1..20000\n"
      "  conch survive naimi-trehel --nodes 2 --everywhere\n"
      "  conch survive naimi-trehel --without lease --seeds 1..200    # two holders");
  command->callback([texts, &invocation] { survive(*texts, invocation); });
}

}  // namespace conch::lab_cli
