// Runs the handover of sim/handover.hpp on SimGrid, with the same peers, lock managers and handles.
#pragma once

#include <span>
#include <vector>

#include "sim/handover.hpp"

namespace conch::simgrid {

/// Runs each workload in a child process, on all cores. The wires of all workloads must be grids.
/// Throws ChildFailed with what went wrong.
std::vector<sim::handover::Measured> run_on_simgrid(
    std::span<const sim::handover::Workload> workloads);
inline sim::handover::Measured run_on_simgrid(const sim::handover::Workload& workload) {
  return run_on_simgrid({&workload, 1}).front();
}

}  // namespace conch::simgrid
