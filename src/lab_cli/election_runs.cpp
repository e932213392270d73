#include "lab_cli/election_runs.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "lab_cli/recording.hpp"
#include "lab_cli/report.hpp"
#include "lab_cli/runs.hpp"
#include "sim/election.hpp"

namespace conch::lab_cli {

namespace {

using nlohmann::ordered_json;
using sim::ElectionOptions;
using sim::ElectionResult;

const std::string election_group = "Elections";

sim::Crash parse_election_crash(const std::string& text) {
  sim::Crash crash = sim::parse_crash(text);
  bool known =
      crash.who.role == sim::Who::Role::number || crash.who.role == sim::Who::Role::coordinator;
  if (!known) throw BadText("in an election WHO is a node's number, or coordinator");
  return crash;
}

ElectionOptions to_election(const SimTexts& texts) {
  ElectionOptions options;
  options.algorithm = texts.algorithm;
  auto duration = [](const char* name, const std::optional<std::string>& text, auto& into) {
    if (text) into = parsed(name, [&] { return parse_duration(*text); });
  };
  if (texts.nodes)
    options.drawn_nodes = parsed("--nodes", [&] { return sim::parse_nodes(*texts.nodes); });
  if (texts.latency)
    options.latency = parsed("--latency", [&] { return sim::Distribution::parse(*texts.latency); });
  if (texts.channel == "any") {
    options.channel = sim::ChannelOrder::any;
  } else if (texts.channel != "fifo") {
    throw BadText("--channel: \"" + texts.channel + "\" is none of fifo, any");
  }
  if (texts.clog) options.clog = parsed("--clog", [&] { return sim::parse_clog(*texts.clog); });
  for (const std::string& text : texts.crash)
    options.scheduled_crashes.push_back(
        parsed("--crash", [&] { return parse_election_crash(text); }));
  duration("--detect", texts.detect, options.detect);
  duration("--answer-timeout", texts.answer_timeout, options.answer_timeout);
  duration("--coordinator-timeout", texts.coordinator_timeout, options.coordinator_timeout);
  duration("--spread", texts.spread, options.spread);
  options.starts = texts.starts.value_or(options.starts);
  options.retires = texts.retires.value_or(options.retires);
  options.crashes = texts.crashes;
  if (texts.restarts)
    options.restarts = parsed("--restarts", [&] { return parse_share(*texts.restarts); });
  options = sim::for_seed(options, texts.seed);
  sim::validate(options);
  return options;
}

/// The verdict on a property. A run stops at its first violation; if that is a safety violation, a
/// liveness property was not checked.
std::string verdict(const ElectionResult& result, sim::Property property) {
  if (!result.violation) return "held";
  if (result.violation->property == property) return "violated";
  return sim::is_safety(result.violation->property) && !sim::is_safety(property) ? "not checked"
                                                                                 : "held";
}

sim::Sometimes sometimes_of(const ElectionOptions& options, const sim::ElectionSights& sights,
                            const std::map<std::string, std::uint64_t>& by_type) {
  sim::Sometimes sometimes;
  for (const sim::SightCount& sight : sights_of(sights, options))
    sometimes[std::string(sight.what)] = sight.count;
  sim::count_messages(find_any(options.algorithm), by_type, sometimes);
  return sometimes;
}

ordered_json json_of(const ElectionOptions& options, const ElectionResult& result) {
  ordered_json json;
  json["algorithm"] = options.algorithm;
  json["nodes"] = options.nodes;
  json["seed"] = options.seed;
  json["elections"] = result.elections;
  json["coordinators"] = result.coordinators;
  json["coordinator"] = nullptr;
  if (result.coordinator) json["coordinator"] = result.coordinator->value;
  json["messages"] = {{"total", result.messages.total},
                      {"bytes", result.messages.bytes},
                      {"by_type", result.messages.by_type}};
  json["turnaround_s"] = result.turnaround_s;
  json["properties"] = {{"E1", verdict(result, sim::Property::right_coordinator)},
                        {"E2", verdict(result, sim::Property::all_elect)}};
  json["sometimes"] = sometimes_of(options, result.sights, result.messages.by_type);
  if (result.violation)
    json["violation"] = {{"property", word(result.violation->property)},
                         {"what", result.violation->what},
                         {"at_s", seconds_of(result.ended.time_since_epoch())}};
  json["trace_hash"] = result.trace_hash;
  return json;
}

void print_text(const ElectionOptions& options, const ElectionResult& result) {
  std::string types;
  for (const auto& [name, count] : result.messages.by_type)
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", name, count);
  fmt::print("{}, {} nodes, seed {}: {}\n", options.algorithm, options.nodes, options.seed,
             result.coordinator ? fmt::format("{} is the coordinator", result.coordinator->value)
                                : "there is no coordinator");
  print_line("elections", fmt::format("{} begun, {} won", result.elections, result.coordinators));
  print_line("messages", fmt::format("{}, {} bytes", result.messages.total, result.messages.bytes));
  print_line("by type", types.empty() ? "none" : types);
  print_line("turnaround", fmt::format("{}, from the first beginning to the last that was told",
                                       print_seconds(result.turnaround_s)));
  print_line("properties",
             fmt::format("E1 {}, E2 {}", verdict(result, sim::Property::right_coordinator),
                         verdict(result, sim::Property::all_elect)));
}

void complain(const ElectionResult& result, std::uint64_t seed, const Invocation& invocation) {
  fmt::print(stderr, "{} broken at {} with seed {}: {}\n  repeat: {}\n",
             word(result.violation->property),
             print_seconds(seconds_of(result.ended.time_since_epoch())), seed,
             result.violation->what, repeat_command(invocation, seed));
}

void run_one(const ElectionOptions& options, const SimTexts& texts, Invocation& invocation) {
  Recording recording(texts, invocation, options.seed, options.nodes);
  ElectionResult result = sim::simulate(options, recording.sink());
  if (texts.json) {
    fmt::print("{}\n", json_of(options, result).dump(2));
  } else {
    print_text(options, result);
  }
  std::fflush(stdout);
  if (result.violation) complain(result, options.seed, invocation);
  invocation.exit = exit_for(result.violation);
  recording.show();
}

std::string size_of(const ElectionOptions& options) {
  bool differ = options.drawn_nodes && options.drawn_nodes->first < options.drawn_nodes->last;
  if (!differ) return std::to_string(options.nodes);
  return fmt::format("{}..{}", options.drawn_nodes->first, options.drawn_nodes->last);
}

void print_runs(const ElectionOptions& options, const SeedRange& range,
                const Runs<ElectionResult>& runs, const sim::ElectionSights& sights, bool json) {
  std::vector<ordered_json> reports;
  sim::Traffic messages;
  for (std::size_t index = 0; index < runs.results.size(); ++index) {
    if (!runs.results[index]) continue;
    std::uint64_t seed = range.first + index;
    reports.push_back(json_of(sim::for_seed(options, seed), *runs.results[index]));
    reports.back().erase("coordinator");
    messages.total += runs.results[index]->messages.total;
    sim::add(messages.by_type, runs.results[index]->messages.by_type);
  }
  ordered_json mean = mean_of(reports);
  if (json) {
    ordered_json all;
    all["algorithm"] = options.algorithm;
    all["nodes"] = size_of(options);
    all.update(
        tally_of(runs, range, messages.total, sometimes_of(options, sights, messages.by_type)));
    all["mean"] = mean;
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print("{}, {} nodes, {} runs: {} failed\n", options.algorithm, size_of(options), runs.done,
             runs.failures);
  print_line("messages", fmt::format("{:.1f} a run", mean["messages"]["total"].get<double>()));
  print_line("elections", fmt::format("{:.1f} begun, {:.1f} won", mean["elections"].get<double>(),
                                      mean["coordinators"].get<double>()));
  print_line("properties", fmt::format("E1 {}, E2 {}", mean["properties"]["E1"].get<std::string>(),
                                       mean["properties"]["E2"].get<std::string>()));
  for (const sim::SightCount& sight : sights_of(sights, options))
    fmt::print("  {:<46} {} times\n", sight.what, sight.count);
}

void run_many(const ElectionOptions& options, const SimTexts& texts, Invocation& invocation) {
  SeedRange range = parse_seeds(*texts.seeds);
  refuse_to_record_many(texts);
  watch_for_interrupts();
  auto runs = run_seeds<ElectionResult>(range, texts.threads, [&](std::uint64_t seed) {
    return sim::simulate(sim::for_seed(options, seed));
  });
  if (runs.done == 0) throw BadText("interrupted before the first run finished");
  sim::ElectionSights sights;
  for (const auto& result : runs.results)
    if (result) sights.add(result->sights);
  print_runs(options, range, runs, sights, texts.json);
  std::fflush(stdout);
  invocation.exit =
      complain_of_failures(runs, range, [&](const ElectionResult& result, std::uint64_t seed) {
        complain(result, seed, invocation);
      });
  sim::Finding missed = sim::missed(sights, options, runs.done);
  if (runs.failures == 0 && missed) {
    fmt::print(stderr, "conch: {}; a run that never reaches it proves nothing\n", *missed);
    invocation.exit = Exit::bad_usage;
  }
  invocation.exit = complain_of_interrupt(runs.done, runs.results.size(), invocation.exit);
}

}  // namespace

void add_election_options(CLI::App& command, SimTexts& texts) {
  auto add = [&](const char* name, auto& text, const char* what) {
    command.add_option(name, text, what)->group(election_group);
  };
  add("--starts", texts.starts, "Elections begun spontaneously [3]");
  add("--crashes", texts.crashes, "Random crashes, for bullies [2]");
  add("--restarts", texts.restarts, "Share of crashed processes that restart [70%]");
  add("--retires", texts.retires, "Times that the coordinator retires [0]");
  add("--spread", texts.spread, "Period within which all this happens [6 T', or two laps]");
  add("--answer-timeout", texts.answer_timeout, "T of a bully [just above 2 messages]");
  add("--coordinator-timeout", texts.coordinator_timeout, "T' of a bully [just above T + 2]");
}

void run_elections(const SimTexts& texts, Invocation& invocation) {
  ElectionOptions options = to_election(texts);
  texts.seeds ? run_many(options, texts, invocation) : run_one(options, texts, invocation);
}

}  // namespace conch::lab_cli
