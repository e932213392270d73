// A run's result for people.
#pragma once

#include "run.hpp"

namespace conch::bench {

void print_handovers(const Result& result);
void print_overlap(const Overlap& overlap);
/// What was promised, beside what was measured.
void print_targets(const Result& result);

/// "50 MiB".
std::string size_in_words(std::size_t size);

}  // namespace conch::bench
