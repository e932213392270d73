// Runs handover workloads (sim/handover.hpp) on the engines that an experiment was asked for, and
// prints what the tables of the `dho` experiments share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.hpp"
#include "sim/handover.hpp"

namespace conch::lab {

/// The lock managers: DHO over a tree of peers, as in the paper, and over a server, as in its first
/// version.
inline constexpr std::string_view peer_to_peer = "elmp";
inline constexpr std::string_view client_server = "central";

/// The results of a workload on one engine: means over the seeds, of the steady state and of all
/// cycles.
struct HandoverRun {
  std::string_view engine;
  sim::handover::Times steady;
  sim::handover::Times all;
  /// Standard deviations over the seeds.
  sim::handover::Times steady_off = {};
  sim::handover::Times all_off = {};
  /// Totals over all runs. `unwanted` counts locks granted to a churner that had not yet given up
  /// its request.
  std::uint64_t departures = 0;
  std::uint64_t unwanted = 0;
};

/// Runs the workload with each seed. Our engine comes first in the result. On a grid, the seed also
/// draws which peer is at which site.
std::vector<HandoverRun> measure(const sim::handover::Workload& workload, const Seeds& seeds,
                                 Engines engines);

/// Compares the cycle times of two engines that ran the same workload.
class CycleTimeComparison {
 public:
  /// Returns a table cell: the deviation of runs[which] from runs[0]; empty if `which` is 0.
  std::string compare(const std::vector<HandoverRun>& runs, std::size_t which,
                      sim::handover::Times HandoverRun::*means = &HandoverRun::steady);
  /// A sentence on the largest deviation; empty if there was only one engine.
  std::optional<std::string> remark() const;

 private:
  std::optional<double> largest_;
};

Duration from_s(double seconds);
std::string print_s(double seconds);
std::string print_bytes(std::uint64_t bytes);

}  // namespace conch::lab
