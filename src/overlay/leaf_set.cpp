#include "overlay/leaf_set.hpp"

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

bool LeafSet::would_take(NodeId node) const {
  if (node == self_ || contains(node)) return false;
  return place_after(node) < side_max || place_before(node) < side_max;
}

bool LeafSet::insert(NodeId node) {
  if (!would_take(node)) return false;
  if (std::size_t place = place_after(node); place < side_max) after_.insert(place, node);
  if (std::size_t place = place_before(node); place < side_max) before_.insert(place, node);
  return true;
}

bool LeafSet::erase(NodeId node) {
  bool small_ring = !empty() && meets_itself();
  bool was_after = after_.erase(node);
  bool was_before = before_.erase(node);
  if (!small_ring) return was_after || was_before;
  // The other side knows who comes next on this one.
  auto refill = [&](Side& side, const Side& other, auto place_of) {
    for (NodeId each : other) {
      std::size_t place = (this->*place_of)(each);
      if (place < side_max && !side.contains(each)) side.insert(place, each);
    }
  };
  if (was_after) refill(after_, before_, &LeafSet::place_after);
  if (was_before) refill(before_, after_, &LeafSet::place_before);
  return was_after || was_before;
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
  std::vector<NodeId> all(before_.begin(), before_.end());
  all.insert(all.end(), after_.begin(), after_.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace conch::overlay
