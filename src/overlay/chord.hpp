// Chord: a key belongs to the first node at its place or after it, and every hop goes to the last
// known node before the key. So all routes to a key meet at the node before its root.
//
// Source: [Stoica 2001]; see ring_member.hpp for how nodes
// come and go. The successor list is the leaves after a node. There are as many leaves before it,
// so that a root with a new predecessor can send back what is no longer its own. Finger i is the
// first node at 2^i or beyond, if that is nearer than 2^(i+1); regular look-ups, one finger after
// another, keep them right.
#pragma once

#include "overlay/ring_member.hpp"

namespace conch::overlay {

class FingerTable {
 public:
  FingerTable() = default;
  /// From all members, sorted. They determine the fingers; latencies choose nothing.
  FingerTable(const RingIds& members, std::size_t place, const Latency& latency);

  static std::optional<NodeId> hop(NodeId self, bool self_stays, Key key, const LeafSet& leaves,
                                   const FingerTable& table, std::optional<NodeId> except);
  static Arc domain(NodeId self, const LeafSet& leaves);
  static Key key_of_slot(NodeId self, NodeId node);

  /// Does nothing: the members determine the fingers.
  void keep(NodeId, const FingerTable&, std::span<const NodeId>) {}
  bool offer(NodeId self, NodeId node);
  void learn(NodeId, NodeId, Duration) {}
  bool erase(NodeId self, NodeId node);
  bool contains(NodeId self, NodeId node) const;
  /// The fingers of the last node on the path: a newcomer's are nearly the same.
  unsigned collect(NodeId self, NodeId newcomer, unsigned row, std::vector<NodeId>& contacts) const;
  /// Where a finger beyond the leaves begins; another one each turn.
  std::optional<Key> wanted(NodeId self, const LeafSet& leaves, std::uint32_t turn) const;
  const std::vector<NodeId>& nodes() const { return nodes_; }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(NodeId); }

 private:
  std::size_t first_from(NodeId self, Key key) const;

  /// The fingers, in ring order from this node on.
  std::vector<NodeId> nodes_;

 public:
  CONCH_FIELDS(FingerTable, nodes_)
};

using Chord = RingMember<FingerTable>;
extern template class RingMember<FingerTable>;

}  // namespace conch::overlay
