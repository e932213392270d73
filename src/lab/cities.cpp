#include "lab/cities.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <numbers>

namespace conch::lab {

namespace {

using namespace std::chrono_literals;

/// Public geographic coordinates, rounded to a tenth of a degree: the error is at most 8 km, or 0.1
/// ms.
constexpr std::array table{
    City{"Frankfurt", 50.1, 8.7},
    City{"New York", 40.7, -74.0},
    City{"Tokyo", 35.7, 139.7},
    City{"Sao Paulo", -23.6, -46.6},
    City{"Sydney", -33.9, 151.2},
    City{"London", 51.5, -0.1},
    City{"San Francisco", 37.8, -122.4},
    City{"Singapore", 1.4, 103.8},
    City{"Mumbai", 19.1, 72.9},
    City{"Johannesburg", -26.2, 28.0},
    City{"Paris", 48.9, 2.4},
    City{"Chicago", 41.9, -87.6},
    City{"Hong Kong", 22.3, 114.2},
    City{"Dubai", 25.2, 55.3},
    City{"Toronto", 43.7, -79.4},
    City{"Seoul", 37.6, 127.0},
    City{"Stockholm", 59.3, 18.1},
    City{"Lagos", 6.5, 3.4},
    City{"Santiago", -33.4, -70.7},
    City{"Dallas", 32.8, -96.8},
    City{"Amsterdam", 52.4, 4.9},
    City{"Madrid", 40.4, -3.7},
    City{"Milan", 45.5, 9.2},
    City{"Warsaw", 52.2, 21.0},
    City{"Dublin", 53.3, -6.3},
    City{"Helsinki", 60.2, 24.9},
    City{"Istanbul", 41.0, 29.0},
    City{"Athens", 38.0, 23.7},
    City{"Bucharest", 44.4, 26.1},
    City{"Zurich", 47.4, 8.5},
    City{"Vienna", 48.2, 16.4},
    City{"Lisbon", 38.7, -9.1},
    City{"Los Angeles", 34.1, -118.2},
    City{"Seattle", 47.6, -122.3},
    City{"Miami", 25.8, -80.2},
    City{"Atlanta", 33.7, -84.4},
    City{"Denver", 39.7, -105.0},
    City{"Washington", 38.9, -77.0},
    City{"Mexico City", 19.4, -99.1},
    City{"Bogota", 4.7, -74.1},
    City{"Lima", -12.0, -77.0},
    City{"Buenos Aires", -34.6, -58.4},
    City{"Nairobi", -1.3, 36.8},
    City{"Cairo", 30.0, 31.2},
    City{"Cape Town", -33.9, 18.4},
    City{"Osaka", 34.7, 135.5},
    City{"Taipei", 25.0, 121.6},
    City{"Bangkok", 13.8, 100.5},
    City{"Jakarta", -6.2, 106.8},
    City{"Melbourne", -37.8, 145.0},
    City{"Delhi", 28.6, 77.2},
    City{"Auckland", -36.8, 174.8},
};

constexpr double earth_radius_km = 6371;
constexpr double light_km_per_s = 299'792.458;
constexpr double jitter = 0.1;

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

}  // namespace

std::span<const City> cities() { return table; }

double great_circle_km(const City& a, const City& b) {
  double north = std::sin(radians(b.latitude - a.latitude) / 2);
  double east = std::sin(radians(b.longitude - a.longitude) / 2);
  double haversine =
      north * north + std::cos(radians(a.latitude)) * std::cos(radians(b.latitude)) * east * east;
  return 2 * earth_radius_km * std::asin(std::sqrt(haversine));
}

Duration one_way(const City& a, const City& b, double stretch) {
  double s = stretch * great_circle_km(a, b) / (light_km_per_s * 2 / 3);
  // Rounded to microseconds: the functions above may differ in their last bits between machines.
  return std::chrono::microseconds(std::llround(1e6 * s));
}

std::vector<std::vector<sim::Distribution>> latencies(std::size_t count, double stretch) {
  std::vector<std::vector<sim::Distribution>> result(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      Duration least = one_way(table[i], table[j], stretch);
      Duration most = least + Duration(std::llround(jitter * static_cast<double>(least.count())));
      result[i].push_back(i == j ? sim::Distribution::uniform(200us, 300us)
                                 : sim::Distribution::uniform(least, most));
    }
  return result;
}

}  // namespace conch::lab
