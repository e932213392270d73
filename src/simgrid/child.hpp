// A computation in a process of its own: SimGrid's engine exists once in a process and keeps its
// settings, and an experiment needs many.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>

namespace conch::simgrid {

struct ChildFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What f returns, in a child that is gone afterwards whatever happens. Throws ChildFailed if f
/// throws, if the child dies, or after the limit. For a process with one thread.
std::string in_child(const std::function<std::string()>& f,
                     std::chrono::seconds limit = std::chrono::minutes(10));

}  // namespace conch::simgrid
