// The ids of a ring's members, sorted, as those see them who build many tables at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace conch::overlay {

/// A view. It may have an index: for each value of the first bits, the place of the first id that
/// begins with these bits or with greater ones. Ids are spread evenly, so few share an entry.
class RingIds {
 public:
  RingIds(std::span<const NodeId> ids) : ids_(ids) {}
  RingIds(const std::vector<NodeId>& ids) : ids_(ids) {}
  RingIds(std::span<const NodeId> ids, std::span<const std::uint32_t> first, int shift)
      : ids_(ids), first_(first), shift_(shift) {}

  std::span<const NodeId> ids() const { return ids_; }
  std::size_t size() const { return ids_.size(); }
  NodeId operator[](std::size_t place) const { return ids_[place]; }
  std::size_t at_or_after(NodeId id) const {
    if (first_.empty())
      return static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) -
                                      ids_.begin());
    std::size_t place = first_[id.value >> shift_];
    while (place < ids_.size() && ids_[place] < id) ++place;
    return place;
  }

 private:
  std::span<const NodeId> ids_;
  std::span<const std::uint32_t> first_ = {};
  int shift_ = 0;
};

}  // namespace conch::overlay
