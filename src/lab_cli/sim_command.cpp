#include <fmt/core.h>

#include "lab_cli/commands.hpp"
#include "lab_cli/election_runs.hpp"
#include "lab_cli/option_table.hpp"
#include "lab_cli/overlay_runs.hpp"
#include "lab_cli/recording.hpp"
#include "lab_cli/report.hpp"
#include "lab_cli/runs.hpp"
#include "lab_cli/sim_options.hpp"

namespace conch::lab_cli {
namespace {

using sim::Options;
using sim::Result;

void complain(const Result& result, std::uint64_t seed, const Invocation& invocation) {
  std::string waiting;
  for (sim::Node node : result.waiting) {
    if (waiting.size() > 60) {
      waiting += ", ...";
      break;
    }
    waiting += (waiting.empty() ? "" : ", ") + std::to_string(node);
  }
  fmt::print(stderr, "{} broken at {} with seed {}: {}\n", word(result.violation->property),
             print_seconds(seconds_of(result.ended.time_since_epoch())), seed,
             result.violation->what);
  if (!waiting.empty()) fmt::print(stderr, "  waiting: {}\n", waiting);
  fmt::print(stderr, "  repeat: {}\n", repeat_command(invocation, seed));
}

/// Fails runs that hold, but in which requests that were meant to meet never did.
Exit complain_of_nothing_seen(const Options& options, const sim::SharingStats& sharing) {
  sim::Finding missed = sim::missed(sharing, options);
  if (!missed) return Exit::held;
  fmt::print(stderr, "conch: {}; a run that never reaches it proves nothing\n", *missed);
  return Exit::bad_usage;
}

void run_one(const Options& options, const SimTexts& texts, Invocation& invocation) {
  Recording recording(texts, invocation, options.seed, options.nodes(),
                      {options.clusters, options.sites});
  Result result = sim::simulate(options, recording.sink());
  if (texts.json) {
    fmt::print("{}\n", to_json(options, result).dump(2));
  } else {
    fmt::print("{}", to_text(options, result));
  }
  std::fflush(stdout);
  if (result.violation) complain(result, options.seed, invocation);
  invocation.exit = exit_for(result.violation);
  if (!result.violation && result.sharing)
    invocation.exit = complain_of_nothing_seen(options, *result.sharing);
  recording.show();
}

nlohmann::ordered_json tally_of(const Options& options, const Runs<Result>& runs,
                                const SeedRange& range) {
  sim::Sometimes sometimes;
  std::uint64_t messages = 0;
  for (const auto& result : runs.results) {
    if (!result) continue;
    sim::add(sometimes, sim::sometimes_of(options, *result));
    messages += result->report.messages.total;
  }
  return lab_cli::tally_of(runs, range, messages, sometimes);
}

/// The sharing statistics of all runs together.
sim::SharingStats sharing_of(const Runs<Result>& runs) {
  sim::SharingStats sharing;
  for (const auto& result : runs.results)
    if (result && result->sharing) sharing.add(*result->sharing);
  return sharing;
}

/// `10`, or `2..100` if every run draws its own size.
std::string size_of(const Options& options) {
  if (!options.sizes_differ()) return std::to_string(options.nodes());
  return fmt::format("{}..{}", options.drawn_nodes->first, options.drawn_nodes->last);
}

void print_runs(const Options& options, const SeedRange& range, const Runs<Result>& runs,
                bool as_json) {
  std::vector<nlohmann::ordered_json> reports;
  for (std::size_t index = 0; index < runs.results.size(); ++index) {
    if (!runs.results[index]) continue;
    reports.push_back(to_json(sim::for_seed(options, range.first + index), *runs.results[index]));
  }
  nlohmann::ordered_json mean = mean_of(reports);
  if (as_json) {
    nlohmann::ordered_json json;
    json["algorithm"] = options.algorithm;
    json["nodes"] = options.nodes();
    if (options.sizes_differ()) json["nodes"] = size_of(options);
    json.update(tally_of(options, runs, range));
    json["mean"] = mean;
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}, {} nodes, {} runs (seeds {}..{}): {} failed\n", options.algorithm,
             size_of(options), runs.done, range.first, range.last, runs.failures);
  fmt::print("  {:<13} {:.1f} entries, {:.1f} messages ({:.3g} per entry)\n", "mean of all",
             mean["entries"].get<double>(), mean["messages"]["total"].get<double>(),
             mean["messages_per_entry"].get<double>());
  fmt::print("  {:<13} mean {}, p99 {}, max {}\n", "wait",
             print_seconds(mean["wait_s"]["mean"].get<double>()),
             print_seconds(mean["wait_s"]["p99"].get<double>()),
             print_seconds(mean["wait_s"]["max"].get<double>()));
  if (options.shares())
    fmt::print("  {:<13} {:.4g} entries/s; {} read, {} wrote, at most {} were inside together\n",
               "sharing", mean["throughput_per_s"].get<double>(), sharing_of(runs).reads,
               sharing_of(runs).writes, sharing_of(runs).inside_max);
  const nlohmann::ordered_json& properties = mean["properties"];
  fmt::print("  {:<13} ME1 {}, ME2 {}, ME3 {}\n", "properties",
             properties["ME1"].get<std::string>(), properties["ME2"].get<std::string>(),
             properties["ME3"].get<std::string>());
  if (properties.contains("structure"))
    fmt::print("  {:<13} {}, checked {:.0f} times a run\n", "structure",
               properties["structure"].get<std::string>(), mean["structure_checks"].get<double>());
}

void run_many(const Options& options, const SimTexts& texts, Invocation& invocation) {
  SeedRange range = parse_seeds(*texts.seeds);
  refuse_to_record_many(texts);
  if (options.sizes_differ())
    for (std::uint64_t seed = range.first; seed <= range.last; ++seed)
      sim::validate(sim::for_seed(options, seed));
  watch_for_interrupts();
  auto runs = run_seeds<Result>(range, texts.threads, [&](std::uint64_t seed) {
    return sim::simulate(sim::for_seed(options, seed));
  });
  if (runs.done == 0) throw BadText("interrupted before the first run finished");
  print_runs(options, range, runs, texts.json);
  std::fflush(stdout);
  invocation.exit = complain_of_failures(
      runs, range,
      [&](const Result& result, std::uint64_t seed) { complain(result, seed, invocation); });
  if (runs.failures == 0 && options.shares())
    invocation.exit = complain_of_nothing_seen(options, sharing_of(runs));
  invocation.exit = complain_of_interrupt(runs.done, runs.results.size(), invocation.exit);
}

}  // namespace

void add_sim_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("sim", "Simulate an algorithm and check its properties");
  auto texts = std::make_shared<SimTexts>();
  add_sim_options(*command, *texts);
  command->footer(
      "Exit status: 0 all properties held, 1 bad usage, 2 a safety property broke, 3 a liveness\n"
      "property broke. Examples:\n"
      "  conch sim naimi-trehel --nodes 50 --requests 100 --seed 7\n"
      "  conch sim ricart-agrawala --clusters 3x3 --remote-latency 600ms --local-latency 300us\n"
      "  conch sim maekawa-textbook --seeds 1..20        # deadlocks\n"
      "  conch sim central --suspect holder@50ms         # two holders\n"
      "  conch sim bully --answer-timeout 1ms            # two coordinators\n"
      "  conch sim end-to-end --dht chord --weather stormy --seeds 1..100\n"
      "  conch sim sigma --weather parted                # two holders");
  command->callback([texts, command, &invocation] {
    const CatalogEntry& entry = find_any(texts->algorithm);
    refuse_needless_sim_options(*command, entry);
    if (entry.can.elects) return run_elections(*texts, invocation);
    if (entry.can.routed) return run_communities(*texts, invocation);
    Options options = to_options(*texts);
    texts->seeds ? run_many(options, *texts, invocation) : run_one(options, *texts, invocation);
  });
}

}  // namespace conch::lab_cli
