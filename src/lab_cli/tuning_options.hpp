// The parameters of individual algorithms, for `conch sim` and `conch check`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "catalog/catalog.hpp"

namespace conch::lab_cli {

/// The options as they stand on the command line.
struct TuningTexts {
  std::optional<std::string> voting, balance;
  std::optional<unsigned> order, eps;
};

void add_tuning_options(CLI::App& command, TuningTexts& texts, const std::string& group);

/// Throws BadText with the option's name if its value is unknown, or if the name of the algorithm
/// already fixes another value.
Tuning to_tuning(const TuningTexts& texts, const CatalogEntry& entry);

}  // namespace conch::lab_cli
