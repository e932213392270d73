#include "lab/handover_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "simgrid/handover.hpp"

namespace conch::lab {

namespace {

using sim::handover::Measured;
using sim::handover::Times;
using sim::handover::Workload;

/// Two simulators of one network should not be further apart than this.
constexpr double agreement_max = 0.05;

void add(Times& sum, const Times& one, double weight) {
  sum.cycles += one.cycles;
  for (auto part :
       {&Times::dho_s, &Times::wait_s, &Times::blocking_s, &Times::fetch_s, &Times::handover_s})
    sum.*part += one.*part * weight;
}

Run mean_over(const Seeds& seeds, std::string_view engine, Workload workload,
              Measured (*run)(const Workload&)) {
  Run mean{engine, {}, {}, 0};
  double weight = 1 / static_cast<double>(seeds.last - seeds.first + 1);
  for (workload.seed = seeds.first; workload.seed <= seeds.last; ++workload.seed) {
    if (auto* grid = std::get_if<sim::Grid>(&workload.wires)) grid->placement = workload.seed;
    Measured measured = run(workload);
    add(mean.steady, measured.steady, weight);
    add(mean.all, measured.all, weight);
    mean.departures += measured.leaves;
  }
  return mean;
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

std::string judged(std::string_view statement, bool holds, std::string_view why) {
  return fmt::format("The paper: {} {} {}", statement, holds ? "Holds." : "Does not hold.", why);
}

}  // namespace conch::lab
