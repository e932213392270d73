#include <fmt/core.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/print.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/runs.hpp"
#include "lab_cli/sim_options.hpp"
#include "sim/survival.hpp"

namespace conch::lab_cli {
namespace {

using sim::SurvivalOptions;
using sim::SurvivalReport;

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
  bool trace = false;
  bool json = false;
};

std::string rule_names() {
  std::string names;
  for (recovery::Rule rule : recovery::rules)
    names += (names.empty() ? "" : ", ") + std::string(word(rule));
  return names;
}

recovery::Rule rule_named(const std::string& name) {
  for (recovery::Rule rule : recovery::rules)
    if (word(rule) == name) return rule;
  throw BadText("--without: \"" + name + "\" is none of " + rule_names());
}

SurvivalOptions to_options(const SurviveTexts& texts) {
  SurvivalOptions options;
  options.algorithm = texts.algorithm == every_algorithm ? "naimi-trehel" : texts.algorithm;
  sim::NodeRange nodes = sim::parse_nodes(texts.nodes);
  options.nodes_min = nodes.first;
  options.nodes_max = nodes.last;
  options.lease = {parse_duration(texts.lease), texts.drift};
  options.clock_drift_percent = texts.clock_drift.value_or(texts.drift);
  options.seed = texts.seed;
  if (texts.without) options.without = rule_named(*texts.without);
  sim::validate(options);
  return options;
}

/// Of `all`, the seed chooses which.
SurvivalOptions for_seed(SurvivalOptions options, const SurviveTexts& texts, std::uint64_t seed) {
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

  explicit Totals(const Runs<SurvivalReport>& runs) {
    for (const auto& report : runs.results) {
      if (!report) continue;
      grants += report->grants;
      epochs += report->epochs;
      messages += report->messages;
      for (std::size_t i = 0; i < sightings.size(); ++i) sightings[i] += report->sightings[i];
    }
  }

  /// Of those that this algorithm, or one of all, should show.
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

/// What never happened; nothing can be said of it.
std::string unseen(const Totals& totals, const std::string& algorithm) {
  std::string missing;
  for (const auto& [what, count] : totals.sometimes(algorithm))
    if (count == 0) missing += (missing.empty() ? "" : "; ") + what;
  return missing;
}

void print_json(const Runs<SurvivalReport>& runs, const Totals& totals, const SurviveTexts& texts,
                const SeedRange& range) {
  nlohmann::ordered_json json;
  json["algorithm"] = texts.algorithm;
  json["nodes"] = texts.nodes;
  json.update(tally_of(runs, range, totals.messages, totals.sometimes(texts.algorithm)));
  json["grants"] = totals.grants;
  json["epochs"] = totals.epochs;
  fmt::print("{}\n", json.dump(2));
  std::fflush(stdout);
}

void print_text(const Runs<SurvivalReport>& runs, const Totals& totals, const SurviveTexts& texts,
                const SeedRange& range) {
  fmt::print("{}, {} peers, {} runs (seeds {}..{}): {} failed\n", texts.algorithm, texts.nodes,
             runs.done, range.first, range.last, runs.failures);
  fmt::print("  {} grants, {} epochs, {} messages\n", totals.grants, totals.epochs,
             totals.messages);
  for (std::size_t i = 0; i < totals.sightings.size(); ++i)
    fmt::print("  {:>9}  {}\n", totals.sightings[i], word(static_cast<sim::Sighting>(i)));
  std::fflush(stdout);
}

Exit complain_of_nothing_seen(const Totals& totals, const std::string& algorithm) {
  std::string missing = unseen(totals, algorithm);
  if (missing.empty()) return Exit::held;
  fmt::print(stderr, "conch: never happened: {}; what was not seen was not tested\n", missing);
  return Exit::bad_usage;
}

void survive(const SurviveTexts& texts, Invocation& invocation) {
  constexpr std::uint64_t telling_runs = 1000;
  SurvivalOptions options = to_options(texts);
  SeedRange range{texts.seed, texts.seed};
  if (texts.seeds) range = parse_seeds(*texts.seeds);
  if (texts.trace && texts.seeds)
    throw BadText("--trace shows one run: give --seed instead of --seeds");
  if (texts.trace && texts.json) throw BadText("--trace is for people to read, --json is not");
  watch_for_interrupts();
  auto runs = run_seeds<SurvivalReport>(range, texts.threads, [&](std::uint64_t seed) {
    return sim::Survival(for_seed(options, texts, seed), texts.trace ? &std::cout : nullptr).run();
  });
  Totals totals(runs);
  texts.json ? print_json(runs, totals, texts, range) : print_text(runs, totals, texts, range);
  invocation.exit =
      complain_of_failures(runs, range, [&](const SurvivalReport& report, std::uint64_t seed) {
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
      "survive", "Kill, stop and part the peers of a group, and see that its lock survives");
  auto texts = std::make_shared<SurviveTexts>();
  command
      ->add_option("algorithm", texts->algorithm,
                   "One that conch algorithms lists for locks or over an overlay, or all")
      ->required();
  command
      ->add_option(
          "--nodes", texts->nodes,
          "How many peers, or as many as the seed has it; over an overlay at least five, and up "
          "to three more")
      ->capture_default_str();
  command->add_option("--lease", texts->lease, "How long a lease lasts")->capture_default_str();
  command->add_option("--drift", texts->drift, "How wrong clocks may run, in percent")
      ->capture_default_str();
  command->add_option("--clock-drift", texts->clock_drift,
                      "How wrong they do run, if leases are not to allow for it [--drift]");
  auto* seed = command->add_option("--seed", texts->seed, "One run")->capture_default_str();
  command->add_option("--seeds", texts->seeds, "Many runs, as 1..2000")->excludes(seed);
  add_threads_option(*command, texts->threads);
  command->add_option("--without", texts->without,
                      "A rule of the recovery to do without: " + rule_names());
  command->add_flag("--json", texts->json, "Print the numbers for a program to read");
  command->add_flag("--trace", texts->trace, "Print all that happens in the run");
  command->footer(
      "Exit status: 0 all properties held, 1 bad usage or too little happened, 2 a safety\n"
      "property broke, 3 a liveness property broke. Examples:\n"
      "  conch survive naimi-trehel --seeds 1..2000\n"
      "  conch survive all --seeds 1..20000\n"
      "  conch survive naimi-trehel --without lease --seeds 1..200    # two holders");
  command->callback([texts, &invocation] { survive(*texts, invocation); });
}

}  // namespace conch::lab_cli
