// Deals a list of nodes out to a balanced tree: the first node is the root, the others are shared
// evenly among its children, in order, and so on below.
#pragma once

#include <cstddef>
#include <vector>

namespace conch::elmp {

/// A part of the list: its first node is the root of a subtree, its weight is the part's length.
struct Share {
  std::size_t first = 0;
  std::size_t weight = 0;
};

inline std::vector<Share> shares(const Share& part, std::size_t order) {
  std::vector<Share> list;
  std::size_t below = part.weight - 1;
  std::size_t first = part.first + 1;
  for (std::size_t i = 0; i < order && i < below; ++i) {
    std::size_t weight = below / order + (i < below % order ? 1 : 0);
    list.push_back({first, weight});
    first += weight;
  }
  return list;
}

}  // namespace conch::elmp
