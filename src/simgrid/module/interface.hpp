// The one function of the module that is linked with SimGrid.
#pragma once

#include "sim/handover.hpp"

/// Runs the workload on the grid. SimGrid's engine exists once in a process: to be called once.
extern "C" __attribute__((visibility("default"))) void conch_run_on_simgrid(
    const conch::sim::handover::Workload& workload, const conch::sim::Grid& grid,
    conch::sim::handover::Measured& measured);
