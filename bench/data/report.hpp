// Prints the result of a run for people.
#pragma once

#include "run.hpp"

namespace conch::bench {

void print_handovers(const Result& result);
void print_overlap(const Overlap& overlap);
/// Prints the targets beside the measured values.
void print_targets(const Result& result);

/// Formats a size, as in "50 MiB".
std::string size_in_words(std::size_t size);

}  // namespace conch::bench
