#include "lab/figure.hpp"

#include <cmath>

namespace conch::lab {

// Welford's algorithm: no cancellation where values are large and close together.
void Sample::add(double value) {
  ++count_;
  double off = value - mean_;
  mean_ += off / static_cast<double>(count_);
  squares_ += off * (value - mean_);
}

double Sample::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

Datum at(double x, const Sample& sample) { return {x, sample.mean(), sample.deviation()}; }

Series& Figure::at(std::string_view name, Whose whose) {
  for (Series& each : series)
    if (each.name == name && each.whose == whose) return each;
  return series.emplace_back(Series{std::string(name), whose});
}

std::string_view print(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds: return "holds";
    case ClaimVerdict::in_part: return "holds in part";
    case ClaimVerdict::does_not_hold: return "does not hold";
    case ClaimVerdict::not_comparable: return "not comparable";
  }
  return "?";
}

}  // namespace conch::lab
