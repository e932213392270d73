// Experiments: one file per published table or figure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/table.hpp"

namespace conch::lab {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 10;
};

/// What an experiment found: a table, and what it means in a few lines.
struct Findings {
  std::string setting;
  Table table;
  std::vector<std::string> remarks;
};

struct Experiment {
  std::string_view name;
  std::string_view about;
  Findings (*run)(const Seeds& seeds);
};

std::span<const Experiment> experiments();
/// Throws UnknownName with a suggestion.
const Experiment& find_experiment(std::string_view name);

// The experiments.
Findings textbook(const Seeds& seeds);
Findings textbook_faults(const Seeds& seeds);

}  // namespace conch::lab
