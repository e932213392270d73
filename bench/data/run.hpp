// Measures all ways, round by round.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "overlap.hpp"

namespace conch::bench {

struct Plan {
  std::vector<std::size_t> sizes{std::size_t{1} << 10, std::size_t{1} << 20, std::size_t{50} << 20};
  int rounds = 5;
  std::vector<std::string> only;
};

struct Row {
  std::string name;
  /// Nanoseconds by size: the median of the medians of the rounds.
  std::map<std::size_t, double> times_ns;
  /// Why there are no times.
  std::string failure;
};

struct Result {
  Plan plan;
  std::vector<Row> rows;
  std::vector<std::string> versions;
  std::optional<Overlap> overlap;

  std::size_t largest() const;
  std::optional<double> time_ns(const std::string& row, std::size_t size) const;
};

Result run(const Plan& plan);

}  // namespace conch::bench
