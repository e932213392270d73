#include "docs/match.hpp"

#include <algorithm>
#include <regex>
#include <utility>

namespace conch::docs {
namespace {

using Rules = std::vector<std::pair<std::regex, std::string>>;

std::string applied(const Rules& rules, std::string line) {
  for (const auto& [pattern, replacement] : rules)
    line = std::regex_replace(line, pattern, replacement);
  return line;
}

/// Times, memory, and numbers that depend on which thread came first.
const Rules measured{
    {std::regex("\\b[0-9.]+ ?(ns|us|ms|s|KiB|MiB|GiB)\\b"), "#"},
    {std::regex("\\b[0-9]+ (bytes a state|transitions)\\b"), "# $1"},
};

/// Every number and identifier. Columns are as wide as their widest number.
const Rules numbers{
    {std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"), "#"},
    {std::regex("-?\\b[0-9]{1,3}( [0-9]{3})+(\\.[0-9]+)?\\b"), "#"},
    {std::regex("-?\\b[0-9]+([.,][0-9]+)+(e[-+][0-9]+)?\\b"), "#"},
    {std::regex("\\b[0-9a-f]{6,16}\\b"), "#"},
    {std::regex("-?\\b[0-9]+(e[-+][0-9]+)?"), "#"},
    {std::regex("# ?(ns|us|ms|s)\\b"), "#"},
    {std::regex("--+"), "-"},
    {std::regex(" +"), " "},
    {std::regex("^ | $"), ""},
};

/// Compares the lines [page, page_end) with [actual, actual_end).
template <class Line>
bool match_from(Line page, Line page_end, Line actual, Line actual_end) {
  for (; page != page_end; ++page, ++actual) {
    if (*page == "...") {
      for (++page; actual != actual_end; ++actual)
        if (match_from(page, page_end, actual, actual_end)) return true;
      return page == page_end;
    }
    if (actual == actual_end || *page != *actual) return false;
  }
  return actual == actual_end;
}

}  // namespace

std::string shape_of(const std::string& line, Precision precision) {
  switch (precision) {
    case Precision::exact: return line;
    case Precision::measured: return applied(measured, line);
    case Precision::shape: return applied(numbers, line);
  }
  return line;
}

std::vector<std::string> shapes_of(std::vector<std::string> lines, Precision precision,
                                   bool unordered) {
  for (std::string& line : lines) line = shape_of(line, precision);
  if (unordered) std::ranges::sort(lines);
  return lines;
}

bool matches(const std::vector<std::string>& page, const std::vector<std::string>& actual,
             Precision precision, bool unordered) {
  std::vector<std::string> expected = shapes_of(page, precision, unordered);
  std::vector<std::string> printed = shapes_of(actual, precision, unordered);
  return match_from(expected.cbegin(), expected.cend(), printed.cbegin(), printed.cend());
}

}  // namespace conch::docs
