#include "lab/handover_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simgrid/handover.hpp"

namespace conch::lab {

namespace {

using sim::handover::Measured;
using sim::handover::Times;
using sim::handover::Workload;

/// Two simulators of one network should not be further apart than this.
constexpr double agreement_max = 0.05;

constexpr auto parts = {&Times::dho_s, &Times::wait_s, &Times::blocking_s, &Times::fetch_s,
                        &Times::handover_s};

/// The times of several runs, each part for itself.
class Timing {
 public:
  void add(const Times& times) {
    cycles_ += times.cycles;
    Sample* sample = samples_.data();
    for (auto part : parts) (sample++)->add(times.*part);
  }
  Times mean() const {
    Times times = of(&Sample::mean);
    times.cycles = cycles_;
    return times;
  }
  Times deviation() const { return of(&Sample::deviation); }

 private:
  Times of(double (Sample::*value)() const) const {
    Times times;
    const Sample* sample = samples_.data();
    for (auto part : parts) times.*part = ((sample++)->*value)();
    return times;
  }

  std::array<Sample, parts.size()> samples_;
  decltype(Times::cycles) cycles_ = 0;
};

Run mean_over(const Seeds& seeds, std::string_view engine, Workload workload,
              Measured (*run)(const Workload&)) {
  Timing steady, all;
  std::uint64_t departures = 0;
  for (workload.seed = seeds.first; workload.seed <= seeds.last; ++workload.seed) {
    if (auto* grid = std::get_if<sim::Grid>(&workload.wires)) grid->placement = workload.seed;
    Measured measured = run(workload);
    steady.add(measured.steady);
    all.add(measured.all);
    departures += measured.leaves;
  }
  return {engine, steady.mean(), all.mean(), steady.deviation(), all.deviation(), departures};
}

}  // namespace

std::vector<Run> measure(const Workload& workload, const Seeds& seeds, Engines engines) {
  std::vector<Run> runs;
  if (engines != Engines::simgrid)
    runs.push_back(mean_over(seeds, "sim", workload, sim::handover::run));
  if (engines != Engines::sim)
    runs.push_back(mean_over(seeds, "simgrid", workload, simgrid::run_on_simgrid));
  return runs;
}

std::string Agreement::compare(const std::vector<Run>& runs, std::size_t which, Times Run::*means) {
  if (which == 0) return "";
  double apart = (runs[which].*means).dho_s / (runs[0].*means).dho_s - 1;
  largest_ = std::max(std::abs(apart), largest_.value_or(0));
  return fmt::format("{:+.2f}%", 100 * apart);
}

std::optional<std::string> Agreement::remark() const {
  if (!largest_) return std::nullopt;
  return fmt::format("The engines are at most {:.2f}% apart in T_DHO; {:.0f}% were allowed. {}",
                     100 * *largest_, 100 * agreement_max,
                     *largest_ <= agreement_max ? "Holds." : "Does not hold.");
}

std::string print_s(double seconds) { return fmt::format("{:.3f}", seconds); }

std::string print_bytes(std::uint64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} KiB", bytes >> 10);
}

std::string print_seeds(const Seeds& seeds) {
  if (seeds.first == seeds.last) return fmt::format("seed {}", seeds.first);
  return fmt::format("seeds {}..{}", seeds.first, seeds.last);
}

}  // namespace conch::lab
