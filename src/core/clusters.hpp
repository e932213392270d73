// Which nodes are near one another, for the algorithms that use it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace conch {

/// Whether the text can be a label: parts of printable characters without spaces, separated by
/// slashes.
constexpr bool is_label(std::string_view text) {
  constexpr std::size_t longest = 200;
  char before = '/';
  for (char c : text) {
    if (c <= ' ' || c > '~' || (c == '/' && before == '/')) return false;
    before = c;
  }
  return before != '/' && text.size() <= longest;
}

/// A label for each node, as `site/rack`: nodes with the same label are a cluster, and clusters
/// whose labels begin alike are nearer to one another than others. Immutable, and shared by its
/// copies. Without labels all nodes are in one cluster.
class Clusters {
 public:
  Clusters() = default;
  explicit Clusters(const std::map<NodeId, std::string>& labels) {
    if (labels.empty()) return;
    auto table = std::make_shared<Table>();
    std::map<std::string, Number> numbers;
    for (const auto& [node, label] : labels) table->add(node, label, numbers);
    table_ = std::move(table);
  }
  /// Nodes 0, 1, ... in clusters of these sizes, in order. `sites` has the number of clusters in
  /// each site.
  static Clusters sized(std::span<const std::uint32_t> sizes,
                        std::span<const std::uint32_t> sites = {}) {
    std::map<NodeId, std::string> labels;
    std::size_t site = 0, cluster = 0, clusters_of_site = 0;
    for (std::uint32_t size : sizes) {
      if (site < sites.size() && clusters_of_site++ == sites[site]) clusters_of_site = 1, ++site;
      std::string label = sites.empty() ? "" : std::to_string(site) + "/";
      label += std::to_string(cluster++);
      for (std::uint32_t i = 0; i < size; ++i) labels[NodeId{labels.size()}] = label;
    }
    return Clusters(labels);
  }

  /// Keeps only the nodes for which `keeps` is true; no other is the first of a cluster.
  template <class Keeps>
  Clusters only(Keeps&& keeps) const {
    std::map<NodeId, std::string> labels;
    if (!table_) return {};
    for (const auto& [node, path] : table_->paths) {
      if (!keeps(node)) continue;
      for (Number number : path)
        labels[node] += (labels[node].empty() ? "" : "/") + std::to_string(number);
    }
    return Clusters(labels);
  }

  /// How many parts the longest label has.
  std::size_t levels() const { return table_ ? table_->levels : 0; }
  /// Whether both have the same label. A node without a label is alone.
  bool together(NodeId a, NodeId b) const { return nearness(a, b) == levels(); }
  /// How many parts their labels have in common, from the widest; `levels()` if they are together.
  std::size_t nearness(NodeId a, NodeId b) const {
    if (!table_ || a == b) return levels();
    const Path& x = table_->path_of(a);
    const Path& y = table_->path_of(b);
    auto [end, other] = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
    bool same = end == x.end() && other == y.end() && !x.empty();
    return same ? levels() : static_cast<std::size_t>(end - x.begin());
  }
  /// The first member, by identifier, of each cluster that the node is in; the widest first.
  std::vector<NodeId> firsts_of(NodeId node) const {
    std::vector<NodeId> firsts;
    if (!table_) return firsts;
    for (Number number : table_->path_of(node)) firsts.push_back(table_->firsts[number]);
    return firsts;
  }

  /// Whether the same nodes are together; the names do not matter.
  friend bool operator==(const Clusters& a, const Clusters& b) {
    if (a.table_ == b.table_) return true;
    return a.table_ && b.table_ && a.table_->paths == b.table_->paths;
  }

 private:
  /// Clusters are numbered in the order of their first members, wide ones before those within.
  using Number = std::uint32_t;
  using Path = std::vector<Number>;
  struct Table {
    std::vector<std::pair<NodeId, Path>> paths;
    std::vector<NodeId> firsts;
    std::size_t levels = 0;

    void add(NodeId node, std::string_view label, std::map<std::string, Number>& numbers) {
      Path path;
      for (std::size_t end = label.find('/');; end = label.find('/', end + 1)) {
        std::string cluster(label.substr(0, end));
        auto [found, is_new] = numbers.emplace(cluster, static_cast<Number>(firsts.size()));
        if (is_new) firsts.push_back(node);
        path.push_back(found->second);
        if (end == std::string_view::npos) break;
      }
      levels = std::max(levels, path.size());
      paths.emplace_back(node, std::move(path));
    }
    const Path& path_of(NodeId node) const {
      static const Path nowhere;
      auto found = std::lower_bound(paths.begin(), paths.end(), node,
                                    [](const auto& each, NodeId id) { return each.first < id; });
      return found == paths.end() || found->first != node ? nowhere : found->second;
    }
  };

  std::shared_ptr<const Table> table_;
};

}  // namespace conch
