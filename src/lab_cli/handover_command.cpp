#include <fmt/core.h>

#include "core/expect.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/report.hpp"
#include "lab_cli/runs.hpp"
#include "lab_cli/sim_options.hpp"
#include "sim/handover.hpp"

namespace conch::lab_cli {
namespace {

using sim::handover::Measured;
using sim::handover::Workload;

struct HandoverTexts {
  Workload workload;
  std::string idle = "0s", overlap = "0s", locked = "10ms", wait = "1s", opening = "100ms";
  std::string wires = "grid";
  std::uint64_t seed = 1;
  std::optional<std::string> seeds;
  unsigned threads = 1;
  bool json = false;
};

struct HandoverResult {
  Measured measured;
  std::optional<sim::Violation> violation;
};

Workload to_workload(const HandoverTexts& texts) {
  Workload workload = texts.workload;
  auto duration = [](const char* name, const std::string& text) {
    return parsed(name, [&] { return parse_duration(text); });
  };
  workload.idle = duration("--idle", texts.idle);
  workload.overlap = duration("--overlap", texts.overlap);
  workload.locked = duration("--locked", texts.locked);
  workload.first_wait = workload.second_wait = duration("--wait", texts.wait);
  workload.opening = duration("--opening", texts.opening);
  if (texts.wires == "uniform") {
    workload.wires = sim::Uniform{};
  } else if (texts.wires == "grid") {
    workload.wires = sim::Grid{};
  } else {
    throw BadText("--wires: \"" + texts.wires + "\" is none of grid, uniform");
  }
  workload.seed = texts.seed;
  sim::handover::validate(workload);
  return workload;
}

/// The seed also draws which peer is at which site.
Workload for_seed(Workload workload, std::uint64_t seed) {
  workload.seed = seed;
  if (auto* grid = std::get_if<sim::Grid>(&workload.wires)) grid->placement = seed;
  return workload;
}

HandoverResult hand_over(const Workload& workload) {
  InvariantWatch watch;
  try {
    return {sim::handover::run(workload), {}};
  } catch (const sim::handover::Stuck& stuck) {
    return {{}, sim::Violation{sim::Property::progress, stuck.what()}};
  } catch (const BrokenInvariant& broken) {
    return {{}, sim::Violation{sim::Property::invariant, broken.what()}};
  }
}

struct Totals {
  std::uint64_t cycles = 0, messages = 0;
  double cycle_s = 0, wait_s = 0;
  sim::Sometimes sometimes;

  Totals(const Workload& workload, const Runs<HandoverResult>& runs) {
    for (const auto& result : runs.results)
      if (result) add(workload, result->measured);
    if (cycles == 0) return;
    cycle_s /= static_cast<double>(cycles);
    wait_s /= static_cast<double>(cycles);
  }

 private:
  void add(const Workload& workload, const Measured& measured) {
    auto all = static_cast<double>(measured.all.cycles);
    cycles += measured.all.cycles;
    cycle_s += all * measured.all.dho_s;
    wait_s += all * measured.all.wait_s;
    messages += measured.messages + measured.handle_messages;
    if (workload.bytes > 0 && workload.peers > 1)
      sometimes["data are fetched from another peer"] += measured.handle_messages;
    if (workload.churners == 0) return;
    sometimes["a peer leaves"] += measured.leaves;
    sometimes["a peer comes back"] += measured.joins;
    sometimes["the lock arrives before a peer gives up"] += measured.unwanted;
  }
};

void print_json(const Workload& workload, const Runs<HandoverResult>& runs, const SeedRange& range,
                const Totals& totals) {
  nlohmann::ordered_json json;
  json["algorithm"] = workload.algorithm;
  json["peers"] = workload.peers;
  json["churners"] = workload.churners;
  json.update(tally_of(runs, range, totals.messages, totals.sometimes));
  json["cycles"] = totals.cycles;
  json["cycle_s"] = totals.cycle_s;
  json["wait_s"] = totals.wait_s;
  fmt::print("{}\n", json.dump(2));
}

void print_text(const Workload& workload, const Runs<HandoverResult>& runs, const SeedRange& range,
                const Totals& totals) {
  fmt::print("{}, {} peers, {} of them come and go, {} runs (seeds {}..{}): {} failed\n",
             workload.algorithm, workload.peers, workload.churners, runs.done, range.first,
             range.last, runs.failures);
  print_line("cycles", fmt::format("{}, mean {}, of which {} waiting", totals.cycles,
                                   print_seconds(totals.cycle_s), print_seconds(totals.wait_s)));
  print_line("messages", std::to_string(totals.messages));
}

void run_handovers(const HandoverTexts& texts, Invocation& invocation) {
  Workload workload = to_workload(texts);
  SeedRange range{texts.seed, texts.seed};
  if (texts.seeds) range = parse_seeds(*texts.seeds);
  watch_for_interrupts();
  auto runs = run_seeds<HandoverResult>(range, texts.threads, [&](std::uint64_t seed) {
    return hand_over(for_seed(workload, seed));
  });
  Totals totals(workload, runs);
  texts.json ? print_json(workload, runs, range, totals)
             : print_text(workload, runs, range, totals);
  std::fflush(stdout);
  invocation.exit =
      complain_of_failures(runs, range, [&](const HandoverResult& result, std::uint64_t seed) {
        fmt::print(stderr, "{} broken with seed {}: {}\n  repeat: {}\n",
                   word(result.violation->property), seed, result.violation->what,
                   repeat_command(invocation, seed));
      });
  invocation.exit = complain_of_interrupt(runs.done, runs.results.size(), invocation.exit);
}

}  // namespace

void add_handover_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "handover", "Simulate peers that pass a block of data to one another with its lock");
  auto texts = std::make_shared<HandoverTexts>();
  Workload& workload = texts->workload;
  workload.peers = 10;
  command->add_option("algorithm", workload.algorithm, "Algorithm; see conch algorithms")
      ->required();
  auto add = [&](const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->capture_default_str();
  };
  add("--peers", workload.peers, "Number of peers")->check(CLI::Range(1u, 100'000u));
  add("--churners", workload.churners,
      "Number of peers that request, give up, leave and come back");
  add("--cycles", workload.cycles, "Cycles of each other peer")->check(CLI::Range(1u, 1'000'000u));
  add("--idle", texts->idle, "Time that a peer spends idle");
  add("--overlap", texts->overlap, "Time between request and acquire");
  add("--locked", texts->locked, "Time for which a peer uses the data");
  add("--wait", texts->wait, "Each of the two waits of a peer that comes and goes");
  add("--opening", texts->opening, "Period within which the peers begin");
  add("--bytes", workload.bytes, "Size of the data");
  add("--wires", texts->wires, "grid: sites of clusters; uniform: one latency everywhere");
  command->add_flag("--prefetch", workload.prefetch, "Fetch the data as soon as the lock arrives");
  CLI::Option* seed = add("--seed", texts->seed, "One run");
  command->add_option("--seeds", texts->seeds, "Many runs, such as 1..200")->excludes(seed);
  add_threads_option(*command, texts->threads);
  command->add_flag("--json", texts->json, "Print the numbers as JSON");
  command->footer(
      "Exit status: 0 all properties held, 1 bad usage, 2 a safety property broke, 3 a liveness\n"
      "property broke. Examples:\n"
      "  conch handover elmp --peers 50 --bytes 1000000\n"
      "  conch handover naimi-trehel --churners 4 --wait 50ms --seeds 1..200");
  command->callback([texts, &invocation] { run_handovers(*texts, invocation); });
}

}  // namespace conch::lab_cli
