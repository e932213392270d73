// Pastry: a key belongs to the node nearest to it, and every hop shares another digit with the key,
// or is nearer.
//
// Source: [Rowstron 2001], with b = 4 and a leaf set of 16; see ring_member.hpp for how
// nodes come and go. A slot of the table (so many digits shared, then this one) holds one node: of
// two whose latencies are known the nearer one, else the first. A slot that falls empty is filled
// by asking for the root of a key in it.
#pragma once

#include "overlay/ring_member.hpp"

namespace conch::overlay {

/// One node for each slot, sorted. A slot is an arc, so rows need not be kept.
class PrefixTable {
 public:
  static constexpr int digit_bits = 4;

  PrefixTable() = default;
  /// From all members, sorted. Takes the nearest of a sample of each slot if latencies are known;
  /// else any one, but not the same one at every node.
  PrefixTable(const RingIds& members, std::size_t place, const Latency& latency);

  /// How many digits two places share.
  static int shared_digits(NodeId a, Key b);
  static std::optional<NodeId> hop(NodeId self, bool self_stays, Key key, const LeafSet& leaves,
                                   const PrefixTable& table, std::optional<NodeId> except);
  static Arc domain(NodeId self, const LeafSet& leaves);
  static Key key_of_slot(NodeId self, NodeId node);

  /// Takes over the members that another table has for slots filled here. The members are sorted.
  void keep(NodeId self, const PrefixTable& other, std::span<const NodeId> members);
  bool offer(NodeId self, NodeId node);
  void learn(NodeId self, NodeId node, Duration latency);
  bool erase(NodeId self, NodeId node);
  bool contains(NodeId self, NodeId node) const;
  /// The node known for the slot of the key.
  std::optional<NodeId> find(NodeId self, Key key) const;
  /// Adds the nodes from this row on that a newcomer can use; returns the next row.
  unsigned collect(NodeId self, NodeId newcomer, unsigned row, std::vector<NodeId>& contacts) const;
  /// A key in an empty slot that some node might fill; another slot each turn.
  std::optional<Key> wanted(NodeId self, const LeafSet& leaves, std::uint32_t turn) const;
  const std::vector<NodeId>& nodes() const { return nodes_; }
  /// The memory that it takes beyond its own size.
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t unknown = 0xffff'ffff;
  struct Slot;
  static Slot slot_of(NodeId self, Key key);
  std::size_t first_of(const Slot& slot) const;
  bool is_in(const Slot& slot, std::size_t place) const;
  void set_latency(std::size_t place, std::uint32_t latency_us);

  std::vector<NodeId> nodes_;
  /// The latency of the node at the same index; empty while none is known.
  std::vector<std::uint32_t> latencies_us_;

 public:
  CONCH_FIELDS(PrefixTable, nodes_, latencies_us_)
};

using Pastry = RingMember<PrefixTable>;
extern template class RingMember<PrefixTable>;

}  // namespace conch::overlay
