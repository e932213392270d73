#include "lab/setting.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

std::optional<double> factor_of(std::string_view unit) {
  if (unit.empty()) return 1;
  if (unit == "KiB") return 0x1p10;
  if (unit == "MiB") return 0x1p20;
  if (unit == "GiB") return 0x1p30;
  return std::nullopt;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  std::optional<double> factor = factor_of({rest, end});
  return factor ? std::optional(value * *factor) : std::nullopt;
}

}  // namespace

std::string_view ExperimentOption::usual(Scale scale) const {
  if (scale == Scale::smoke && !smoke.empty()) return smoke;
  return scale != Scale::full && !quick.empty() ? quick : full;
}

std::vector<double> ExperimentOption::parse(std::string_view text) const {
  std::vector<double> values;
  bool is_good = true;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    double value = parse_number(text.substr(begin, end - begin)).value_or(least - 1);
    is_good &= value >= least && value <= most && (!is_whole || value == std::floor(value));
    values.push_back(value);
    begin = end + 1;
  }
  if (!is_good || (values.size() > 1 && !takes_several()))
    throw BadText(fmt::format("--{} \"{}\": use {} from {} to {}{}", name, text,
                              is_whole ? "a whole number" : "a number", least, most,
                              takes_several() ? ", or several, separated by commas" : ""));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace conch::lab
