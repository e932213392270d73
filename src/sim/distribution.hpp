// Durations and distributions as one writes them: 500ms, exp:500ms, uniform:0..1s,
// normal:500ms,225ms.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "sim/random.hpp"

namespace conch::sim {

/// A text that is not what it should be; the message says what was expected.
class BadText : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// `500ms`, `1.5s`, `20us`, `100ns`, `2m`, `1h30m`, and `0`: larger units first, each once.
Duration parse_duration(std::string_view text);
/// The same, and seconds where there is no unit: `3`. For commands whose durations are a person's;
/// those of a simulation are mostly milliseconds, so there a missing unit is an error.
Duration parse_duration_or_seconds(std::string_view text);
/// The shortest of those: 1500000 ns is 1.5ms.
std::string print_duration(Duration duration);
/// A share of one: `0.25` or `25%`.
double parse_share(std::string_view text);

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
  /// The largest it draws, if there is one.
  std::optional<Duration> bound() const;
  /// Never negative.
  Duration draw(Random& random) const;

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  constexpr Distribution(Kind kind, Duration first, Duration second)
      : kind_(kind), first_(first), second_(second) {}

  Kind kind_ = Kind::constant;
  /// The value, the mean, or the low end.
  Duration first_{};
  /// The high end or the deviation.
  Duration second_{};
};

}  // namespace conch::sim
