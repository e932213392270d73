// How long a lock stays in one cluster while others wait for it.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// A visit: consecutive entries of one cluster, or of one site, while a node outside waits whose
/// request has been known for long enough.
struct Visits {
  std::uint64_t count = 0;
  std::uint64_t entries = 0;
  std::uint64_t longest = 0;
  /// The most entries of one visit that overtook a node outside: their requests are younger.
  std::uint64_t most_preemptions = 0;

  double mean() const {
    return count == 0 ? 0 : static_cast<double>(entries) / static_cast<double>(count);
  }
};

class VisitOracle {
 public:
  struct Rules {
    /// By node.
    std::vector<std::uint32_t> cluster_of;
    /// A request that has waited for so long is known wherever it matters.
    Duration known_after = {};
    /// By cluster, how many entries a visit may have; empty if visits are not judged.
    std::vector<std::uint64_t> bounds = {};
  };
  explicit VisitOracle(Rules rules) : rules_(std::move(rules)), asked_(rules_.cluster_of.size()) {}

  void requested(Node node, Time now);
  /// Withdrawn, or crashed.
  void gave_up(Node node);
  Finding entered(Node node, Time now);
  const Visits& visits() const { return visits_; }

 private:
  std::optional<Node> kept_waiting(std::uint32_t cluster, Time now) const;

  Rules rules_;
  std::vector<std::optional<Time>> asked_;
  /// Waiting nodes, the longest wait first.
  std::set<std::pair<Time, Node>> waiting_;
  std::uint32_t cluster_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t preemptions_ = 0;
  Visits visits_;
};

}  // namespace conch::sim
