#include "sim/perfect_overlay.hpp"

#include <algorithm>

namespace conch::sim {

using overlay::Key;

void PerfectOverlay::join(NodeId node) {
  auto place = std::lower_bound(members_.begin(), members_.end(), node);
  if (place == members_.end() || *place != node) members_.insert(place, node);
}

void PerfectOverlay::leave(NodeId node) { std::erase(members_, node); }

bool PerfectOverlay::has(NodeId node) const {
  return std::binary_search(members_.begin(), members_.end(), node);
}

NodeId PerfectOverlay::successor(std::uint64_t place) const {
  auto found = std::lower_bound(members_.begin(), members_.end(), NodeId{place});
  return found == members_.end() ? members_.front() : *found;
}

/// How far a node is from being the root.
std::uint64_t PerfectOverlay::distance(NodeId node, Key key) const {
  std::uint64_t place = static_cast<std::uint64_t>(key);
  std::uint64_t ahead = node.value - place, behind = place - node.value;
  return root_ == Root::nearest ? std::min(ahead, behind) : behind;
}

NodeId PerfectOverlay::root(Key key) const {
  NodeId after = successor(static_cast<std::uint64_t>(key));
  if (root_ == Root::successor) return after;
  auto place = std::lower_bound(members_.begin(), members_.end(), after);
  NodeId before = place == members_.begin() ? members_.back() : *(place - 1);
  return distance(before, key) < distance(after, key) ? before : after;
}

std::optional<NodeId> PerfectOverlay::next_hop(NodeId from, Key key) const {
  NodeId root = this->root(key);
  if (root == from) return std::nullopt;
  NodeId best = root;
  std::uint64_t least = distance(from, key);
  bool found = false;
  for (int bit = 58; bit < 64; ++bit) {
    for (std::uint64_t step : {std::uint64_t{1} << bit, ~(std::uint64_t{1} << bit) + 1}) {
      NodeId finger = successor(from.value + step);
      if (finger == from || finger == shunned_ || distance(finger, key) >= least) continue;
      least = distance(finger, key), best = finger, found = true;
    }
  }
  return found ? best : root;
}

std::vector<NodeId> PerfectOverlay::neighbours(NodeId node) const {
  auto size = members_.size();
  auto place = static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), node) -
                                        members_.begin());
  return {members_[(place + size - 1) % size], members_[(place + 1) % size]};
}

std::optional<overlay::Arc> PerfectOverlay::domain(NodeId node) const {
  if (!has(node)) return std::nullopt;
  NodeId before = neighbours(node)[0], after = neighbours(node)[1];
  if (root_ == Root::successor || before == node)
    return overlay::Arc{Key{before.value + 1}, Key{node.value}};
  // If two nodes are equally near, the one behind the key is its root.
  std::uint64_t behind = node.value - before.value, ahead = after.value - node.value;
  return overlay::Arc{Key{before.value + behind / 2 + behind % 2},
                      Key{node.value + (ahead - 1) / 2}};
}

}  // namespace conch::sim
