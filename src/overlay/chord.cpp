#include "overlay/chord.hpp"

#include <bit>

#include "overlay/ring_member_steps.hpp"

namespace conch::overlay {

template class RingMember<FingerTable>;
static_assert(Overlay<Chord>);

namespace {

/// Which finger a node could be. Precondition: it is not this node itself.
int finger(NodeId self, NodeId node) {
  return static_cast<int>(std::bit_width(distance(key_of(self), key_of(node)))) - 1;
}

Key start_of(NodeId self, int finger) { return Key{self.value + (std::uint64_t{1} << finger)}; }

std::optional<NodeId> first_but(const LeafSet::Side& side, std::optional<NodeId> except) {
  for (NodeId node : side)
    if (node != except) return node;
  return std::nullopt;
}

/// The node before us that is the root of the key, if that is certain.
std::optional<NodeId> root_before(NodeId self, Key key, const LeafSet& leaves,
                                  std::optional<NodeId> except) {
  auto is_at_or_after = [&](NodeId node) {
    return distance(key_of(node), key_of(self)) <= distance(key, key_of(self));
  };
  std::optional<NodeId> root;
  for (NodeId node : leaves.before()) {
    if (node == except) continue;
    if (!is_at_or_after(node)) return root;
    root = node;
  }
  return std::nullopt;
}

}  // namespace

FingerTable::FingerTable(const RingIds& members, std::size_t place, const Latency&) {
  NodeId self = members[place];
  NodeId successor = members[(place + 1) % members.size()];
  for (int i = 63; i >= 0 && successor != self; --i) {
    NodeId start{static_cast<std::uint64_t>(start_of(self, i))};
    NodeId node = members[members.at_or_after(start) % members.size()];
    if (node != self && finger(self, node) == i) nodes_.push_back(node);
    if (node == successor) break;
  }
  std::reverse(nodes_.begin(), nodes_.end());
  nodes_.shrink_to_fit();
}

/// The first finger at the key or after it.
std::size_t FingerTable::first_from(NodeId self, Key key) const {
  auto place = std::partition_point(nodes_.begin(), nodes_.end(), [&](NodeId node) {
    return distance(key_of(self), key_of(node)) < distance(key_of(self), key);
  });
  return static_cast<std::size_t>(place - nodes_.begin());
}

// Routing.

std::optional<NodeId> FingerTable::hop(NodeId self, bool self_stays, Key key, const LeafSet& leaves,
                                       const FingerTable& table, std::optional<NodeId> except) {
  auto before_key = [&](NodeId node) {
    return node != except && distance(key_of(self), key_of(node)) < distance(key_of(self), key);
  };
  std::optional<NodeId> predecessor = first_but(leaves.before(), except);
  std::optional<NodeId> successor = first_but(leaves.after(), except);
  if (!predecessor || !successor) return std::nullopt;
  bool ours = distance(key, key_of(self)) < distance(key_of(*predecessor), key_of(self));
  if (ours) return self_stays ? std::nullopt : successor;
  if (std::optional<NodeId> root = root_before(self, key, leaves, except)) return root;

  std::optional<NodeId> best = successor;
  auto further = [&](NodeId node) {
    bool is = distance(key_of(self), key_of(node)) > distance(key_of(self), key_of(*best));
    if (is && before_key(node)) best = node;
  };
  for (NodeId node : leaves.after()) further(node);
  if (!self_stays) return best;  // a leaver is not told whether its fingers are still there
  for (std::size_t i = table.first_from(self, key); i-- > 0;) {
    if (table.nodes_[i] == except) continue;
    further(table.nodes_[i]);
    break;
  }
  return best;
}

Arc FingerTable::domain(NodeId self, const LeafSet& leaves) {
  return {Key{leaves.before().front().value + 1}, key_of(self)};
}

// Upkeep.

bool FingerTable::contains(NodeId self, NodeId node) const {
  std::size_t place = first_from(self, key_of(node));
  return place < nodes_.size() && nodes_[place] == node;
}

bool FingerTable::offer(NodeId self, NodeId node) {
  if (node == self || contains(self, node)) return false;
  std::size_t place = first_from(self, key_of(node));
  bool is_worse = place > 0 && finger(self, nodes_[place - 1]) == finger(self, node);
  if (is_worse) return false;
  if (place < nodes_.size() && finger(self, nodes_[place]) == finger(self, node)) {
    nodes_[place] = node;
  } else {
    nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(place), node);
  }
  return true;
}

bool FingerTable::erase(NodeId self, NodeId node) {
  if (!contains(self, node)) return false;
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(first_from(self, key_of(node))));
  return true;
}

Key FingerTable::key_of_slot(NodeId self, NodeId node) {
  return start_of(self, finger(self, node));
}

unsigned FingerTable::collect(NodeId self, NodeId newcomer, unsigned row,
                              std::vector<NodeId>& contacts) const {
  contacts = nodes_;
  std::erase(contacts, newcomer);
  contacts.push_back(self);
  return row;
}

std::optional<Key> FingerTable::wanted(NodeId self, const LeafSet& leaves,
                                       std::uint32_t turn) const {
  if (leaves.empty()) return std::nullopt;
  int beyond = finger(self, leaves.after().back()) + 1;
  if (beyond > 63) return std::nullopt;
  int count = 64 - beyond;
  return start_of(self, 63 - static_cast<int>(turn % static_cast<unsigned>(count)));
}

}  // namespace conch::overlay
