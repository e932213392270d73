// A run as a person reads it, as a scenario that can be replayed, and as a trace.
#pragma once

#include <memory>
#include <string>

#include "check/check.hpp"
#include "sim/trace.hpp"

namespace conch::check {

/// Numbered steps in the algorithm's own words, with what changed.
std::string tell_story(const Options& options, const Report& report);

/// The steps as verbs of docs/scenarios.md, with what they give.
std::string to_scenario(const Options& options, const Report& report);

/// Writes the steps to a sink, a millisecond apart.
void write_trace(const Options& options, const Report& report, sim::TraceSink& sink);

}  // namespace conch::check
