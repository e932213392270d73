// The only function of the module that links with SimGrid.
#pragma once

#include "sim/handover.hpp"

/// Runs the workload on the grid. Call it only once per process: SimGrid's engine exists once in a
/// process.
extern "C" __attribute__((visibility("default"))) void conch_run_on_simgrid(
    const conch::sim::handover::Workload& workload, const conch::sim::Grid& grid,
    conch::sim::handover::Measured& measured);
