// Handovers on the engines that an experiment was asked to run on, and the words its tables share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.hpp"
#include "sim/handover.hpp"

namespace conch::lab {

/// DHO over a tree of peers, as the paper has it, and over a server, as its first version had it.
inline constexpr std::string_view peer_to_peer = "elmp";
inline constexpr std::string_view client_server = "central";

/// A workload on one engine: means over the seeds, in the steady state and over all cycles.
struct Run {
  std::string_view engine;
  sim::handover::Times steady;
  sim::handover::Times all;
  /// The standard deviation over the seeds, of each.
  sim::handover::Times steady_off = {};
  sim::handover::Times all_off = {};
  /// In all runs; and locks that came to somebody who would give them up.
  std::uint64_t departures = 0;
  std::uint64_t unwanted = 0;
};

/// Ours first. The seed also draws who is at which site of a grid.
std::vector<Run> measure(const sim::handover::Workload& workload, const Seeds& seeds,
                         Engines engines);

/// How far apart two engines are that ran the same.
class Agreement {
 public:
  /// As a cell of a table, in the row of the second engine; an empty one in that of the first.
  std::string compare(const std::vector<Run>& runs, std::size_t which,
                      sim::handover::Times Run::*means = &Run::steady);
  /// Nothing, if there were not two.
  std::optional<std::string> remark() const;

 private:
  std::optional<double> largest_;
};

Duration from_s(double seconds);
std::string print_s(double seconds);
std::string print_bytes(std::uint64_t bytes);

}  // namespace conch::lab
