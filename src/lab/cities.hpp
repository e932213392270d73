// Real cities, and how long a message takes between them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/distribution.hpp"

namespace conch::lab {

/// Degrees, north and east positive.
struct City {
  std::string_view name;
  double latitude;
  double longitude;
};

/// The first few are spread over the continents, and so are the first twenty.
std::span<const City> cities();

double great_circle_km(const City& a, const City& b);

/// One way, without jitter: the great circle, stretched, at two thirds of the speed of light.
Duration one_way(const City& a, const City& b, double stretch);

/// Of messages between the first so many cities, and within each: up to a tenth longer than
/// `one_way` between them, and 0.2 to 0.3 ms within, as in a data centre.
std::vector<std::vector<sim::Distribution>> latencies(std::size_t count, double stretch);

}  // namespace conch::lab
