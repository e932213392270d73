// Finds a node's number in a world by its place on the ring. The places are random, so the first
// bits of one tell roughly its rank among all.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

class RingIndex {
 public:
  RingIndex() = default;
  /// There is at least one member.
  explicit RingIndex(std::vector<std::pair<NodeId, Node>> members) {
    std::sort(members.begin(), members.end());
    for (auto [id, node] : members) ids_.push_back(id), nodes_.push_back(node);
    shift_ = 64 - std::max(1, static_cast<int>(std::bit_width(ids_.size())));
    first_.resize((std::size_t{1} << (64 - shift_)) + 1);
    std::size_t place = 0;
    for (std::size_t bucket = 0; bucket < first_.size(); ++bucket) {
      while (place < ids_.size() && ids_[place].value >> shift_ < bucket) ++place;
      first_[bucket] = static_cast<std::uint32_t>(place);
    }
  }

  /// Sorted.
  std::span<const NodeId> ids() const { return ids_; }
  /// In the order of their ids.
  const std::vector<Node>& nodes() const { return nodes_; }
  std::optional<Node> find(NodeId id) const {
    std::size_t place = at_or_after(id);
    if (place == ids_.size() || ids_[place] != id) return std::nullopt;
    return nodes_[place];
  }
  /// The first at this place or after it.
  Node successor(NodeId id) const { return nodes_[at_or_after(id) % ids_.size()]; }

 private:
  std::size_t at_or_after(NodeId id) const {
    std::size_t place = first_[id.value >> shift_];
    while (place < ids_.size() && ids_[place] < id) ++place;
    return place;
  }

  std::vector<NodeId> ids_;
  std::vector<Node> nodes_;
  int shift_ = 63;
  /// By first bits: the first member that has these or greater ones.
  std::vector<std::uint32_t> first_;
};

}  // namespace conch::sim
