// What an experiment found, as JSON: for `conch lab run --json` and for the page of the report.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/experiment.hpp"

namespace conch::lab_cli {

/// Cells that are numbers are numbers, and empty ones are null.
nlohmann::ordered_json findings_json(const lab::Experiment& experiment, const lab::Setup& setup,
                                     const lab::Findings& findings);
/// How a page shows the table: its cells as they are printed, names and titles, and what is aligned
/// left.
nlohmann::ordered_json layout_json(const Table& table);

}  // namespace conch::lab_cli
