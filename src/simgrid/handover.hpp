// The handover of sim/handover.hpp on SimGrid: the same peers, lock managers and handles.
#pragma once

#include "sim/handover.hpp"

namespace conch::simgrid {

/// The workload's wires must be a grid. In a child process: throws ChildFailed with what went
/// wrong.
sim::handover::Measured run_on_simgrid(const sim::handover::Workload& workload);

}  // namespace conch::simgrid
