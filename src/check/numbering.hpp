// Values by number: equal values have equal numbers, and what is numbered stays where it is.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "core/hash.hpp"

namespace conch::check {

template <class T>
class Numbering {
 public:
  std::uint32_t number(const T& value) {
    std::uint64_t hash = hash64(value);
    auto [first, last] = by_hash_.equal_range(hash);
    for (auto each = first; each != last; ++each)
      if (values_[each->second] == value) return each->second;
    auto index = static_cast<std::uint32_t>(values_.size());
    values_.push_back(value);
    by_hash_.emplace(hash, index);
    return index;
  }
  const T& operator[](std::uint32_t index) const { return values_[index]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::deque<T> values_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace conch::check
