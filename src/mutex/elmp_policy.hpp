// The points where ELMP departs from [Hernane 2015], which does not run as printed.
// docs/corrections.md lists its faults.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/flat_set.hpp"
#include "mutex/elmp_messages.hpp"

namespace conch::elmp {

class ElmpPolicy : public Policy {
 public:
  using Children = std::vector<Child>;

  // Operations.
  /// Whether the operation locks its path before it changes the tree.
  virtual bool locks_path(const Operation&) const { return true; }
  /// The node that REFUSE goes to: the child, so that the whole path hears, from the top.
  virtual NodeId refused(NodeId child, NodeId /*origin*/) const { return child; }
  /// A refused requester tries again after `about`, give or take a half.
  virtual void await_retry(TimerId timer, Duration about, Out& out) const {
    out.arm(timer, about / 2, about + about / 2);
  }

  // Changing places.
  /// Whether the requester is a child of the root; it must not become its own child.
  virtual bool is_adjacent(NodeId parent, NodeId root) const { return parent == root; }
  /// The children that the requester hands over to the old root.
  virtual Children handed_over(Children children) const { return children; }
  /// The nodes that must answer before the new root goes on.
  virtual FlatSet<NodeId> awaited(FlatSet<NodeId> unconfirmed) const { return unconfirmed; }
  /// The waiting operation that a child repeats to its new parent.
  virtual std::optional<Operation> announced(std::optional<Operation> waiting) const {
    return waiting;
  }

  // Joining and leaving.
  /// The weight of a subtree: its nodes, not its leaves.
  virtual std::uint64_t weight(std::uint64_t nodes) const { return nodes; }
  /// Whether a newcomer goes below this node rather than farther down.
  virtual bool has_room(std::size_t children, unsigned order) const { return children < order; }
  /// Whether a leaver is replaced from its own subtree, not from the heaviest one.
  virtual bool replaces_from_below(bool is_lazy) const { return is_lazy; }
  /// Whether a replacement first recalls the operation that it waits for.
  virtual bool takes_back(bool is_waiting) const { return is_waiting; }
  /// Whether a replacement tells the leaver's children that it is their parent.
  virtual bool adopts_children() const { return true; }
  /// Whether no other node is left to wait for.
  virtual bool is_last(bool others_on_roster) const { return !others_on_roster; }
  /// Whether a leaver may go: it has no place in the list any more.
  virtual bool is_out_of_list(bool has_no_place) const { return has_no_place; }

  // The list.
  /// Whether a place keeps a token that came before the place was given.
  virtual bool keeps_early_token(bool token) const { return token; }
  /// Whether a place whose request is over passes the token on.
  virtual bool passes_on(bool token) const { return token; }
  /// Whether a place whose request is over asks to be taken out.
  virtual bool asks_out() const { return true; }
};

}  // namespace conch::elmp
