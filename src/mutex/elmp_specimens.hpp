// ELMP without one of its corrections: each policy decides as the report does.
#pragma once

#include "mutex/elmp_policy.hpp"

namespace conch::elmp {

/// A refused requester does not try again.
class WithoutRetry : public ElmpPolicy {
  void await_retry(TimerId, Duration, Out&) const override {}
};

/// Nodes that were locked before a refusal stay locked.
class WithoutTrackBack : public ElmpPolicy {
  NodeId refused(NodeId, NodeId origin) const override { return origin; }
};

/// The requester's children are lost.
class WithoutHandover : public ElmpPolicy {
  Children handed_over(Children) const override { return {}; }
};

/// A requester that is a child of the root becomes its own child.
class WithoutAdjacency : public ElmpPolicy {
  bool is_adjacent(NodeId, NodeId) const override { return false; }
};

/// An idle root keeps the token.
class WithoutIdleToken : public ElmpPolicy {
  bool passes_on(bool) const override { return false; }
};

/// A child whose parent changed does not repeat its request.
class WithoutAnnouncement : public ElmpPolicy {
  std::optional<Operation> announced(std::optional<Operation>) const override { return {}; }
};

/// The last member waits for neighbours.
class WithoutLastMember : public ElmpPolicy {
  bool is_last(bool) const override { return false; }
};

/// The children of a leaver are not told of their new parent.
class WithoutToldChildren : public ElmpPolicy {
  bool adopts_children() const override { return false; }
};

/// A leaver does not lock its path.
class WithoutLeaveLock : public ElmpPolicy {
  bool locks_path(const Operation& operation) const override {
    return operation.task != Task::leave;
  }
};

/// Newcomers gather at one node.
class WithoutDegree : public ElmpPolicy {
  bool has_room(std::size_t, unsigned) const override { return true; }
};

/// A leaver is replaced from its own subtree.
class WithoutHeaviestLeaf : public ElmpPolicy {
  bool replaces_from_below(bool) const override { return true; }
};

/// The root goes on before its path is unlocked.
class WithoutConfirmation : public ElmpPolicy {
  FlatSet<NodeId> awaited(FlatSet<NodeId>) const override { return {}; }
};

/// A token that overtakes the exchange is not kept.
class WithoutEarlyToken : public ElmpPolicy {
  bool keeps_early_token(bool) const override { return false; }
};

/// A replacement leaf leaves its own request where it is.
class WithoutReplacement : public ElmpPolicy {
  bool takes_back(bool) const override { return false; }
};

/// A weight counts leaves.
class WithoutNodeWeight : public ElmpPolicy {
  std::uint64_t weight(std::uint64_t nodes) const override { return (nodes + 1) / 2; }
};

/// A cancelled waiter stays in the list, and may leave nevertheless.
class WithoutSplicing : public ElmpPolicy {
  bool asks_out() const override { return false; }
  bool is_out_of_list(bool) const override { return true; }
};

}  // namespace conch::elmp
