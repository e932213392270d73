// Medians, and a description of the machine for each table.
#pragma once

#include <string>
#include <vector>

#include "process.hpp"

namespace conch::bench {

void print_machine(const Affinity& affinity);
double median(std::vector<double> values);
/// Formats microseconds for people.
std::string us(double ns);

}  // namespace conch::bench
