#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace conch {

namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr std::array units{Unit{"ns", 1},  Unit{"us", 1e3}, Unit{"ms", 1e6},
                           Unit{"s", 1e9}, Unit{"m", 60e9}, Unit{"h", 3600e9}};

constexpr std::string_view number_begins = "0123456789.";

/// Takes the number from the front of `rest`; there may be none.
std::optional<double> take_number(std::string_view& rest) {
  if (rest.find_first_of(number_begins) != 0) return std::nullopt;  // std::from_chars takes "inf"
  double number = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

constexpr std::string_view duration_form = "a duration such as 500ms, 1.5s or 1m30s";

/// Takes a number and its unit from the front of `rest`.
std::pair<double, Unit> take_part(std::string_view& rest, std::string_view text) {
  std::optional<double> number = take_number(rest);
  std::string_view name = rest.substr(0, rest.find_first_of(number_begins));
  rest.remove_prefix(name.size());
  const auto* unit = std::ranges::find(units, name, &Unit::name);
  if (!number || unit == units.end()) refuse_text(text, duration_form);
  return {*number, *unit};
}

}  // namespace

void refuse_text(std::string_view text, std::string_view expected) {
  throw BadText("\"" + std::string(text) + "\" is not " + std::string(expected));
}

Duration parse_duration(std::string_view text) {
  if (text == "0") return Duration{0};
  double ns = 0;
  double smallest_ns = units.back().ns + 1;
  std::string_view rest = text;
  do {
    auto [number, unit] = take_part(rest, text);
    if (unit.ns >= smallest_ns) refuse_text(text, duration_form);
    ns += number * unit.ns;
    smallest_ns = unit.ns;
  } while (!rest.empty());
  if (ns > 9e18) refuse_text(text, "shorter than 285 years");
  return Duration(std::llround(ns));
}

Duration parse_duration_or_seconds(std::string_view text) {
  std::string_view rest = text;
  bool is_number = take_number(rest) && rest.empty();
  return parse_duration(is_number ? std::string(text) + "s" : text);
}

std::string print_duration(Duration duration) {
  if (duration == Duration{0}) return "0";
  auto ns = static_cast<double>(duration.count());
  Unit unit = units[0];
  for (const Unit& candidate : {units[1], units[2], units[3]})
    if (ns >= candidate.ns) unit = candidate;
  std::array<char, 32> digits{};
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), ns / unit.ns).ptr;
  return std::string(digits.data(), end) + std::string(unit.name);
}

double parse_share(std::string_view text) {
  constexpr std::string_view form = "a share of one such as 0.25 or 25%";
  bool percent = text.ends_with('%');
  std::string_view rest = text.substr(0, text.size() - (percent ? 1 : 0));
  std::optional<double> number = take_number(rest);
  if (!number || !rest.empty() || *number > (percent ? 100 : 1)) refuse_text(text, form);
  return percent ? *number / 100 : *number;
}

}  // namespace conch
