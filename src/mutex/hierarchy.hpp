// Shared by the three hierarchical algorithms: first owners and preemption counts.
#pragma once

#include <algorithm>
#include <vector>

#include "core/contract.hpp"
#include "core/print.hpp"

namespace conch {

/// The node that `self` asks first (figure 3). In the elected node's cluster that is the elected
/// node; elsewhere it is the proxy of the cluster, its first member. With more than two levels a
/// proxy asks that of the next wider cluster. A proxy asks the elected node and not itself.
inline NodeId first_owner(NodeId self, const Assignment& start) {
  std::vector<NodeId> firsts = start.clusters.firsts_of(self);
  std::size_t shared = start.clusters.nearness(self, start.home);
  if (start.clusters.together(self, start.home)) return start.home;
  for (std::size_t level = firsts.size(); level > shared; --level)
    if (firsts[level - 1] != self) return firsts[level - 1];
  return start.home;
}

/// For each nearness, how many near requests have overtaken distant ones while the token visits a
/// cluster: the paper's nb_preempt, one for each level.
class Preemptions {
 public:
  unsigned at(std::size_t level) const { return level < counts_.size() ? counts_[level] : 0; }
  void add(std::size_t level) {
    if (counts_.size() <= level) counts_.resize(level + 1);
    ++counts_[level];
  }
  /// Keeps the larger count of each level (an older count must not replace a newer one).
  void merge(const Preemptions& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t level = 0; level < other.counts_.size(); ++level)
      counts_[level] = std::max(counts_[level], other.counts_[level]);
  }
  /// The counts that remain valid for a node of this nearness, as the token leaves the narrower
  /// clusters.
  Preemptions seen_from(std::size_t nearness) const {
    Preemptions kept = *this;
    if (kept.counts_.size() > nearness + 1) kept.counts_.resize(nearness + 1);
    while (!kept.counts_.empty() && kept.counts_.back() == 0) kept.counts_.pop_back();
    return kept;
  }
  /// Prints the counts alone, the widest first: `nb {0, 1}`.
  friend void print_to(std::string& out, const Preemptions& nb) { print_to(out, nb.counts_); }

 private:
  /// Indexed by nearness, without trailing zeros.
  std::vector<std::uint32_t> counts_;

 public:
  CONCH_FIELDS(Preemptions, counts_)
};

}  // namespace conch
