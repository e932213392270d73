// Distributions of durations, written as 500ms, exp:500ms, uniform:0..1s or normal:500ms,225ms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/random.hpp"
#include "core/text.hpp"

namespace conch::sim {

class Distribution {
 public:
  enum class Kind : std::uint8_t { constant, exponential, uniform, normal };

  constexpr Distribution() = default;
  static constexpr Distribution constant(Duration value) { return {Kind::constant, value, {}}; }
  static constexpr Distribution exponential(Duration mean) { return {Kind::exponential, mean, {}}; }
  static constexpr Distribution uniform(Duration low, Duration high) {
    return {Kind::uniform, low, high};
  }
  static constexpr Distribution normal(Duration mean, Duration deviation) {
    return {Kind::normal, mean, deviation};
  }
  static Distribution parse(std::string_view text);
  std::string print() const;

  bool is_constant() const { return kind_ == Kind::constant; }
  Duration mean() const;
  /// The largest value that it can draw, if bounded.
  std::optional<Duration> bound() const;
  /// Never negative.
  Duration draw(Random& random) const {
    if (is_constant()) return first_;
    if (kind_ == Kind::uniform) return first_ + scaled(second_ - first_, random.uniform());
    return draw_unbounded(random);
  }

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  Duration draw_unbounded(Random& random) const;
  static Duration scaled(Duration unit, double factor) {
    return Duration(static_cast<std::int64_t>(static_cast<double>(unit.count()) * factor));
  }
  constexpr Distribution(Kind kind, Duration first, Duration second)
      : kind_(kind), first_(first), second_(second) {}

  Kind kind_ = Kind::constant;
  /// The value, the mean, or the low end.
  Duration first_{};
  /// The high end or the deviation.
  Duration second_{};
};

}  // namespace conch::sim
