// The findings of an experiment as JSON, for `conch lab run --json` and for the page of the report.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/experiment.hpp"

namespace conch::lab_cli {

/// Table cells that are numbers become JSON numbers; empty ones become null.
nlohmann::ordered_json findings_json(const lab::Experiment& experiment, const lab::Setup& setup,
                                     const lab::ExperimentResult& findings);
/// The table as a page shows it: printed cells, column names, group titles, and which columns are
/// aligned left.
nlohmann::ordered_json layout_json(const Table& table);

}  // namespace conch::lab_cli
