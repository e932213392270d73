// Runs computations in child processes: SimGrid's engine exists once in a process and keeps its
// settings, and an experiment needs many.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace conch::simgrid {

struct ChildFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the results of f for 0 to count - 1. Each call runs in a child process, with as many at
/// a time as there are cores; no child outlives this call. Throws ChildFailed if f throws, a child
/// dies, or one runs for longer than `limit`. Forks, so no other thread of the process may hold a
/// lock that a child needs.
std::vector<std::string> in_children(std::size_t count,
                                     const std::function<std::string(std::size_t)>& f,
                                     std::chrono::seconds limit = std::chrono::minutes(10));

}  // namespace conch::simgrid
