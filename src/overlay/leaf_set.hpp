// The nodes next to this one on the ring, so many on either side. In a small ring, one may be on
// both.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "overlay/routing.hpp"

namespace conch::overlay {

/// Whether a is nearer to the key than b, either way round. Of two that are as near, the one before
/// the key counts as nearer.
constexpr bool nearer(Key key, NodeId a, NodeId b) {
  std::uint64_t a_before = distance(key_of(a), key);
  std::uint64_t b_before = distance(key_of(b), key);
  std::uint64_t a_far = std::min(a_before, distance(key, key_of(a)));
  std::uint64_t b_far = std::min(b_before, distance(key, key_of(b)));
  return a_far != b_far ? a_far < b_far : a_before < b_before;
}

class LeafSet {
 public:
  /// L / 2.
  static constexpr std::size_t side_max = 8;

  /// One side, nearest first.
  class Side {
   public:
    auto begin() const { return nodes_.begin(); }
    auto end() const { return nodes_.begin() + count_; }
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    bool full() const { return count_ == side_max; }
    NodeId front() const { return nodes_.front(); }
    NodeId back() const { return nodes_[count_ - 1u]; }
    NodeId operator[](std::size_t i) const { return nodes_[i]; }
    bool contains(NodeId node) const { return std::find(begin(), end(), node) != end(); }
    friend bool operator==(const Side&, const Side&) = default;

   private:
    friend class LeafSet;
    void insert(std::size_t place, NodeId node);
    bool erase(NodeId node);

    std::array<NodeId, side_max> nodes_ = {};
    std::uint8_t count_ = 0;
  };

  explicit LeafSet(NodeId self) : self_(self) {}
  /// From all members, sorted, of which this is the one at `place`.
  LeafSet(std::span<const NodeId> members, std::size_t place);

  const Side& before() const { return before_; }
  const Side& after() const { return after_; }
  bool empty() const { return after_.empty(); }
  bool contains(NodeId node) const { return after_.contains(node) || before_.contains(node); }
  bool would_take(NodeId node) const;
  bool insert(NodeId node);
  bool erase(NodeId node);
  /// No other node exists: a side with room goes on round the ring to the nodes of the other side.
  void close();

  /// Whether the key is between two nodes known here, so that no other node knows better.
  bool covers(Key key) const;
  /// The leaf nearest to the key, except this one.
  std::optional<NodeId> nearest(Key key, std::optional<NodeId> except) const;
  /// All leaves, each once, in the order of their identifiers.
  std::vector<NodeId> nodes() const;

 private:
  std::uint64_t up_to(NodeId node) const { return distance(key_of(self_), key_of(node)); }
  std::uint64_t back_to(NodeId node) const { return distance(key_of(node), key_of(self_)); }
  /// Whether the two sides together go round the whole ring.
  bool meets_itself() const { return up_to(after_.back()) >= up_to(before_.back()); }
  /// Where the node belongs on a side; behind the last if nowhere.
  std::size_t place_after(NodeId node) const;
  std::size_t place_before(NodeId node) const;
  static bool belongs(const Side& side, std::size_t place, bool rather_opposite);
  bool belongs_after(NodeId node) const;
  bool belongs_before(NodeId node) const;

  NodeId self_;
  Side before_;
  Side after_;

 public:
  CONCH_FIELDS(LeafSet, self_, before_, after_)
};

}  // namespace conch::overlay
