// The world's randomness: seeded, and the same numbers on every machine and in every build. Only
// operations that IEEE 754 defines exactly are used; the standard distributions and libm are not.
#pragma once

#include <array>
#include <cstdint>

namespace conch {

/// xoshiro256++ (Blackman and Vigna 2019), seeded by SplitMix64.
class Random {
 public:
  /// Streams of one seed are independent: what one purpose draws does not shift another's numbers.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  /// In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// In [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  bool chance(double probability) { return probability > 0 && uniform() < probability; }
  /// Mean 1.
  double exponential();
  /// Mean 0, deviation 1.
  double normal();

 private:
  std::array<std::uint64_t, 4> state_;
};

/// The natural logarithm of x > 0 to full precision, from exact operations only.
double exact_log(double x);

}  // namespace conch
