// The platform of an experiment, built in code: the same lines as sim::Grid has, with what SimGrid
// adds, bandwidth that is shared by those who use a line at the same time.
#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/wires.hpp"

namespace conch::simgrid {

/// The settings of SimGrid's engine that make its network model the grid's.
std::vector<std::string> settings(const sim::Grid& grid);

/// A host for each node. There must be an engine.
std::vector<::simgrid::s4u::Host*> create_platform(const sim::Grid& grid, sim::Node nodes);

}  // namespace conch::simgrid
