// The world's randomness: seeded, and the same numbers on every machine and in every build. Only
// operations that IEEE 754 defines exactly are used; the standard distributions and libm are not.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace conch {

/// xoshiro256++ (Blackman and Vigna 2019), seeded by SplitMix64.
class Random {
 public:
  /// Streams of one seed are independent: what one purpose draws does not shift another's numbers.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next() {
    std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
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
