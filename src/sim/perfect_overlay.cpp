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
  std::vector<NodeId> found;
  auto size = static_cast<std::ptrdiff_t>(members_.size());
  auto place = std::lower_bound(members_.begin(), members_.end(), node) - members_.begin();
  for (std::ptrdiff_t step : {-2, -1, 0, 1, 2}) {
    NodeId near = members_[static_cast<std::size_t>((place + step + 2 * size) % size)];
    if (near != node && std::find(found.begin(), found.end(), near) == found.end())
      found.push_back(near);
  }
  return found;
}

}  // namespace conch::sim
