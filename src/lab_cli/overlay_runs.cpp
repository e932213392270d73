#include "lab_cli/overlay_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catalog/classes.hpp"
#include "lab_cli/recording.hpp"
#include "lab_cli/report.hpp"
#include "lab_cli/runs.hpp"
#include "sim/overlay_simulation.hpp"
#include "sim/protocol_rules.hpp"

namespace conch::lab_cli {

namespace {

using nlohmann::ordered_json;
using sim::OverlaySimulationOptions;
using sim::OverlaySimulationResult;

const std::string overlay_group = "Protocols over an overlay";

std::string names_of(std::span<const std::string_view> list) {
  std::string names;
  for (std::string_view name : list) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

OverlaySimulationOptions to_overlay(const SimTexts& texts) {
  OverlaySimulationOptions options = parsed("--weather", [&] {
    return OverlaySimulationOptions::of(texts.algorithm, texts.weather.value_or("calm"));
  });
  Replication& terms = options.tuning.replication;
  options.overlay = texts.dht.value_or(options.overlay);
  if (std::ranges::find(sim::overlays(), options.overlay) == sim::overlays().end())
    throw BadText("--dht: \"" + options.overlay + "\" is none of " + names_of(sim::overlays()));
  options.seed = texts.seed;
  terms.replicas = texts.replicas.value_or(terms.replicas);
  if (texts.nodes) {
    sim::NodeRange nodes = parsed("--nodes", [&] { return sim::parse_nodes(*texts.nodes); });
    if (nodes.first < nodes.last) throw BadText("--nodes: give one number here, not a range");
    options.nodes = nodes.first;
  }
  if (texts.requests) {
    constexpr std::uint64_t requests_max = 1'000'000;
    if (*texts.requests > requests_max)
      throw BadText("--requests: at most " + std::to_string(requests_max));
    options.requests = static_cast<unsigned>(*texts.requests);
  }
  if (texts.apart) {
    if (options.mishaps.apart == Duration::zero()) throw BadText("--apart needs --weather parted");
    options.mishaps.apart = parsed("--apart", [&] { return parse_duration(*texts.apart); });
  }
  if (texts.mishaps) {
    if (terms.lease == Duration::zero())
      throw BadText("--mishaps: this weather has no leases, so no node may fail");
    options.mishaps =
        parsed("--mishaps", [&] { return sim::parse_mishaps(*texts.mishaps, options.mishaps); });
  }
  if (texts.hand_off)
    terms.hand_off = parsed("--hand-off", [&] {
      return one_of<HandOff>(
          *texts.hand_off,
          {{"token", HandOff::token}, {"winner", HandOff::winner}, {"cleanup", HandOff::cleanup}});
    });
  if (texts.retry)
    terms.retry = parsed("--retry", [&] {
      return one_of<RetryPolicy>(*texts.retry, {{"never", RetryPolicy::never},
                                                {"informed", RetryPolicy::informed},
                                                {"always", RetryPolicy::always}});
    });
  if (texts.without)
    options.tuning.policy =
        parsed("--without", [&] { return sim::policy_without(*texts.without); });
  return options;
}

OverlaySimulationOptions for_seed(OverlaySimulationOptions options, std::uint64_t seed) {
  options.seed = seed;
  return options;
}

ordered_json json_of(const OverlaySimulationOptions& options,
                     const OverlaySimulationResult& result) {
  ordered_json json;
  json["algorithm"] = options.protocol;
  json["dht"] = options.overlay;
  json["nodes"] = options.nodes;
  json["replicas"] = options.tuning.replication.replicas;
  json["seed"] = options.seed;
  json["asked"] = result.asked;
  json["entries"] = result.granted;
  json["cancelled"] = result.cancelled;
  json["crashed"] = result.crashed;
  json["leases"] = {{"lost", result.lost}, {"outlived", result.outlived}};
  json["messages"] = {{"total", result.messages}, {"by_type", result.kinds}};
  json["length_s"] = seconds_of(result.length);
  if (result.violation)
    json["violation"] = {{"property", word(result.violation->property)},
                         {"what", result.violation->what},
                         {"events", result.events}};
  return json;
}

/// Counts what this weather should bring about, and the protocol's messages.
sim::Sometimes sometimes_of(const OverlaySimulationOptions& options,
                            const OverlaySimulationResult& result) {
  sim::Sometimes sometimes;
  auto expect = [&](bool expected, const char* what, std::uint64_t count) {
    if (expected) sometimes[what] = count;
  };
  const sim::Mishaps& mishaps = options.mishaps;
  expect(options.cancel > 0, "a request is withdrawn", result.cancelled);
  expect(mishaps.crashes > 0, "a holder or a waiter crashes", result.crashed);
  expect(options.dwell > 0, "a lease runs out under its holder", result.lost);
  expect(options.dwell > 0 && mishaps.pauses > 0, "a late holder is inside with another",
         result.outlived);
  expect(options.lose > 0, "a message is too old when it comes", result.expired);
  expect(mishaps.crashes > 0, "a message finds no recipient", result.unreachable);
  sim::count_messages(find_any(options.protocol), result.kinds, sometimes);
  return sometimes;
}

std::string name_of(const OverlaySimulationOptions& options, const SimTexts& texts) {
  return fmt::format("{} over {}, {} nodes, {} replicas, {}", options.protocol, options.overlay,
                     options.nodes, options.tuning.replication.replicas,
                     texts.weather.value_or("calm"));
}

void print_lines(const OverlaySimulationResult& result) {
  print_line("requests",
             fmt::format("{}: {} granted, {} cancelled, {} lost with their nodes", result.asked,
                         result.granted, result.cancelled, result.crashed));
  print_line("leases", fmt::format("{} ran out under their holders, {} of them with another inside",
                                   result.lost, result.outlived));
  print_line("messages", fmt::format("{}, {} too old, {} refused", result.messages, result.expired,
                                     result.unreachable));
}

void complain(const OverlaySimulationResult& result, std::uint64_t seed,
              const Invocation& invocation) {
  fmt::print(stderr, "{} broken at {} with seed {}: {}\n  repeat: {}\n",
             word(result.violation->property), print_seconds(seconds_of(result.length)), seed,
             result.violation->what, repeat_command(invocation, seed));
}

void run_one(OverlaySimulationOptions options, const SimTexts& texts, Invocation& invocation) {
  std::ofstream file;
  SimTexts recorded = texts;
  if (texts.trace && texts.trace->ends_with(".txt")) {
    file.open(*texts.trace);
    if (!file) throw BadText("--trace: cannot write to " + *texts.trace);
    options.trace = &file;
    recorded.trace.reset();
  } else if (texts.trace && !texts.trace->ends_with(".ndjson")) {
    throw BadText("--trace: end the file name in .ndjson, or in .txt for readable lines");
  }
  Recording recording(recorded, invocation, options.seed, options.nodes,
                      {.ring = sim::places_of(options)});
  options.sink = recording.sink();
  OverlaySimulationResult result = sim::simulate_overlay(options);
  if (texts.json) {
    fmt::print("{}\n", json_of(options, result).dump(2));
  } else {
    fmt::print("{}, seed {}, {}\n", name_of(options, texts), options.seed,
               print_seconds(seconds_of(result.length)));
    print_lines(result);
    if (result.violation)
      for (const std::string& event : result.events) fmt::print("  {}\n", event);
  }
  std::fflush(stdout);
  if (result.violation) complain(result, options.seed, invocation);
  invocation.exit = exit_for(result.violation);
  recording.show();
}

OverlaySimulationResult sum_of(const Runs<OverlaySimulationResult>& runs) {
  OverlaySimulationResult sum;
  for (const auto& result : runs.results)
    if (result) sum.add(*result);
  return sum;
}

void run_many(const OverlaySimulationOptions& options, const SimTexts& texts,
              Invocation& invocation) {
  SeedRange range = parse_seeds(*texts.seeds);
  refuse_to_record_many(texts);
  watch_for_interrupts();
  auto runs = run_seeds<OverlaySimulationResult>(range, texts.threads, [&](std::uint64_t seed) {
    return sim::simulate_overlay(for_seed(options, seed));
  });
  if (runs.done == 0) throw BadText("interrupted before the first run finished");
  OverlaySimulationResult sum = sum_of(runs);
  if (texts.json) {
    ordered_json json = json_of(options, sum);
    json.erase("seed");
    ordered_json by_type = json["messages"]["by_type"];
    json.update(tally_of(runs, range, sum.messages, sometimes_of(options, sum)));
    json["messages"]["by_type"] = by_type;
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}, {} runs (seeds {}..{}): {} failed\n", name_of(options, texts), runs.done,
               range.first, range.last, runs.failures);
    print_lines(sum);
  }
  std::fflush(stdout);
  invocation.exit = complain_of_failures(
      runs, range, [&](const OverlaySimulationResult& result, std::uint64_t seed) {
        complain(result, seed, invocation);
      });
  invocation.exit = complain_of_interrupt(runs.done, runs.results.size(), invocation.exit);
}

}  // namespace

void add_overlay_options(CLI::App& command, SimTexts& texts) {
  auto add = [&](const char* name, auto& text, const std::string& what) {
    return command.add_option(name, text, what)->group(overlay_group);
  };
  add("--dht", texts.dht, names_of(sim::overlays()) + "; the perfect ones know all nodes [pastry]");
  add("--weather", texts.weather, "What goes wrong: " + names_of(sim::weathers()) + " [calm]");
  add("--mishaps", texts.mishaps,
      "Override the weather's numbers of resets, crashes, pauses, suspicions, partitions or joins, "
      "such as crashes=2,joins=0");
  add("--apart", texts.apart, "Length of the partition, for the weather parted [10s]");
  add("--replicas", texts.replicas, "Replicas of the lock [3]")->check(CLI::Range(1u, 36u));
  add("--hand-off", texts.hand_off,
      "Variant T0, T1 or T2 of End-to-End: token, winner or cleanup [winner]");
  add("--retry", texts.retry, "When Sigma asks again: never, informed or always [informed]");
  add("--without", texts.without, "Leave out a correction of docs/corrections.md");
}

void run_communities(const SimTexts& texts, Invocation& invocation) {
  OverlaySimulationOptions options = to_overlay(texts);
  texts.seeds ? run_many(options, texts, invocation) : run_one(options, texts, invocation);
}

}  // namespace conch::lab_cli
