#include <fmt/core.h>

#include <cctype>
#include <map>

#include "lab/experiment.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/lab_json.hpp"
#include "lab_cli/lab_report.hpp"
#include "lab_cli/sim_options.hpp"

namespace conch::lab_cli {
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

lab::Seeds parse_range(const std::string& text) {
  SeedRange range = parse_seeds(text);
  return {range.first, range.last};
}

/// The options that `run` and `report` share.
struct ScaleTexts {
  std::optional<std::string> seeds;
  bool quick = false;
  bool smoke = false;

  lab::Scale scale() const {
    return smoke ? lab::Scale::smoke : quick ? lab::Scale::quick : lab::Scale::full;
  }
};

void add_scale(CLI::App& command, ScaleTexts& texts, const std::string& quick) {
  command.add_option("--seeds", texts.seeds, "Runs to average over, such as 1..10");
  command.add_flag("--quick", texts.quick, quick);
  command.add_flag("--smoke", texts.smoke)->group("");  // for tests
}

struct LabTexts : ScaleTexts {
  std::string name;
  std::optional<std::string> engine;
  /// The settings of all experiments, by name; empty if not given.
  std::map<std::string_view, std::optional<std::string>> settings;
  bool json = false;
  std::optional<std::string> out;
};

lab::Engines parse_engines(const std::string& text) {
  if (text == "sim") return lab::Engines::sim;
  if (text == "simgrid") return lab::Engines::simgrid;
  if (text == "both") return lab::Engines::both;
  throw BadText("--engine \"" + text + "\" is none of sim, simgrid, both");
}

lab::Setup setup_of(const lab::Experiment& experiment, const LabTexts& texts) {
  if (texts.engine && !experiment.has_engines)
    throw BadText("--engine: " + std::string(experiment.name) +
                  " runs only on our simulator; leave it out");
  lab::Setup setup = experiment.setup_at(texts.scale());
  if (texts.seeds) setup.seeds = parse_range(*texts.seeds);
  setup.engines = parse_engines(texts.engine.value_or("both"));
  for (const auto& [name, text] : texts.settings)
    if (text) experiment.set(setup, name, *text);
  return setup;
}

/// Refuses an option that no experiment has, with the list of those that this one takes.
void refuse_extras(const LabTexts& texts, const std::vector<std::string>& extras) {
  if (extras.empty()) return;
  std::string_view name = extras.front();
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  lab::Setup nowhere;
  lab::find_experiment(texts.name).set(nowhere, name.substr(0, name.find('=')), "");
}

/// "Holds: what the paper states (where). Paper: ... Here: ..."
std::string print_claim(const lab::PaperClaim& claim) {
  std::string verdict(lab::print(claim.verdict));
  verdict[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict[0])));
  std::string text = fmt::format("{}: {} ({}) ", verdict, claim.says, claim.of);
  if (!claim.paper.empty()) text += fmt::format("Paper: {}. Here: ", claim.paper);
  return text + claim.ours;
}

void run_experiment(const LabTexts& texts) {
  const lab::Experiment& experiment = lab::find_experiment(texts.name);
  lab::Setup setup = setup_of(experiment, texts);
  lab::ExperimentResult findings = experiment.run(setup);
  if (texts.json) return fmt::print("{}\n", findings_json(experiment, setup, findings).dump(2));
  fmt::print("{}: {}\n\n{}\n\n{}\n", experiment.name, experiment.about, findings.setting,
             findings.table.text());
  for (const lab::PaperClaim& claim : findings.claims)
    fmt::print("- {}\n", wrapped(print_claim(claim), 96));
  for (const std::string& remark : findings.remarks) fmt::print("- {}\n", wrapped(remark, 96));
  if (texts.out)
    fmt::print("\nwritten: {}\n", write_csv(*texts.out, experiment.name, findings.table).string());
}

/// Adds one option per setting name. If several experiments have it, they share the option, and its
/// description lists their defaults.
void add_settings(CLI::App& run, LabTexts& texts) {
  for (const lab::Experiment& experiment : lab::experiments())
    for (const lab::ExperimentOption& setting : experiment.settings) {
      auto [place, is_new] = texts.settings.try_emplace(setting.name);
      std::string of = fmt::format("{} [{}]", experiment.name, setting.full);
      std::string option = fmt::format("--{}", setting.name);
      if (is_new)
        run.add_option(option, place->second, fmt::format("{}: {}", setting.about, of))
            ->group("Settings");
      else
        run.get_option(option)->description(run.get_option(option)->get_description() + ", " + of);
    }
}

void add_report_command(CLI::App& lab, Invocation& invocation) {
  CLI::App* command = lab.add_subcommand(
      "report", "Run all experiments and list their verdicts; with --out, write a page, too");
  auto scale = std::make_shared<ScaleTexts>();
  auto against = std::make_shared<std::optional<std::string>>();
  auto options = std::make_shared<ReportOptions>();
  command->add_option("--out", options->out, "Directory for report.html and one CSV per table");
  add_scale(*command, *scale, "Use fewer seeds and sizes");
  command->add_option("--against", *against,
                      "Repeat everything with these seeds; exit status 1 if a verdict differs");
  command
      ->add_option("--only", options->only, "Run only these experiments, separated by commas [all]")
      ->delimiter(',');
  command->callback([&invocation, scale, against, options] {
    options->scale = scale->scale();
    if (scale->seeds) options->seeds = parse_range(*scale->seeds);
    if (*against) options->against = parse_range(**against);
    if (!make_report(*options)) invocation.exit = Exit::differs;
  });
}

}  // namespace

void add_lab_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("lab", "Regenerate published tables and figures");
  command->require_subcommand(1);
  command->add_subcommand("list", "List the experiments")->callback(list_experiments);
  CLI::App* run = command->add_subcommand("run", "Run an experiment and print its table");
  auto texts = std::make_shared<LabTexts>();
  run->add_option("name", texts->name, "Experiment; see conch lab list")->required();
  add_scale(*run, *texts, "Use fewer seeds and sizes");
  run->add_option("--engine", texts->engine,
                  "For the dho experiments: sim, simgrid, or both to compare them [both]");
  add_settings(*run, *texts);
  auto* json = run->add_flag("--json", texts->json, "Print one JSON object");
  run->add_option("--out", texts->out, "Write the table as CSV into this directory, too")
      ->excludes(json);
  run->allow_extras();
  run->callback([texts, run] {
    refuse_extras(*texts, run->remaining());
    run_experiment(*texts);
  });
  add_report_command(*command, invocation);
}

}  // namespace conch::lab_cli
