// Prints a simulated run as JSON or as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/simulation.hpp"

namespace conch::lab_cli {

nlohmann::ordered_json to_json(const sim::Options& options, const sim::Result& result);

/// The mean of every number, in an object of the same shape. A verdict is "held" only if it held in
/// all runs.
nlohmann::ordered_json mean_of(const std::vector<nlohmann::ordered_json>& runs);

std::string to_text(const sim::Options& options, const sim::Result& result);

/// Prints a label and its value in the columns of these texts.
void print_line(std::string_view label, const std::string& value);

/// Prints three significant digits and a unit, as in "1.5 ms" or "20 us".
std::string print_seconds(double seconds);

}  // namespace conch::lab_cli
