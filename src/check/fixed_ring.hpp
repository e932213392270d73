// The overlay of a system that is explored: all its nodes know one another from the beginning, and
// none comes or goes. Each is the root of an equal part of the keys. A message goes round from node
// to node, so that it passes others on its way.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "overlay/routing.hpp"

namespace conch::check {

class FixedRing {
 public:
  /// It has nothing to say.
  struct Nothing {
    CONCH_FIELDS(Nothing)
  };
  using Message = std::variant<Nothing>;
  using Out = overlay::RoutingOutbox<Message>;

  FixedRing(NodeId self, const Assignment& start)
      : self_(self.value), size_(start.members.size()) {}

  void start(Out&) {}
  void join(NodeId, Out&) {}
  void leave(Out&) {}
  void suspect(NodeId, Out&) {}
  void timer(TimerId, Out&) {}
  void receive(NodeId, const Nothing&, Out&) {}

  std::optional<NodeId> next_hop(overlay::Key key) const {
    if (domain()->contains(key)) return std::nullopt;
    return NodeId{(self_ + 1) % size_};
  }
  std::optional<overlay::Arc> domain() const {
    bool last = self_ + 1 == size_;
    std::uint64_t end = last ? ~std::uint64_t{0} : (self_ + 1) * share() - 1;
    return overlay::Arc{overlay::Key{self_ * share()}, overlay::Key{end}};
  }
  std::vector<NodeId> neighbours() const { return {}; }

  /// Of a lock whose replicas are at as many nodes: its name.
  static std::uint64_t evenly_spread(std::size_t nodes) { return ~std::uint64_t{0} / nodes / 2; }

 private:
  std::uint64_t share() const { return ~std::uint64_t{0} / size_; }

  std::uint64_t self_;
  std::uint64_t size_;

 public:
  CONCH_FIELDS(FixedRing, self_, size_)
};

static_assert(overlay::Overlay<FixedRing>);

}  // namespace conch::check
