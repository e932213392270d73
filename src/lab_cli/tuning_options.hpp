// The parameters of single algorithms, as `conch sim` and `conch check` take them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "catalog/catalog.hpp"

namespace conch::lab_cli {

/// As they stand on the command line.
struct TuningTexts {
  std::optional<std::string> voting, balance;
  std::optional<unsigned> order, eps;
};

void add_tuning_options(CLI::App& command, TuningTexts& texts, const std::string& group);

/// Throws BadText with the option's name if it is wrong, or if the algorithm's name settles it
/// otherwise.
Tuning to_tuning(const TuningTexts& texts, const CatalogEntry& entry);

}  // namespace conch::lab_cli
