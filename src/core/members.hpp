// The members of a group, as one algorithm value knows them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "core/shared_vector.hpp"
#include "core/types.hpp"

namespace conch {

/// An immutable sorted set of nodes. A thousand algorithm values of one group share one list.
class Members {
 public:
  Members() = default;
  Members(std::initializer_list<NodeId> nodes) : Members(std::vector<NodeId>(nodes)) {}
  explicit Members(std::vector<NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    nodes_ = SharedVector<NodeId>(std::move(nodes));
  }
  /// The members 0 .. count-1, as simulations number them.
  static Members first(std::uint64_t count) {
    std::vector<NodeId> nodes(count);
    for (std::uint64_t i = 0; i < count; ++i) nodes[i] = NodeId{i};
    return Members(std::move(nodes));
  }

  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }
  std::size_t size() const { return nodes_.size(); }
  NodeId operator[](std::size_t index) const { return nodes_[index]; }
  std::span<const NodeId> nodes() const { return nodes_.get(); }

  bool contains(NodeId node) const { return std::binary_search(begin(), end(), node); }
  /// The position of a member in the order of identifiers.
  std::optional<std::size_t> index_of(NodeId node) const {
    auto found = std::lower_bound(begin(), end(), node);
    if (found == end() || *found != node) return std::nullopt;
    return static_cast<std::size_t>(found - begin());
  }
  /// The member after this one, the first after the last.
  NodeId after(NodeId node) const {
    auto found = std::upper_bound(begin(), end(), node);
    return found == end() ? *begin() : *found;
  }
  Members with(NodeId node) const {
    std::vector<NodeId> nodes = nodes_.get();
    nodes.push_back(node);
    return Members(std::move(nodes));
  }
  Members without(NodeId node) const {
    std::vector<NodeId> nodes = nodes_.get();
    std::erase(nodes, node);
    return Members(std::move(nodes));
  }

  friend bool operator==(const Members&, const Members&) = default;

 private:
  SharedVector<NodeId> nodes_;
};

}  // namespace conch
