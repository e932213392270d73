// Arithmetic of ranges of the data, clipped to their size.
#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace conch::dho {

/// How many bytes of a range there are, if the data end at `size`.
constexpr std::uint64_t bytes_in(const Range& range, std::uint64_t size) {
  return std::clamp(size, range.begin, range.end) - range.begin;
}

constexpr Range intersection(const Range& a, const Range& b) {
  std::uint64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// The part of a range from `offset` on, `length` bytes or as many as there are.
constexpr Range slice(const Range& range, std::uint64_t offset, std::uint64_t length) {
  std::uint64_t begin = range.begin + std::min(offset, range.end - range.begin);
  return {begin, begin + std::min(length, range.end - begin)};
}

}  // namespace conch::dho
