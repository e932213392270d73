// A seeded generator for tests of the layers below the simulator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace conch {

/// SplitMix64: the same numbers on every machine.
class Dice {
 public:
  explicit constexpr Dice(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t number() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  constexpr std::uint64_t below(std::uint64_t bound) { return number() % bound; }
  constexpr bool percent(std::uint64_t chance) { return below(100) < chance; }
  template <class Sequence>
  constexpr auto one_of(const Sequence& values) {
    return values[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace conch
