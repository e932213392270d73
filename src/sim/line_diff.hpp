// Two texts line by line: what a person has to read when an expected output is not the actual one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conch::sim {

/// Without their newlines; a last line needs none.
std::vector<std::string_view> lines_of(std::string_view text);

struct DiffLine {
  enum class Side : std::uint8_t { both, expected, actual };
  Side side;
  std::string_view text;
  friend bool operator==(const DiffLine&, const DiffLine&) = default;
};

/// The lines of both texts in one order, with as many as possible in common; of texts that are
/// large and have little in common, all expected ones before all actual ones.
std::vector<DiffLine> diff_lines(std::string_view expected, std::string_view actual);

/// `-` before lines that were expected only, `+` before those that are there only, and a few lines
/// around each change. Empty if there is no change.
std::string print_diff(std::string_view expected, std::string_view actual);

}  // namespace conch::sim
