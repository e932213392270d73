#include "sim/overlay_oracle.hpp"

#include "core/print.hpp"

namespace conch::sim {

void OverlayOracle::report(Property property, std::string what, std::vector<Node> nodes) {
  if (!violation_) violation_ = {property, std::move(what), std::move(nodes)};
}

void OverlayOracle::enter(Node node, const Baton& baton, Doing doing,
                          const std::function<bool(Node)>& stopped) {
  if (doing != Doing::waiting) broken("node " + std::to_string(node) + " enters and did not wait");
  for (auto& [other, inside] : inside_) {
    std::string both = std::to_string(node) + " enters while " + std::to_string(other);
    if (!stopped(other)) report(Property::mutual_exclusion, both + " is inside", {node, other});
    inside.outlived = true;
  }
  if (baton.fence <= last_)
    report(Property::fences,
           std::to_string(node) + " enters with " + print(baton.fence) + ", after somebody had " +
               print(last_),
           {node});
  last_ = std::max(last_, baton.fence);
  inside_[node] = {baton.fence, false};
}

bool OverlayOracle::lose(Node node) {
  auto found = inside_.find(node);
  bool outlived = found != inside_.end() && found->second.outlived;
  inside_.erase(node);
  return outlived;
}

void OverlayOracle::resumed(Node node) {
  auto found = inside_.find(node);
  if (found != inside_.end() && found->second.outlived)
    report(Property::mutual_exclusion,
           std::to_string(node) + " was stopped while somebody else entered, and is not told",
           {node});
}

void OverlayOracle::waits_for_ever(Node node) {
  report(Property::progress, std::to_string(node) + " waits, and nothing will happen for it",
         {node});
}

void OverlayOracle::endless(std::uint64_t messages) {
  report(Property::progress, std::to_string(messages) + " messages, and no end");
}

}  // namespace conch::sim
