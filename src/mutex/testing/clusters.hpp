// Start values for the tests of the hierarchical algorithms.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/contract.hpp"

namespace conch::testing {

/// Nodes 0, 1, ... in clusters of these sizes; node 0 is elected.
inline Assignment clustered(std::initializer_list<std::uint32_t> sizes, unsigned eps = 0) {
  std::vector<std::uint32_t> list(sizes);
  std::uint64_t nodes = 0;
  for (std::uint32_t size : list) nodes += size;
  Assignment start = Assignment::fresh(Members::first(nodes), NodeId{0}, {.eps = eps});
  start.clusters = Clusters::sized(list);
  return start;
}

/// Nodes 0, 1, ... with these labels; node 0 is elected.
inline Assignment labelled(std::initializer_list<const char*> labels, unsigned eps = 0) {
  std::map<NodeId, std::string> by_node;
  for (const char* label : labels) by_node[NodeId{by_node.size()}] = label;
  Assignment start = Assignment::fresh(Members::first(labels.size()), NodeId{0}, {.eps = eps});
  start.clusters = Clusters(by_node);
  return start;
}

}  // namespace conch::testing
