// Hashing by field list. The walk is separate from the function, so that the checker can use 128
// bits where a trace needs 64.
#pragma once

#include <bit>

#include "core/kinds.hpp"

namespace conch {

/// 64 bits, the same on every machine and in every build.
class Hash64 {
 public:
  constexpr void mix(std::uint64_t number) {
    state_ = (state_ ^ number) * 0x9fb21c651e98df25;
    state_ ^= state_ >> 32;
  }
  constexpr std::uint64_t value() const {
    std::uint64_t hash = state_ * 0xd6e8feb86659fd93;
    return hash ^ (hash >> 29);
  }

 private:
  std::uint64_t state_ = 0x2545f4914f6cdd1d;
};

template <class Hasher, class T>
constexpr void hash_into(Hasher& hasher, const T& value) {
  if constexpr (Number<T>) {
    hasher.mix(to_number(value));
  } else if constexpr (Maybe<T>) {
    hasher.mix(value.has_value());
    if (value) hash_into(hasher, *value);
  } else if constexpr (Choice<T>) {
    hasher.mix(value.index());
    std::visit([&](const auto& chosen) { hash_into(hasher, chosen); }, value);
  } else if constexpr (Pair<T>) {
    hash_into(hasher, value.first);
    hash_into(hasher, value.second);
  } else if constexpr (HasFields<T>) {
    visit_fields(value, [&](std::string_view, const auto& field) { hash_into(hasher, field); });
  } else {
    hasher.mix(std::ranges::size(value));
    for (const auto& element : value) hash_into(hasher, element);
  }
}

template <class T>
constexpr std::uint64_t hash64(const T& value) {
  Hash64 hasher;
  hash_into(hasher, value);
  return hasher.value();
}

}  // namespace conch
