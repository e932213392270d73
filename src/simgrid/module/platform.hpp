// Builds the platform of an experiment for SimGrid: the same lines as sim::Grid, but messages on
// one line at the same time share its bandwidth.
#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/wires.hpp"

namespace conch::simgrid {

/// The settings that make SimGrid's network model the grid's.
std::vector<std::string> settings(const sim::Grid& grid);

/// Creates a host for each node. SimGrid's engine must exist.
std::vector<::simgrid::s4u::Host*> create_platform(const sim::Grid& grid, sim::Node nodes);

}  // namespace conch::simgrid
