#include "lab/handover_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/parallel.hpp"
#include "simgrid/handover.hpp"

namespace conch::lab {

namespace {

using sim::handover::Measured;
using sim::handover::Times;
using sim::handover::Workload;

/// The largest deviation that we accept between two simulators of one network.
constexpr double agreement_max = 0.05;

constexpr auto parts = {&Times::dho_s, &Times::wait_s, &Times::blocking_s, &Times::fetch_s,
                        &Times::handover_s};

/// Statistics of the times of several runs, separately for each part of a cycle.
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

HandoverRun mean_over(std::string_view engine, const std::vector<Measured>& measured) {
  Timing steady, all;
  std::uint64_t departures = 0, unwanted = 0;
  for (const Measured& each : measured) {
    steady.add(each.steady);
    all.add(each.all);
    departures += each.leaves;
    unwanted += each.unwanted;
  }
  return {engine,          steady.mean(), all.mean(), steady.deviation(),
          all.deviation(), departures,    unwanted};
}

/// Our engine shares no state between runs, so they can run in parallel.
std::vector<Measured> run_on_all_cores(const std::vector<Workload>& workloads) {
  std::vector<Measured> list(workloads.size());
  in_parallel(list.size(), [&](std::size_t i) { list[i] = sim::handover::run(workloads[i]); });
  return list;
}

}  // namespace

std::vector<HandoverRun> measure(const Workload& workload, const Seeds& seeds, Engines engines) {
  std::vector<Workload> workloads;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    Workload& each = workloads.emplace_back(workload);
    each.seed = seed;
    if (auto* grid = std::get_if<sim::Grid>(&each.wires)) grid->placement = seed;
  }
  std::vector<HandoverRun> runs;
  if (engines != Engines::simgrid) runs.push_back(mean_over("sim", run_on_all_cores(workloads)));
  if (engines != Engines::sim)
    runs.push_back(mean_over("simgrid", simgrid::run_on_simgrid(workloads)));
  return runs;
}

std::string CycleTimeComparison::compare(const std::vector<HandoverRun>& runs, std::size_t which,
                                         Times HandoverRun::*means) {
  if (which == 0) return "";
  double apart = (runs[which].*means).dho_s / (runs[0].*means).dho_s - 1;
  largest_ = std::max(std::abs(apart), largest_.value_or(0));
  return fmt::format("{:+.2f}%", 100 * apart);
}

std::optional<std::string> CycleTimeComparison::remark() const {
  if (!largest_) return std::nullopt;
  return fmt::format("The engines are at most {:.2f}% apart in T_DHO; {:.0f}% were allowed. {}",
                     100 * *largest_, 100 * agreement_max,
                     *largest_ <= agreement_max ? "Holds." : "Does not hold.");
}

Duration from_s(double seconds) { return Duration(std::llround(1e9 * seconds)); }

std::string print_s(double seconds) { return fmt::format("{:.3f}", seconds); }

std::string print_bytes(std::uint64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} KiB", bytes >> 10);
}

}  // namespace conch::lab
