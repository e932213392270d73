// Prints a run for a reader, as a scenario that can be replayed, and as a trace.
#pragma once

#include <memory>
#include <string>

#include "check/check.hpp"
#include "sim/trace.hpp"

namespace conch::check {

/// The numbered steps in the algorithm's own words, with the fields that each one changes.
std::string describe_counterexample(const Options& options, const CheckReport& report);

/// The steps as verbs of docs/simulator.md, with the output that they give.
std::string to_scenario(const Options& options, const CheckReport& report);

/// Writes the steps to a sink, one millisecond apart.
void write_trace(const Options& options, const CheckReport& report, sim::TraceSink& sink);

}  // namespace conch::check
