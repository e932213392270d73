// What an experiment found, as JSON: for `conch lab run --json` and for the page of the report.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/experiment.hpp"

namespace conch::cli {

nlohmann::ordered_json findings_json(const lab::Experiment& experiment,
                                     const lab::Findings& findings);

}  // namespace conch::cli
