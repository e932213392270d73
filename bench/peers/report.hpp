// Prints the result of a run for people and for programs.
#pragma once

#include "run.hpp"

namespace conch::bench {

void print_tables(const Result& result);
/// Prints the targets beside the measured values.
void print_targets(const Result& result);
void print_json(const Result& result);

}  // namespace conch::bench
