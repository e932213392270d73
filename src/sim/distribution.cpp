#include "sim/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace conch::sim {

Distribution Distribution::parse(std::string_view text) {
  auto colon = text.find(':');
  if (colon == std::string_view::npos) return constant(parse_duration(text));
  std::string_view name = text.substr(0, colon);
  std::string_view rest = text.substr(colon + 1);
  if (name == "exp") return exponential(parse_duration(rest));
  if (auto dots = rest.find(".."); name == "uniform" && dots != std::string_view::npos) {
    Duration low = parse_duration(rest.substr(0, dots));
    Duration high = parse_duration(rest.substr(dots + 2));
    if (low > high) refuse_text(text, "a range whose low end comes first");
    return uniform(low, high);
  }
  if (auto comma = rest.find(','); name == "normal" && comma != std::string_view::npos)
    return normal(parse_duration(rest.substr(0, comma)), parse_duration(rest.substr(comma + 1)));
  refuse_text(text, "a distribution: 500ms, exp:500ms, uniform:0..1s or normal:500ms,225ms");
}

std::string Distribution::print() const {
  switch (kind_) {
    case Kind::constant: return print_duration(first_);
    case Kind::exponential: return "exp:" + print_duration(first_);
    case Kind::uniform: return "uniform:" + print_duration(first_) + ".." + print_duration(second_);
    case Kind::normal: return "normal:" + print_duration(first_) + "," + print_duration(second_);
  }
  return "?";
}

Duration Distribution::mean() const {
  return kind_ == Kind::uniform ? (first_ + second_) / 2 : first_;
}

std::optional<Duration> Distribution::bound() const {
  switch (kind_) {
    case Kind::constant: return first_;
    case Kind::uniform: return second_;
    case Kind::exponential:
    case Kind::normal: return {};
  }
  return {};
}

Duration Distribution::draw_unbounded(Random& random) const {
  if (kind_ == Kind::exponential) return scaled(first_, random.exponential());
  return std::max(Duration{0}, first_ + scaled(second_, random.normal()));
}

}  // namespace conch::sim
