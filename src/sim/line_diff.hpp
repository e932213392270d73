// Compares two texts line by line, to show how an actual output differs from the expected one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conch::sim {

/// The lines without their newlines; the last line needs none.
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

/// Marks lines that are only expected with `-` and those that are only actual with `+`, with a few
/// lines around each change. Empty if there is no change.
std::string print_diff(std::string_view expected, std::string_view actual);

}  // namespace conch::sim
