#include "sim/visits.hpp"

#include <algorithm>

namespace conch::sim {

void VisitOracle::requested(Node node, Time now) {
  asked_[node] = now;
  waiting_.emplace(now, node);
}

void VisitOracle::gave_up(Node node) {
  if (!asked_[node]) return;
  waiting_.erase({*asked_[node], node});
  asked_[node].reset();
}

Finding VisitOracle::entered(Node node, Time now) {
  std::optional<Time> asked = asked_[node];
  gave_up(node);
  std::uint32_t cluster = rules_.cluster_of[node];
  std::optional<Node> other = kept_waiting(cluster, now);
  if (!other || cluster != cluster_) length_ = preemptions_ = 0;
  cluster_ = cluster;
  if (!other) return {};
  visits_.count += length_ == 0;
  ++visits_.entries;
  visits_.longest = std::max(visits_.longest, ++length_);
  preemptions_ += asked > asked_[*other];
  visits_.most_preemptions = std::max(visits_.most_preemptions, preemptions_);
  if (rules_.bounds.empty() || length_ <= rules_.bounds[cluster]) return {};
  return std::to_string(node) + " makes " + std::to_string(length_) + " entries of its cluster " +
         "in one visit, of which " + std::to_string(rules_.bounds[cluster]) + " are allowed, and " +
         std::to_string(*other) + " of another cluster waits";
}

/// A node outside that has waited for long enough.
std::optional<Node> VisitOracle::kept_waiting(std::uint32_t cluster, Time now) const {
  for (auto [since, node] : waiting_) {
    if (since + rules_.known_after > now) break;
    if (rules_.cluster_of[node] != cluster) return node;
  }
  return {};
}

}  // namespace conch::sim
