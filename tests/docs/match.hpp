// Whether a command prints what the page says, up to the numbers that may differ.
#pragma once

#include <string>
#include <vector>

#include "docs/page.hpp"

namespace conch::docs {

/// The line without what may be different: numbers become `#`, or only those that are measured.
std::string shape_of(const std::string& line, Precision precision);

/// The shape of several lines; sorted, if their order does not matter.
std::vector<std::string> shapes_of(std::vector<std::string> lines, Precision precision,
                                   bool unordered = false);

/// A line `...` of the page stands for any lines.
bool matches(const std::vector<std::string>& page, const std::vector<std::string>& actual,
             Precision precision, bool unordered = false);

}  // namespace conch::docs
