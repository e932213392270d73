#include "overlay/leaf_set.hpp"

#include <functional>

namespace conch::overlay {

void LeafSet::Side::insert(std::size_t place, NodeId node) {
  if (full()) --count_;
  std::copy_backward(nodes_.begin() + place, nodes_.begin() + count_, nodes_.begin() + count_ + 1);
  nodes_[place] = node;
  ++count_;
}

bool LeafSet::Side::erase(NodeId node) {
  auto found = std::find(nodes_.begin(), nodes_.begin() + count_, node);
  if (found == nodes_.begin() + count_) return false;
  std::copy(found + 1, nodes_.begin() + count_, found);
  nodes_[--count_] = NodeId{};  // sides are compared whole
  return true;
}

LeafSet::LeafSet(std::span<const NodeId> members, std::size_t place) : self_(members[place]) {
  std::size_t others = std::min(side_max, members.size() - 1);
  for (std::size_t i = 1; i <= others; ++i) {
    after_.insert(i - 1, members[(place + i) % members.size()]);
    before_.insert(i - 1, members[(place + members.size() - i) % members.size()]);
  }
}

std::size_t LeafSet::place_after(NodeId node) const {
  std::size_t place = 0;
  while (place < after_.size() && up_to(after_[place]) < up_to(node)) ++place;
  return place;
}

std::size_t LeafSet::place_before(NodeId node) const {
  std::size_t place = 0;
  while (place < before_.size() && back_to(before_[place]) < back_to(node)) ++place;
  return place;
}

/// A side takes a node that is nearer than its last. If it has room, it also takes one behind its
/// last, unless that is nearer the other way round and the opposite side would take it.
bool LeafSet::belongs(const Side& side, std::size_t place, bool rather_opposite) {
  return place < side.size() || side.empty() || (!side.full() && !rather_opposite);
}

bool LeafSet::belongs_after(NodeId node) const {
  bool rather_before = back_to(node) < up_to(node) && place_before(node) < side_max;
  return !after_.contains(node) && belongs(after_, place_after(node), rather_before);
}

bool LeafSet::belongs_before(NodeId node) const {
  bool rather_after = up_to(node) < back_to(node) && place_after(node) < side_max;
  return !before_.contains(node) && belongs(before_, place_before(node), rather_after);
}

bool LeafSet::would_take(NodeId node) const {
  if (after_.full() && before_.full()) {
    bool near = up_to(node) < up_to(after_.back()) || back_to(node) < back_to(before_.back());
    return near && node != self_ && !contains(node);
  }
  return node != self_ && !contains(node) && (belongs_after(node) || belongs_before(node));
}

bool LeafSet::insert(NodeId node) {
  if (!would_take(node)) return false;
  bool goes_before = belongs_before(node);
  if (belongs_after(node)) after_.insert(place_after(node), node);
  if (goes_before) before_.insert(place_before(node), node);
  return true;
}

bool LeafSet::erase(NodeId node) {
  bool was_after = after_.erase(node);
  bool was_before = before_.erase(node);
  if (after_.empty() || before_.empty()) close();
  return was_after || was_before;
}

void LeafSet::close() {
  for (NodeId node : nodes()) {
    std::size_t place = place_after(node);
    if (place < side_max && !after_.contains(node)) after_.insert(place, node);
    place = place_before(node);
    if (place < side_max && !before_.contains(node)) before_.insert(place, node);
  }
}

bool LeafSet::covers(Key key) const {
  if (empty()) return false;
  return meets_itself() || distance(key_of(self_), key) <= up_to(after_.back()) ||
         distance(key, key_of(self_)) <= back_to(before_.back());
}

std::optional<NodeId> LeafSet::nearest(Key key, std::optional<NodeId> except) const {
  std::optional<NodeId> best;
  for (const Side* side : {&after_, &before_})
    for (NodeId node : *side)
      if (node != except && (!best || nearer(key, node, *best))) best = node;
  return best;
}

std::vector<NodeId> LeafSet::nodes() const {
  std::vector<NodeId> all(before_.size() + after_.size());
  std::copy(after_.begin(), after_.end(),
            std::reverse_copy(before_.begin(), before_.end(), all.begin()));
  // That is once round the ring, unless the sides overlap.
  auto rise = std::is_sorted_until(all.begin(), all.end(), std::less_equal<>());
  bool once = rise == all.end() ||
              (all.back() < all.front() && std::is_sorted(rise, all.end(), std::less_equal<>()));
  if (once) return std::rotate(all.begin(), rise, all.end()), all;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace conch::overlay
