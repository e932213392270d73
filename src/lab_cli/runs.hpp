// Runs with many seeds, on all cores, and what is said of one that fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lab_cli/commands.hpp"
#include "lab_cli/sim_options.hpp"
#include "oracle/oracles.hpp"
#include "sim/population.hpp"
#include "sim/sometimes.hpp"

namespace conch::lab_cli {

Exit exit_for(const std::optional<sim::Violation>& violation);

/// The command line without some options, which have values, and flags.
std::string command_without(const Invocation& invocation, const std::set<std::string>& options,
                            const std::set<std::string>& flags);
/// The command line with its seeds replaced by one, and without what only shows the run.
std::string repeat_command(const Invocation& invocation, std::uint64_t seed);

/// A bar on the terminal, if there is one.
class Progress {
 public:
  explicit Progress(std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::uint64_t done, std::uint64_t failures) const;

 private:
  std::uint64_t total_;
  bool shown_;
};

/// Ctrl-C ends the runs early.
void watch_for_interrupts();
bool interrupted();

template <class Result>
struct Runs {
  /// By seed; those that were not run because of an interrupt have none.
  std::vector<std::optional<Result>> results;
  std::uint64_t done = 0;
  std::uint64_t failures = 0;
};

/// Adds `--threads`: how many runs there are at a time.
void add_threads_option(CLI::App& command, unsigned& threads, const std::string& group = "");

/// Calls `simulate(seed)` for all seeds, some at a time; what one finds does not depend on the
/// others.
template <class Result, class Simulate>
Runs<Result> run_seeds(const SeedRange& range, unsigned threads, Simulate&& simulate) {
  Runs<Result> runs;
  std::uint64_t total = range.last - range.first + 1;
  runs.results.resize(total);
  Progress progress(total);
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  auto work = [&] {
    for (std::uint64_t index = next++; index < total && !interrupted(); index = next++) {
      Result result = simulate(range.first + index);
      std::lock_guard lock(mutex);
      runs.failures += result.violation.has_value();
      runs.results[index] = std::move(result);
      progress.update(++runs.done, runs.failures);
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < std::min<std::uint64_t>(threads, total); ++i) workers.emplace_back(work);
  work();
  workers.clear();
  return runs;
}

/// What a program reads of many runs, the same for every command that takes seeds.
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

/// Says of the first failures what `complain(result, seed)` says, and of the others how many they
/// are. Returns the worst exit.
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

/// Says so if the runs were interrupted, which makes a good exit bad.
Exit complain_of_interrupt(std::uint64_t done, std::uint64_t total, Exit exit);

}  // namespace conch::lab_cli
