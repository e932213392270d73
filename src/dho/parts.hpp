// Parts of data that end somewhere.
#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace conch::dho {

/// How many bytes of data that end at `size` are in a range.
constexpr std::uint64_t bytes_in(const Range& range, std::uint64_t size) {
  return std::clamp(size, range.begin, range.end) - range.begin;
}

constexpr Range intersection(const Range& a, const Range& b) {
  std::uint64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// The bytes from `offset` on in a range, so many of them or as many as there are.
constexpr Range slice(const Range& range, std::uint64_t offset, std::uint64_t length) {
  std::uint64_t begin = range.begin + std::min(offset, range.end - range.begin);
  return {begin, begin + std::min(length, range.end - begin)};
}

}  // namespace conch::dho
