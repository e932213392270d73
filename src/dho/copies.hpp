// The data that a handle must keep, because they are nowhere else for all it knows.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

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

class Copies {
 public:
  struct Copy {
    Range range;
    std::uint64_t version = 0;
    std::uint64_t size = 0;
    CONCH_FIELDS(Copy, range, version, size)
  };

  bool empty() const { return copies_.empty(); }
  const Copy& front() const { return copies_.front(); }
  /// Whether anything of the range is kept that is newer than this version.
  bool touch(const Range& range, std::uint64_t version = 0) const {
    return std::any_of(copies_.begin(), copies_.end(), [&](const Copy& copy) {
      return copy.version > version && copy.range.overlaps(range);
    });
  }
  /// Whether every byte of the range is here, as its last writer left it.
  bool have(const Range& range, const DataRef& data) const {
    std::uint64_t found = 0;
    for (const Copy& copy : copies_)
      if (copy.version == data.version)
        found += bytes_in(intersection(copy.range, range), data.size);
    return found == bytes_in(range, data.size);
  }

  /// In place of whatever was kept of the range. Nothing is kept of nothing.
  void keep(const Range& range, const DataRef& data) {
    drop(range, data.version);
    put({range, data.version, data.size});
  }
  /// Versions up to this one, or all of them, need not be kept any more in the range.
  void drop(const Range& range, std::uint64_t version = std::numeric_limits<std::uint64_t>::max()) {
    for (const Copy& copy : std::exchange(copies_, {})) {
      if (copy.version > version || !copy.range.overlaps(range)) {
        put(copy);
        continue;
      }
      put({{copy.range.begin, std::max(copy.range.begin, range.begin)}, copy.version, copy.size});
      put({{std::min(copy.range.end, range.end), copy.range.end}, copy.version, copy.size});
    }
  }
  void clear() { copies_.clear(); }

 private:
  void put(const Copy& copy) {
    if (bytes_in(copy.range, copy.size) > 0) copies_.push_back(copy);
  }

  std::vector<Copy> copies_;

 public:
  CONCH_FIELDS(Copies, copies_)
};

}  // namespace conch::dho
