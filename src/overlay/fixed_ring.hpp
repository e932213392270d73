// The overlay of a system that is explored or scripted: its nodes are 0 .. N-1 in the order of the
// ring, and none comes or goes. Each is the root of an equal part of the keys. A message passes
// other nodes on its way, even where there are few.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <variant>
#include <vector>

#include "overlay/routing.hpp"

namespace conch::overlay {

/// A message goes round from node to node.
class FixedRing {
 public:
  /// This overlay sends no messages.
  struct Nothing {
    CONCH_FIELDS(Nothing)
  };
  using Message = std::variant<Nothing>;
  using Out = Outbox<Message>;

  FixedRing(NodeId self, const Assignment& start)
      : self_(self.value), size_(start.members.size()) {}

  void start(Out&) {}
  void join(NodeId, Out&) {}
  void leave(Out&) {}
  void suspect(NodeId, Out&) {}
  void timer(TimerId, Out&) {}
  void receive(NodeId, const Nothing&, Out&) {}

  std::optional<NodeId> next_hop(Key key) const {
    if (domain()->contains(key)) return std::nullopt;
    return ahead(1);
  }
  std::optional<Arc> domain() const {
    bool last = self_ + 1 == size_;
    std::uint64_t end = last ? ~std::uint64_t{0} : (self_ + 1) * share(size_) - 1;
    return Arc{Key{self_ * share(size_)}, Key{end}};
  }
  std::vector<NodeId> neighbours() const { return {}; }
  bool stays() const { return true; }

  /// The name of a lock whose first replica is at this node, in the middle of its keys. With as
  /// many replicas as nodes, each node has one.
  static std::uint64_t name_at(std::uint64_t node, std::size_t nodes) {
    return node * share(nodes) + share(nodes) / 2;
  }

 protected:
  NodeId ahead(std::uint64_t places) const { return NodeId{(self_ + places) % size_}; }
  /// How many places ahead the root is.
  std::uint64_t places_to(Key key) const {
    std::uint64_t root = std::min(static_cast<std::uint64_t>(key) / share(size_), size_ - 1);
    return (root + size_ - self_) % size_;
  }

 private:
  static std::uint64_t share(std::uint64_t nodes) { return ~std::uint64_t{0} / nodes; }

  std::uint64_t self_;
  std::uint64_t size_;

 public:
  CONCH_FIELDS(FixedRing, self_, size_)
};

static_assert(Overlay<FixedRing>);

/// A node knows the nodes 1, 2, 4, 8 and so on places ahead, as in Chord. A hop goes as far as it
/// can.
class FingerRing : public FixedRing {
 public:
  using FixedRing::FixedRing;

  std::optional<NodeId> next_hop(Key key) const {
    std::uint64_t places = places_to(key);
    if (places == 0) return std::nullopt;
    return ahead(std::bit_floor(places));
  }
};

static_assert(Overlay<FingerRing>);

}  // namespace conch::overlay
