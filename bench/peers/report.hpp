// A run's result for people, and for programs.
#pragma once

#include "run.hpp"

namespace conch::bench {

void print_tables(const Result& result);
/// What was promised, beside what was measured.
void print_targets(const Result& result);
void print_json(const Result& result);

}  // namespace conch::bench
