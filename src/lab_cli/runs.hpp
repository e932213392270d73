// Runs a simulation with many seeds on several cores, and reports failures.
#pragma once

#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/parallel.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/sim_options.hpp"
#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"
#include "sim/sometimes.hpp"

namespace conch::lab_cli {

Exit exit_for(const std::optional<sim::Violation>& violation);

/// The command line without some options (which have values) and some flags.
std::string command_without(const Invocation& invocation, const std::set<std::string>& options,
                            const std::set<std::string>& flags);
/// The command line that repeats one run: its seeds replaced by this one, and without options that
/// only concern the output.
std::string repeat_command(const Invocation& invocation, std::uint64_t seed);

/// A progress bar, shown only if stderr is a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void update(std::uint64_t done, std::uint64_t failures) const;

 private:
  std::uint64_t total_;
  bool shown_;
};

/// From here on, Ctrl-C ends the runs early.
void watch_for_interrupts();
bool interrupted();

template <class Result>
struct Runs {
  /// In the order of the seeds; empty for runs that an interrupt prevented.
  std::vector<std::optional<Result>> results;
  std::uint64_t done = 0;
  std::uint64_t failures = 0;
};

/// Adds `--threads`, the number of simultaneous runs. Its default is the number of cores.
void add_threads_option(CLI::App& command, unsigned& threads, const std::string& group = "");

/// Calls `simulate(seed)` for all seeds, from several threads at a time. The runs must be
/// independent.
template <class Result, class Simulate>
Runs<Result> run_seeds(const SeedRange& range, unsigned threads, Simulate&& simulate) {
  Runs<Result> runs;
  std::uint64_t total = range.last - range.first + 1;
  runs.results.resize(total);
  ProgressBar progress(total);
  std::mutex mutex;
  lab::in_parallel(total, threads, [&](std::uint64_t index) {
    if (interrupted()) return;
    Result result = simulate(range.first + index);
    std::lock_guard lock(mutex);
    runs.failures += result.violation.has_value();
    runs.results[index] = std::move(result);
    progress.update(++runs.done, runs.failures);
  });
  return runs;
}

/// The JSON summary of many runs, the same for every command that takes seeds.
template <class Result>
nlohmann::ordered_json tally_of(const Runs<Result>& runs, const SeedRange& range,
                                std::uint64_t messages, const sim::Sometimes& sometimes) {
  nlohmann::ordered_json json;
  json["runs"] = runs.done;
  json["failures"] = runs.failures;
  json["failed_seeds"] = nlohmann::ordered_json::array();
  for (std::size_t index = 0; index < runs.results.size(); ++index)
    if (runs.results[index] && runs.results[index]->violation)
      json["failed_seeds"].push_back(range.first + index);
  json["messages"] = {{"total", messages}};
  json["sometimes"] = sometimes;
  return json;
}

/// Calls `complain(result, seed)` for the first few failures, and prints how many more there are.
/// Returns the worst exit.
template <class Result, class Complain>
Exit complain_of_failures(const Runs<Result>& runs, const SeedRange& range, Complain&& complain) {
  constexpr std::uint64_t shown_failures = 5;
  std::uint64_t shown = 0;
  Exit worst = Exit::held;
  for (std::size_t index = 0; index < runs.results.size(); ++index) {
    const auto& result = runs.results[index];
    if (!result || !result->violation) continue;
    if (shown++ < shown_failures) complain(*result, range.first + index);
    if (worst != Exit::safety_broken) worst = exit_for(result->violation);
  }
  if (shown > shown_failures)
    std::fprintf(stderr, "and %llu more; --json lists their seeds\n",
                 static_cast<unsigned long long>(shown - shown_failures));
  return worst;
}

/// Prints a notice if the runs were interrupted; then Exit::held becomes Exit::bad_usage.
Exit complain_of_interrupt(std::uint64_t done, std::uint64_t total, Exit exit);

}  // namespace conch::lab_cli
