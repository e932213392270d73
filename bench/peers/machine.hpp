// What every table needs: where it was made, and medians.
#pragma once

#include <string>
#include <vector>

#include "process.hpp"

namespace conch::bench {

void print_machine(const Affinity& affinity);
double median(std::vector<double> values);
/// Microseconds, as a person wants to read them.
std::string us(double ns);

}  // namespace conch::bench
