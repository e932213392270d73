// A run as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/simulation.hpp"

namespace conch::lab_cli {

nlohmann::ordered_json to_json(const sim::Options& options, const sim::Result& result);

/// The mean of every number, of the same shape; "held" only if it held in all.
nlohmann::ordered_json mean_of(const std::vector<nlohmann::ordered_json>& runs);

std::string to_text(const sim::Options& options, const sim::Result& result);

/// A label and its value, in the columns that texts of runs have.
void print_line(std::string_view label, const std::string& value);

/// 1.5 ms, 20 us: three digits and a unit.
std::string print_seconds(double seconds);

}  // namespace conch::lab_cli
