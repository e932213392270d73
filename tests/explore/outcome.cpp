#include "explore/outcome.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace conch::explore {

namespace {

constexpr int cannot_run = 77;
/// The status of a Process whose program does not exist.
constexpr int cannot_start = 99;
constexpr int cancelled = 130;
/// The statuses of CLI11 start here.
constexpr int first_usage_error = 100;
constexpr int first_signal = 128;

/// The JSON object in the output of a command, whatever else it printed.
nlohmann::json object_in(const std::string& output) {
  std::istringstream lines(output);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (text.empty() && line != "{") continue;
    text += line + "\n";
    if (line == "}") return nlohmann::json::parse(text, nullptr, false);
  }
  return nlohmann::json(nlohmann::json::value_t::discarded);
}

/// The first line that contains this, or else the last line.
std::string line_with(const std::string& output, std::string_view part) {
  std::istringstream lines(output);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != line.npos) return line;
    if (!line.empty()) last = line;
  }
  return last;
}

void read_numbers(const nlohmann::json& json, TaskResult& outcome) {
  outcome.runs = json.value("runs", std::uint64_t{1});
  if (json.contains("messages")) outcome.messages = json["messages"]["total"];
  outcome.messages += json.value("transitions", std::uint64_t{0});
  for (const auto& seed : json.value("failed_seeds", nlohmann::json::array()))
    outcome.failed_seeds.push_back(seed);
  nlohmann::json sometimes = json.value("sometimes", nlohmann::json::object());
  for (const auto& [what, seen] : sometimes.items())
    outcome.sometimes[what] = seen.is_boolean() ? seen.get<bool>() : seen.get<std::uint64_t>();
}

Ending ending_of_conch(const Finished& finished, bool has_numbers) {
  switch (finished.status) {
    case 0: return Ending::held;
    // An expected event was not seen, or the command was interrupted. It has printed its numbers
    // nevertheless.
    case 1: break;
    case 2: return Ending::broken;
    case 3: return Ending::stuck;
    default: return Ending::crashed;
  }
  if (has_numbers) return Ending::held;
  return finished.output.starts_with("conch: ") ? Ending::refused : Ending::crashed;
}

TaskResult read_conch(const Finished& finished) {
  TaskResult outcome;
  nlohmann::json json = object_in(finished.output);
  if (json.is_object()) read_numbers(json, outcome);
  outcome.ending = ending_of_conch(finished, json.is_object());
  bool is_violation = outcome.ending == Ending::broken || outcome.ending == Ending::stuck;
  if (is_found(outcome.ending))
    outcome.what = line_with(finished.output, is_violation ? " broken " : "conch: ");
  return outcome;
}

TaskResult read_fuzz(const Finished& finished, const Seeds& seeds) {
  TaskResult outcome{.runs = seeds.count};
  if (finished.status == 0) return outcome;
  outcome.ending = Ending::crashed;
  outcome.what = line_with(finished.output, "fuzz: ");
  constexpr std::string_view said = "it was input ";
  if (auto at = finished.output.find(said); at != std::string::npos)
    outcome.failed_seeds.push_back(std::stoull(finished.output.substr(at + said.size())));
  return outcome;
}

TaskResult read_chaos(const Finished& finished, const Seeds& seeds) {
  TaskResult outcome;
  if (finished.status == cancelled) return outcome;
  outcome.runs = 1;
  if (finished.status == 0) return outcome;
  if (finished.status == cannot_run) return {.ending = Ending::unable, .what = finished.output};
  outcome.ending = Ending::broken;
  if (finished.status >= first_usage_error) outcome.ending = Ending::refused;
  if (finished.status >= first_signal) outcome.ending = Ending::crashed;
  outcome.what = line_with(finished.output, "WRONG: ");
  outcome.failed_seeds.push_back(seeds.first);
  return outcome;
}

}  // namespace

std::string_view word(Ending ending) {
  switch (ending) {
    case Ending::held: return "held";
    case Ending::broken: return "broken";
    case Ending::stuck: return "stuck";
    case Ending::crashed: return "crashed";
    case Ending::timed_out: return "timed out";
    case Ending::refused: return "refused";
    case Ending::unable: return "cannot run";
  }
  return "?";
}

TaskResult read_outcome(Speaker speaker, const Finished& finished, const Seeds& seeds) {
  if (finished.timed_out) return {.ending = Ending::timed_out, .what = "it does not end"};
  if (finished.status == cannot_start)
    return {.ending = Ending::unable, .what = "the program cannot be started"};
  switch (speaker) {
    case Speaker::conch: return read_conch(finished);
    case Speaker::fuzz: return read_fuzz(finished, seeds);
    case Speaker::chaos: return read_chaos(finished, seeds);
  }
  return {};
}

std::string kind_of(const TaskResult& outcome) {
  std::string kind(word(outcome.ending));
  auto broken = outcome.what.find(" broken ");
  return broken == std::string::npos ? kind : kind + ": " + outcome.what.substr(0, broken);
}

}  // namespace conch::explore
