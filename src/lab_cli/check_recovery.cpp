#include "lab_cli/check_recovery.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/text.hpp"

namespace conch::lab_cli {
namespace {

using namespace check::group;

std::string bounds(const Options& options) {
  std::string text =
      fmt::format("{} nodes, {} request{} each", options.setting.nodes, options.setting.requests,
                  options.setting.requests == 1 ? "" : "s");
  for (auto [budget, count] : options.budgets)
    if (count > 0) text += fmt::format(", {} up to {}", word(budget), count);
  if (options.setting.without != recovery::Rule::none)
    text += fmt::format(", without the rule {}", word(options.setting.without));
  return text;
}

void print_json(const Options& options, const CheckReport& report) {
  nlohmann::ordered_json json;
  json["algorithm"] = options.setting.algorithm;
  json["bounds"] = bounds(options);
  json["states"] = report.states;
  json["transitions"] = report.transitions;
  json["depth"] = report.depth;
  json["seconds"] = report.seconds;
  json["bytes"] = report.bytes;
  json["complete"] = report.complete;
  if (!report.incomplete.empty()) json["incomplete"] = report.incomplete;
  json["violation"] = nullptr;
  if (report.violation)
    json["violation"] = {{"property", word(report.violation->property)},
                         {"what", report.violation->what},
                         {"steps", report.steps.size()}};
  json["sometimes"] = nlohmann::ordered_json::object();
  for (auto [sometimes, seen] : report.sometimes) json["sometimes"][word(sometimes)] = seen;
  fmt::print("{}\n", json.dump(2));
}

void print_text(const Options& options, const CheckReport& report) {
  fmt::print("{}, recovering: {}\n", options.setting.algorithm, bounds(options));
  fmt::print("{} states, {} transitions, depth {}, {} MiB; {:.2f} s\n", report.states,
             report.transitions, report.depth, report.bytes >> 20, report.seconds);
  for (auto [sometimes, seen] : report.sometimes)
    fmt::print("  {:<50} {}\n", word(sometimes), seen ? "seen" : "never seen");
  if (report.complete) fmt::print("complete: every interleaving within these bounds holds\n");
  if (!report.incomplete.empty()) fmt::print("{}\n", how_far(report));
}

}  // namespace

recovery::Rule to_rule(const std::string& name) {
  std::string names;
  for (const check::group::Specimen& specimen : check::group::specimens()) {
    recovery::Rule rule = specimen.rule;
    if (word(rule) == name) return rule;
    names += (names.empty() ? "" : ", ") + std::string(word(rule));
  }
  throw BadText("--without: \"" + name + "\" is none of " + names);
}

Exit check_recovery(const Options& options, bool json, const check::ProgressSink& progress) {
  CheckReport report = check::group::check(options, progress);
  if (progress) fmt::print(stderr, "\r\033[K");
  json ? print_json(options, report) : print_text(options, report);
  std::fflush(stdout);
  if (report.violation) {
    fmt::print(stderr, "{} broken after {} steps: {}\n{}  repeat: conch {}\n",
               word(report.violation->property), report.steps.size(), report.violation->what,
               describe_counterexample(options, report), command(options));
    return sim::is_safety(report.violation->property) ? Exit::safety_broken : Exit::liveness_broken;
  }
  if (report.complete && !report.interesting()) {
    fmt::print(stderr,
               "conch: something that should happen within these bounds never did; a run that "
               "never reaches it proves nothing\n");
    return Exit::bad_usage;
  }
  return report.complete ? Exit::held : Exit::bad_usage;
}

}  // namespace conch::lab_cli
