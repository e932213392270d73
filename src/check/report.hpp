// The report of a search, whatever system it explores.
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/memory.hpp"
#include "oracle/oracles.hpp"

namespace conch::check {

struct SearchProgress {
  std::uint64_t states = 0;
  std::uint64_t queue = 0;
  std::uint32_t depth = 0;
};
using ProgressSink = std::function<void(const SearchProgress&)>;

template <class Step>
struct SearchReport {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;
  double seconds = 0;
  std::size_t bytes = 0;
  /// How often one thread had to wait for another.
  std::uint64_t contended = 0;
  /// The situations of interest that were seen, as a set of bits.
  std::uint32_t seen = 0;
  /// Everything within the bounds was explored.
  bool complete = false;
  /// Why the search is not complete; empty if it is, or if it found a violation.
  std::string incomplete;
  std::optional<oracle::Violation> violation;
  /// The shortest way to the violation.
  std::vector<Step> steps;
};

/// Calls f. If it runs out of room, says why and lifts the bound, so that there is room for the
/// report.
template <class F>
std::string why_not(MemoryBudget& memory, F&& f) {
  try {
    f();
    return {};
  } catch (const std::length_error& error) {  // it does not fit into a state or a number
    memory.lift();
    return error.what();
  } catch (const MemoryFull& full) {
    memory.lift();
    return full.what();
  } catch (const std::bad_alloc&) {
    memory.lift();
    return "out of memory";
  }
}

}  // namespace conch::check
