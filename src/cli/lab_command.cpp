#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
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

void write_csv(const std::string& directory, std::string_view name, const lab::Table& table) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::filesystem::path path = std::filesystem::path(directory) / fmt::format("{}.csv", name);
  std::ofstream file(path);
  file << table.csv();
  file.close();
  if (!file) throw sim::BadText("--out: cannot write " + path.string());
  fmt::print("\nwritten: {}\n", path.string());
}

void list_experiments() {
  for (const lab::Experiment& experiment : lab::experiments())
    fmt::print("{:<18} {}\n", experiment.name, experiment.about);
}

struct LabTexts {
  std::string name;
  std::optional<std::string> seeds;
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
  lab::Seeds seeds = experiment.seeds;
  if (texts.seeds) {
    SeedRange range = parse_seeds(*texts.seeds);
    seeds = {range.first, range.last};
  }
  if (texts.engine && experiment.run_on == nullptr)
    throw sim::BadText("--engine: " + std::string(experiment.name) +
                       " runs on our simulator alone; do without");
  if ((texts.cities || texts.stretch) && experiment.run_there == nullptr)
    throw sim::BadText("--cities, --stretch: " + std::string(experiment.name) +
                       " knows no cities; do without");
  if (experiment.run_there != nullptr) return experiment.run_there(seeds, planet_of(texts));
  if (experiment.run_on != nullptr)
    return experiment.run_on(seeds, parse_engines(texts.engine.value_or("both")));
  return experiment.run(seeds);
}

void print_json(const lab::Experiment& experiment, const lab::Findings& findings) {
  nlohmann::ordered_json json;
  json["experiment"] = experiment.name;
  json["setting"] = findings.setting;
  json["columns"] = findings.table.columns();
  json["rows"] = findings.table.rows();
  json["remarks"] = findings.remarks;
  fmt::print("{}\n", json.dump(2));
}

void run_experiment(const LabTexts& texts) {
  const lab::Experiment& experiment = lab::find_experiment(texts.name);
  lab::Findings findings = find(experiment, texts);
  if (texts.json) return print_json(experiment, findings);
  fmt::print("{}: {}\n\n{}\n\n{}\n", experiment.name, experiment.about, findings.setting,
             findings.table.text());
  for (const std::string& remark : findings.remarks) fmt::print("- {}\n", wrapped(remark, 96));
  if (texts.out) write_csv(*texts.out, experiment.name, findings.table);
}

}  // namespace

void add_lab_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand("lab", "Regenerate published tables and figures");
  command->require_subcommand(1);
  command->add_subcommand("list", "List the experiments")->callback(list_experiments);
  CLI::App* run = command->add_subcommand("run", "Run an experiment and print its table");
  auto texts = std::make_shared<LabTexts>();
  run->add_option("name", texts->name, "One of those that conch lab list lists")->required();
  run->add_option("--seeds", texts->seeds, "The runs to average over, such as 1..10");
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
}

}  // namespace conch::cli
