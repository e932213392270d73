#include "sim/election_oracle.hpp"

#include <algorithm>

#include "core/print.hpp"

namespace conch::sim {

namespace {

std::string name(Node node) { return std::to_string(node); }

/// The coordinator that every process should have elected, or nothing if all have retired.
std::optional<NodeId> largest(const std::vector<Voter>& voters) {
  std::optional<NodeId> best;
  for (const Voter& voter : voters)
    if (!voter.retired) best = std::max(best, std::optional(id_of(voter.node)));
  return best;
}

}  // namespace

Promise promise_of(const CatalogEntry& entry) {
  return entry.preset.manners == Manners::polite ? Promise::one : Promise::largest;
}

Finding wrong_coordinator(const std::vector<Voter>& voters, Promise promise) {
  auto is_up = [&](NodeId id) {
    return std::any_of(voters.begin(), voters.end(),
                       [&](const Voter& voter) { return id_of(voter.node) == id; });
  };
  std::optional<NodeId> right = largest(voters);
  const Voter* first = nullptr;
  for (const Voter& voter : voters) {
    if (!voter.elected) continue;
    std::string its = name(voter.node) + " has elected " + print(*voter.elected);
    if (!is_up(*voter.elected)) return its + ", which has crashed";
    if (promise == Promise::largest && voter.elected != right)
      return its + ", but " + print(right) + " is the largest of those that are up";
    if (first != nullptr && first->elected != voter.elected)
      return name(first->node) + " has elected " + print(*first->elected) + ", and " + its;
    first = &voter;
  }
  return {};
}

Finding undecided(const std::vector<Voter>& voters) {
  std::string waiting;
  for (const Voter& voter : voters)
    if (voter.participant || !voter.elected)
      waiting += (waiting.empty() ? "" : ", ") + name(voter.node);
  if (waiting.empty()) return {};
  return "nothing can happen any more, and these have elected nobody: " + waiting;
}

Finding CoordinatorOracle::elects_itself(Node node) {
  std::optional<Node> above;
  for (Node other = node + 1; other < since_.size() && !above; ++other)
    if (since_[other] && *since_[other] <= asked_[node]) above = other;
  coordinators_[node] = above;
  for (auto [usurper, superior] : coordinators_) {
    if (!superior || coordinators_.size() < 2) continue;
    auto other = std::find_if(coordinators_.begin(), coordinators_.end(),
                              [&](const auto& each) { return each.first != usurper; });
    return "two coordinators: " + name(usurper) + ", though " + name(*superior) +
           " was up all the time, and " + name(other->first);
  }
  return {};
}

Finding CoordinatorOracle::steps_back(Node node) {
  auto found = coordinators_.find(node);
  if (found == coordinators_.end()) return {};
  std::optional<Node> superior = found->second;
  coordinators_.erase(found);
  if (!superior) return {};
  return name(node) + " has elected itself, though " + name(*superior) + " was up all the time";
}

}  // namespace conch::sim
