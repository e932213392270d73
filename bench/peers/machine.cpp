#include "machine.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>

namespace conch::bench {

namespace {

/// A higher load means that other programs use the machine.
constexpr double busy_load = 0.5;

}  // namespace

void print_machine(const Affinity& affinity) {
  utsname system{};
  uname(&system);
  fmt::print("{} core{}, {} {}\n", affinity.cores(), affinity.cores() == 1 ? "" : "s",
             system.sysname, system.release);
  double load = 0;
  if (getloadavg(&load, 1) == 1 && load > busy_load)
    fmt::print(
        "The machine was not idle (load average {:.1f}): rates are lower than they could be.\n",
        load);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::string us(double ns) {
  double value = ns / 1000;
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 1000 ? 1 : 0);
}

}  // namespace conch::bench
