#include <fmt/core.h>

#include <cctype>

#include "cli/commands.hpp"
#include "cli/lab_json.hpp"
#include "cli/lab_report.hpp"
#include "cli/sim_options.hpp"
#include "lab/experiment.hpp"

namespace conch::cli {
namespace {

/// Breaks a text into lines of at most this many columns.
std::string wrapped(const std::string& text, std::size_t columns) {
  std::string result;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      result += line + "\n  ";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return result + line;
}

void list_experiments() {
  for (const lab::Experiment& experiment : lab::experiments())
    fmt::print("{:<18} {}\n", experiment.name, experiment.about);
}

/// What `run` and `report` have in common.
struct ScaleTexts {
  std::optional<std::string> seeds;
  bool quick = false;
  bool smoke = false;

  lab::Scale scale() const {
    return smoke ? lab::Scale::smoke : quick ? lab::Scale::quick : lab::Scale::full;
  }
  std::optional<lab::Seeds> parse() const {
    if (!seeds) return {};
    SeedRange range = parse_seeds(*seeds);
    return lab::Seeds{range.first, range.last};
  }
};

void add_scale(CLI::App& command, ScaleTexts& texts, const std::string& quick) {
  command.add_option("--seeds", texts.seeds, "The runs to average over, such as 1..10");
  command.add_flag("--quick", texts.quick, quick);
  command.add_flag("--smoke", texts.smoke)->group("");  // for tests
}

struct LabTexts : ScaleTexts {
  std::string name;
  std::optional<std::string> engine;
  std::optional<std::size_t> cities;
  std::optional<double> stretch;
  bool json = false;
  std::optional<std::string> out;
};

lab::Engines parse_engines(const std::string& text) {
  if (text == "sim") return lab::Engines::sim;
  if (text == "simgrid") return lab::Engines::simgrid;
  if (text == "both") return lab::Engines::both;
  throw sim::BadText("--engine \"" + text + "\" is none of sim, simgrid, both");
}

lab::Planet planet_of(const LabTexts& texts) {
  lab::Planet planet;
  planet.cities = texts.cities.value_or(planet.cities);
  planet.stretch = texts.stretch.value_or(planet.stretch);
  return planet;
}

lab::Findings find(const lab::Experiment& experiment, const LabTexts& texts) {
  if (texts.engine && !experiment.has_engines)
    throw sim::BadText("--engine: " + std::string(experiment.name) +
                       " runs on our simulator alone; do without");
  if ((texts.cities || texts.stretch) && !experiment.has_planet)
    throw sim::BadText("--cities, --stretch: " + std::string(experiment.name) +
                       " knows no cities; do without");
  lab::Setup setup;
  setup.scale = texts.scale();
  setup.seeds = texts.parse().value_or(experiment.seeds_at(setup.scale));
  setup.engines = parse_engines(texts.engine.value_or("both"));
  setup.planet = planet_of(texts);
  return experiment.run(setup);
}

/// "Holds: what the paper states (where). Paper: ... Here: ..."
std::string print_claim(const lab::Claim& claim) {
  std::string verdict(lab::print(claim.verdict));
  verdict[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict[0])));
  std::string text = fmt::format("{}: {} ({}) ", verdict, claim.says, claim.of);
  if (!claim.paper.empty()) text += fmt::format("Paper: {}. Here: ", claim.paper);
  return text + claim.ours;
}

void run_experiment(const LabTexts& texts) {
  const lab::Experiment& experiment = lab::find_experiment(texts.name);
  lab::Findings findings = find(experiment, texts);
  if (texts.json) return fmt::print("{}\n", findings_json(experiment, findings).dump(2));
  fmt::print("{}: {}\n\n{}\n\n{}\n", experiment.name, experiment.about, findings.setting,
             findings.table.text());
  for (const lab::Claim& claim : findings.claims)
    fmt::print("- {}\n", wrapped(print_claim(claim), 96));
  for (const std::string& remark : findings.remarks) fmt::print("- {}\n", wrapped(remark, 96));
  if (texts.out)
    fmt::print("\nwritten: {}\n", write_csv(*texts.out, experiment.name, findings.table).string());
}

void add_report_command(CLI::App& lab) {
  CLI::App* command = lab.add_subcommand(
      "report", "Run all experiments, and write a page with their tables, figures and claims");
  auto scale = std::make_shared<ScaleTexts>();
  auto options = std::make_shared<ReportOptions>();
  command->add_option("--out", options->out, "The directory for report.html and a CSV of each")
      ->required();
  add_scale(*command, *scale, "Fewer seeds and sizes: a minute of one core instead of three");
  command->add_option("--only", options->only, "These experiments, separated by commas [all]")
      ->delimiter(',');
  command->callback([scale, options] {
    options->scale = scale->scale();
    options->seeds = scale->parse();
    write_report(*options);
  });
}

}  // namespace

void add_lab_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand("lab", "Regenerate published tables and figures");
  command->require_subcommand(1);
  command->add_subcommand("list", "List the experiments")->callback(list_experiments);
  CLI::App* run = command->add_subcommand("run", "Run an experiment and print its table");
  auto texts = std::make_shared<LabTexts>();
  run->add_option("name", texts->name, "One of those that conch lab list lists")->required();
  add_scale(*run, *texts, "Fewer seeds and sizes");
  run->add_option("--engine", texts->engine,
                  "Of the dho experiments: sim, simgrid, or both to compare them [both]");
  run->add_option("--cities", texts->cities, "Of planet and clusters: at most so many [50]")
      ->check(CLI::Range(5, 50));
  run->add_option(
         "--stretch", texts->stretch,
         "Of planet and clusters: so much longer than the great circle are the cables [2.1]")
      ->check(CLI::Range(1.0, 10.0));
  auto* json = run->add_flag("--json", texts->json, "Print one JSON object");
  run->add_option("--out", texts->out, "Also write the table as CSV into this directory")
      ->excludes(json);
  run->callback([texts] { run_experiment(*texts); });
  add_report_command(*command);
}

}  // namespace conch::cli
