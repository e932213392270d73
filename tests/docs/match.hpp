// Compares the output of a command with that on a page, apart from numbers that may differ.
#pragma once

#include <string>
#include <vector>

#include "docs/page.hpp"

namespace conch::docs {

/// The line with `#` for what may differ: all numbers, or only the measured ones.
std::string shape_of(const std::string& line, Precision precision);

/// The shapes of several lines, sorted if their order does not matter.
std::vector<std::string> shapes_of(std::vector<std::string> lines, Precision precision,
                                   bool unordered = false);

/// Whether the lines match. A line `...` of the page matches any lines.
bool matches(const std::vector<std::string>& page, const std::vector<std::string>& actual,
             Precision precision, bool unordered = false);

}  // namespace conch::docs
