// Computations in processes of their own: SimGrid's engine exists once in a process and keeps its
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

/// What f returns for each of 0 to count - 1, each in a child that is gone afterwards whatever
/// happens; as many at a time as there are cores. Throws ChildFailed if f throws, if a child dies,
/// or when one has run for so long. For a process with one thread.
std::vector<std::string> in_children(std::size_t count,
                                     const std::function<std::string(std::size_t)>& f,
                                     std::chrono::seconds limit = std::chrono::minutes(10));

}  // namespace conch::simgrid
