// Finds a node's number in a world by its place on the ring. The places are random, so the first
// bits of one tell roughly its rank among all.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "overlay/ring_ids.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

class RingIndex {
 public:
  RingIndex() = default;
  /// There is at least one member.
  explicit RingIndex(std::vector<std::pair<NodeId, Node>> members) : members_(std::move(members)) {
    if (!std::is_sorted(members_.begin(), members_.end()))
      std::sort(members_.begin(), members_.end());
    for (auto [id, node] : members_) ids_.push_back(id);
    shift_ = 64 - std::max(1, static_cast<int>(std::bit_width(ids_.size())));
    first_.resize((std::size_t{1} << (64 - shift_)) + 1);
    std::size_t place = 0;
    for (std::size_t bucket = 0; bucket < first_.size(); ++bucket) {
      while (place < ids_.size() && ids_[place].value >> shift_ < bucket) ++place;
      first_[bucket] = static_cast<std::uint32_t>(place);
    }
  }

  std::size_t size() const { return members_.size(); }
  overlay::RingIds ids() const { return {ids_, first_, shift_}; }
  /// The one at this place in the order of the ids.
  Node operator[](std::size_t place) const { return members_[place].second; }
  std::optional<Node> find(NodeId id) const {
    std::size_t place = at_or_after(id);
    if (place == size() || members_[place].first != id) return std::nullopt;
    return members_[place].second;
  }
  /// The first at this place or after it.
  Node successor(NodeId id) const { return members_[at_or_after(id) % size()].second; }

 private:
  std::size_t at_or_after(NodeId id) const {
    std::size_t place = first_[id.value >> shift_];
    while (place < size() && members_[place].first < id) ++place;
    return place;
  }

  /// Sorted; the ids once more, without their numbers.
  std::vector<std::pair<NodeId, Node>> members_;
  std::vector<NodeId> ids_;
  /// By first bits: the place of the first member that has these or greater ones.
  std::vector<std::uint32_t> first_;
  int shift_ = 63;
};

}  // namespace conch::sim
