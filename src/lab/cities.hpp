// Real cities, and the latency of messages between them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/distribution.hpp"

namespace conch::lab {

/// Coordinates are in degrees; north and east are positive.
struct City {
  std::string_view name;
  double latitude;
  double longitude;
};

/// All cities, ordered so that the first five, and also the first twenty, spread over the
/// continents.
std::span<const City> cities();

double great_circle_km(const City& a, const City& b);

/// One-way latency without jitter: the great circle times `stretch`, at two thirds of the speed of
/// light.
Duration one_way(const City& a, const City& b, double stretch);

/// Latencies of messages between the first `count` cities: `one_way` plus up to a tenth. Within a
/// city they are 0.2 to 0.3 ms, as in a data centre.
std::vector<std::vector<sim::Distribution>> latencies(std::size_t count, double stretch);

}  // namespace conch::lab
