#include "core/random.hpp"

#include <bit>
#include <cmath>

namespace conch {

namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t state = seed ^ (stream * 0xd1342543de82ef95);
  for (std::uint64_t& word : state_) word = split_mix(state);
}

std::uint64_t Random::below(std::uint64_t bound) {
  std::uint64_t threshold = (0 - bound) % bound;  // reject the uneven rest
  for (;;) {
    std::uint64_t number = next();
    if (number >= threshold) return number % bound;
  }
}

double exact_log(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (mantissa > 1.4142135623730951) {
    mantissa /= 2;
    ++exponent;
  }
  // ln m = 2 artanh((m-1)/(m+1)); |t| <= 0.172, so 12 terms reach the last bit.
  double t = (mantissa - 1) / (mantissa + 1);
  double square = t * t;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * 0.6931471805599453 + 2 * t * sum;
}

double Random::exponential() { return -exact_log(1 - uniform()); }

double Random::normal() {
  for (;;) {  // Marsaglia's polar method
    double u = 2 * uniform() - 1;
    double v = 2 * uniform() - 1;
    double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * exact_log(s) / s);
  }
}

}  // namespace conch
