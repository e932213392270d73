// What the three hierarchical algorithms have in common.
#pragma once

#include <algorithm>
#include <vector>

#include "core/contract.hpp"
#include "core/print.hpp"

namespace conch {

/// Whom a node asks first (figure 3): in the elected one's cluster the elected one, elsewhere the
/// proxy of the cluster, which is its first member. With more than two levels a proxy asks that of
/// the next wider cluster. A proxy asks the elected one and not itself (F2).
inline NodeId first_owner(NodeId self, const Assignment& start, bool proxies_differ = true) {
  std::vector<NodeId> firsts = start.clusters.firsts_of(self);
  std::size_t shared = start.clusters.nearness(self, start.home);
  if (start.clusters.together(self, start.home)) return start.home;
  for (std::size_t level = firsts.size(); level > shared; --level) {
    NodeId proxy = firsts[level - 1];
    if (proxy != self || !proxies_differ) return proxy;
  }
  return start.home;
}

/// How many near requests have overtaken distant ones while the token visits a cluster, for each
/// nearness: the paper's nb_preempt, once a level.
class Preemptions {
 public:
  unsigned at(std::size_t level) const { return level < counts_.size() ? counts_[level] : 0; }
  void add(std::size_t level) {
    if (counts_.size() <= level) counts_.resize(level + 1);
    ++counts_[level];
  }
  /// Keeps the larger of each (F9: an older count must not replace a newer one).
  void merge(const Preemptions& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t level = 0; level < other.counts_.size(); ++level)
      counts_[level] = std::max(counts_[level], other.counts_[level]);
  }
  /// What still counts for somebody so near: the token leaves the narrower clusters.
  Preemptions seen_from(std::size_t nearness) const {
    Preemptions kept = *this;
    if (kept.counts_.size() > nearness + 1) kept.counts_.resize(nearness + 1);
    while (!kept.counts_.empty() && kept.counts_.back() == 0) kept.counts_.pop_back();
    return kept;
  }
  /// The counts alone, the widest first: `nb {0, 1}`.
  friend void print_to(std::string& out, const Preemptions& nb) { print_to(out, nb.counts_); }

 private:
  /// By nearness; nothing behind the last one that counts.
  std::vector<std::uint32_t> counts_;

 public:
  CONCH_FIELDS(Preemptions, counts_)
};

}  // namespace conch
