#include "sim/line_diff.hpp"

#include <algorithm>
#include <cstdint>

namespace conch::sim {

namespace {

using Lines = std::vector<std::string_view>;
using Side = DiffLine::Side;

constexpr std::size_t table_max = 4'000'000;
constexpr std::size_t lines_around = 4;

/// The lengths of the longest common subsequences of all pairs of suffixes.
class CommonLengths {
 public:
  CommonLengths(const Lines& a, const Lines& b)
      : width_(b.size() + 1), lengths_((a.size() + 1) * width_) {
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  std::uint32_t& at(std::size_t i, std::size_t j) { return lengths_[i * width_ + j]; }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> lengths_;
};

void append(std::vector<DiffLine>& diff, Side side, const Lines& lines, std::size_t begin,
            std::size_t end) {
  for (; begin < end; ++begin) diff.push_back({side, lines[begin]});
}

void align(std::vector<DiffLine>& diff, const Lines& expected, const Lines& actual) {
  std::size_t i = 0;
  std::size_t j = 0;
  if ((expected.size() + 1) * (actual.size() + 1) <= table_max) {
    CommonLengths common(expected, actual);
    while (i < expected.size() && j < actual.size()) {
      if (expected[i] == actual[j]) {
        diff.push_back({Side::both, expected[i++]});
        ++j;
      } else if (common.at(i + 1, j) >= common.at(i, j + 1)) {
        diff.push_back({Side::expected, expected[i++]});
      } else {
        diff.push_back({Side::actual, actual[j++]});
      }
    }
  }
  append(diff, Side::expected, expected, i, expected.size());
  append(diff, Side::actual, actual, j, actual.size());
}

std::string_view mark(Side side) {
  switch (side) {
    case Side::both: return "  ";
    case Side::expected: return "- ";
    case Side::actual: return "+ ";
  }
  return "";
}

std::vector<bool> near_changes(const std::vector<DiffLine>& diff) {
  std::vector<bool> near(diff.size());
  for (std::size_t i = 0; i < diff.size(); ++i) {
    if (diff[i].side == Side::both) continue;
    std::size_t first = i - std::min(i, lines_around);
    std::size_t last = std::min(i + lines_around, diff.size() - 1);
    for (std::size_t j = first; j <= last; ++j) near[j] = true;
  }
  return near;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<DiffLine> diff_lines(std::string_view expected, std::string_view actual) {
  Lines a = lines_of(expected);
  Lines b = lines_of(actual);
  auto [a_rest, b_rest] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  std::vector<DiffLine> diff;
  append(diff, Side::both, a, 0, static_cast<std::size_t>(a_rest - a.begin()));
  Lines a_tail(a_rest, a.end());
  Lines b_tail(b_rest, b.end());
  Lines common_end;
  while (!a_tail.empty() && !b_tail.empty() && a_tail.back() == b_tail.back()) {
    common_end.push_back(a_tail.back());
    a_tail.pop_back();
    b_tail.pop_back();
  }
  align(diff, a_tail, b_tail);
  std::reverse(common_end.begin(), common_end.end());
  append(diff, Side::both, common_end, 0, common_end.size());
  return diff;
}

std::string print_diff(std::string_view expected, std::string_view actual) {
  std::vector<DiffLine> diff = diff_lines(expected, actual);
  std::vector<bool> shown = near_changes(diff);
  std::string text;
  std::size_t line = 1;
  for (std::size_t i = 0; i < diff.size(); ++i) {
    bool begins = shown[i] && (i == 0 || !shown[i - 1]);
    if (begins) text += "line " + std::to_string(line) + ":\n";
    if (shown[i]) text += std::string(mark(diff[i].side)) + std::string(diff[i].text) + "\n";
    if (diff[i].side != Side::actual) ++line;
  }
  return text;
}

}  // namespace conch::sim
