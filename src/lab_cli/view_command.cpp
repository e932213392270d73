// `conch view`: shows traces and scenarios in the browser.
#include <fmt/core.h>

#include <conch/error.hpp>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>

#include "catalog/catalog.hpp"
#include "core/text.hpp"
#include "film/of_traces.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/shipped.hpp"
#include "lab_cli/show.hpp"
#include "sim/scenario.hpp"

namespace conch::lab_cli {
namespace {

struct ViewRequest {
  std::vector<std::string> names;
  bool list = false;
  std::optional<std::string> algorithm;
  std::size_t part = 1;
  ShowTexts show;
};

void list_scenarios() {
  std::size_t width = 0;
  for (const Shipped& scenario : shipped_scenarios()) width = std::max(width, scenario.name.size());
  for (const Shipped& scenario : shipped_scenarios())
    fmt::print("{:<{}}  {}\n", scenario.name, width, sim::title_of(scenario.script));
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw BadText(path + " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<std::string_view> shipped(std::string_view name) {
  for (const Shipped& scenario : shipped_scenarios())
    if (scenario.name == name) return scenario.script;
  return {};
}

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Shipped& scenario : shipped_scenarios()) names.push_back(scenario.name);
  std::string_view suggestion = nearest(name, names);
  throw BadText(
      fmt::format("{} is neither a file nor a scenario{}; see conch view --list", name,
                  suggestion.empty() ? "" : fmt::format("; did you mean {}?", suggestion)));
}

film::Builder film_of_scenario(const std::string& name, std::string_view script,
                               const ViewRequest& request) {
  std::string title(sim::title_of(script));
  std::vector<film::Builder> films = sim::film_of(
      script, {.title = title.empty() ? name : title, .command = "conch view " + name});
  if (films.empty()) throw BadText(name + " is not a scenario: it has no line `nodes`");
  if (request.part < 1 || request.part > films.size())
    throw BadText(fmt::format("--part: {} has {}", name, films.size()));
  if (films.size() > 1)
    fmt::print(stderr, "part {} of {}: --part shows another\n", request.part, films.size());
  return std::move(films[request.part - 1]);
}

film::Builder film_of_traces(const ViewRequest& request) {
  std::list<std::ifstream> inputs;
  std::list<audit::TraceStream> streams;
  std::vector<audit::TraceStream*> pointers;
  std::string title;
  for (const std::string& path : request.names) {
    std::ifstream& input = inputs.emplace_back(path, std::ios::binary);
    if (!input || std::filesystem::is_directory(path)) throw BadText(path + " cannot be read");
    pointers.push_back(&streams.emplace_back(input, path));
    title += (title.empty() ? "" : ", ") + std::filesystem::path(path).filename().string();
  }
  film::RecordingInfo about{.title = title, .command = "conch view"};
  for (const std::string& path : request.names) about.command += " " + path;
  if (request.algorithm) about.algorithm = find_any(*request.algorithm).about.name;
  return film::film_of(std::move(pointers), std::move(about));
}

film::Builder film_of(const ViewRequest& request) {
  const std::string& first = request.names.front();
  bool is_file = std::filesystem::exists(first);
  bool is_script = is_file && first.ends_with(".txt");
  std::optional<std::string_view> known = is_file ? std::nullopt : shipped(first);
  if (!is_file && !known) refuse(first);
  if (!is_script && !known) return film_of_traces(request);
  if (request.names.size() > 1) throw BadText("one scenario at a time");
  if (known) return film_of_scenario(first, *known, request);
  return film_of_scenario(first, read(first), request);
}

void view(const ViewRequest& request) {
  if (request.list) return list_scenarios();
  if (request.names.empty())
    throw BadText(
        "nothing to show: give a trace, a scenario file, or a name from conch view --list");
  film::Builder film = film_of(request);
  show(film, request.show);
}

}  // namespace

void add_view_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand("view", "Show a run in the browser: a trace, a scenario");
  auto request = std::make_shared<ViewRequest>();
  command->add_option("WHAT", request->names,
                      "Traces (.ndjson) of one run, a scenario file (.txt), or a scenario's name");
  command->add_flag("--list", request->list, "List the built-in scenarios");
  command->add_option("--part", request->part, "Which group of a scenario with several")
      ->capture_default_str();
  command->add_option("--algorithm", request->algorithm,
                      "Algorithm of the trace, if it does not name one");
  ShowTexts& texts = request->show;
  texts.view = true;
  command->add_option("--out", texts.out,
                      "Write the viewer with the run to an HTML file, and exit");
  command->add_option("--http", texts.at, "Address to serve it on")->capture_default_str();
  command->add_flag("--insecure", texts.insecure, "Allow addresses other than loopback");
  command->add_flag("--open", texts.open, "Open the browser, by xdg-open");
  command->footer(
      "Examples:\n"
      "  conch view --list\n"
      "  conch view hernane_figure_1_naimi_trehel\n"
      "  conch sim naimi-trehel --trace run.ndjson --states && conch view run.ndjson\n"
      "  conch view a.ndjson b.ndjson\n"
      "  conch check maekawa-textbook --out bug.txt; conch view bug.txt --out bug.html");
  command->callback([request] {
    if (request->show.out) request->show.view = false;
    view(*request);
  });
}

}  // namespace conch::lab_cli
