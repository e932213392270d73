// An overlay whose tables are right at once: all nodes know the members, and every node has its
// neighbours and fingers. Protocols are tried over this one first.
#pragma once

#include <optional>
#include <vector>

#include "overlay/routing.hpp"

namespace conch::sim {

class PerfectOverlay {
 public:
  /// Which node is the root of a key.
  enum class Root : std::uint8_t {
    nearest,    // as in Pastry
    successor,  // as in Chord
  };

  explicit PerfectOverlay(Root root) : root_(root) {}

  void join(NodeId node);
  void leave(NodeId node);
  bool has(NodeId node) const;
  /// No route leads through this node any more, but it stays the root of its keys.
  void shun(NodeId node) { shunned_ = node; }
  const std::vector<NodeId>& members() const { return members_; }
  NodeId root(overlay::Key key) const;
  /// Nothing if `from` is the root.
  std::optional<NodeId> next_hop(NodeId from, overlay::Key key) const;
  /// The keys whose root a member is.
  std::optional<overlay::Arc> domain(NodeId node) const;
  /// One on each side.
  std::vector<NodeId> neighbours(NodeId node) const;

 private:
  std::uint64_t distance(NodeId node, overlay::Key key) const;
  NodeId successor(std::uint64_t place) const;

  Root root_;
  /// In the order of the ring.
  std::vector<NodeId> members_;
  std::optional<NodeId> shunned_;
};

}  // namespace conch::sim
