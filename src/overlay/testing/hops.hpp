// Routes through a ring that is at rest, without a world: values and next hops alone.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "overlay/testing/ring_world.hpp"

namespace conch::overlay::testing {

/// All values of a ring that was built at once.
template <class O>
class StillRing {
 public:
  StillRing(std::size_t size, std::uint64_t seed) : dice_(seed), nodes_(scattered(size, dice_)) {
    for (std::size_t i = 0; i < size; ++i) values_.emplace_back(nodes_, i);
  }

  struct Route {
    unsigned hops;
    NodeId end;
  };
  Route route(std::size_t from, Key key) const {
    unsigned hops = 0;
    std::size_t at = from;
    while (auto next = values_[at].next_hop(key)) {
      at = index_of(*next);
      if (++hops > hops_max) break;
    }
    return {hops, nodes_[at]};
  }
  /// Hop counts of random routes, sorted; checks that each route ends at its root.
  std::vector<unsigned> hops(std::size_t routes) {
    std::vector<unsigned> all;
    for (std::size_t i = 0; i < routes; ++i) {
      Key key{dice_.number()};
      Route route = this->route(dice_.below(nodes_.size()), key);
      wrong_ += !values_[index_of(route.end)].root_of(key);
      all.push_back(route.hops);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  std::size_t wrong() const { return wrong_; }
  /// How many nodes act for a key; it should be one.
  std::size_t roots(Key key) const {
    return static_cast<std::size_t>(std::count_if(
        values_.begin(), values_.end(), [&](const O& value) { return value.root_of(key); }));
  }
  Dice& dice() { return dice_; }
  const std::vector<NodeId>& nodes() const { return nodes_; }
  const std::vector<O>& values() const { return values_; }

 private:
  std::size_t index_of(NodeId node) const {
    return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) -
                                    nodes_.begin());
  }
  Dice dice_;
  std::vector<NodeId> nodes_;
  std::vector<O> values_;
  std::size_t wrong_ = 0;
};

inline double mean(const std::vector<unsigned>& hops) {
  return std::accumulate(hops.begin(), hops.end(), 0.0) / static_cast<double>(hops.size());
}
/// The most hops of a route, except for the longest route in a thousand.
inline unsigned most(const std::vector<unsigned>& sorted) {
  return sorted[sorted.size() - 1 - sorted.size() / 1000];
}

}  // namespace conch::overlay::testing
