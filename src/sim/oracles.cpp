#include "sim/oracles.hpp"

#include <algorithm>

#include "core/print.hpp"

namespace conch::sim {

std::string_view word(Property property) {
  switch (property) {
    case Property::mutual_exclusion: return "ME1";
    case Property::progress: return "ME2";
    case Property::order: return "ME3";
    case Property::one_token: return "one token";
    case Property::fences: return "fences increase";
    case Property::data: return "data arrive";
    case Property::addressee: return "no message to nobody";
    case Property::invariant: return "invariants";
    case Property::memory: return "bounded memory";
    case Property::structure: return "structure";
  }
  return "?";
}

bool is_safety(Property property) { return property != Property::progress; }

namespace {

std::string holder(Node node, Fence fence) {
  return std::to_string(node) + " (fence " + print(fence) + ")";
}

}  // namespace

Finding ExclusionOracle::enter(Node node, Fence fence) {
  Finding finding;
  if (!inside_.empty()) {
    auto [other, older] = *inside_.begin();
    finding = "two holders: " + holder(node, fence) + " entered while " + holder(other, older) +
              " was inside";
  }
  inside_[node] = fence;
  return finding;
}

Finding FenceOracle::enter(Node node, Fence fence) {
  if (fence > newest_) {
    newest_ = fence;
    return {};
  }
  return std::to_string(node) + " entered with fence " + print(fence) + " after fence " +
         print(newest_);
}

Finding DataOracle::enter(Node node, const DataRef& data) const {
  if (data.version == written_) return {};
  return std::to_string(node) + " got version " + std::to_string(data.version) +
         " of the data, but version " + std::to_string(written_) + " was released before";
}

DataRef DataOracle::release(Node node, DataRef data) {
  written_ = ++data.version;
  data.location = id_of(node);
  return data;
}

Finding TokenOracle::after_call(Node node, int difference) {
  tokens_ += difference;
  if (difference == 0) return {};
  return std::to_string(node) + (difference > 0 ? " made" : " lost") + " a token: there are " +
         std::to_string(tokens_);
}

Finding AddresseeOracle::send(Node from, Node to, const std::string& message) const {
  if (!gone_[to]) return {};
  return std::to_string(from) + " sent " + message + " to " + std::to_string(to) +
         ", which has left";
}

Finding AddresseeOracle::arrive(Node from, Node to, const std::string& message) const {
  if (!gone_[to]) return {};
  return message + " of " + std::to_string(from) + " reached " + std::to_string(to) +
         ", which has left";
}

Finding memory_at_rest(std::size_t remembered, std::size_t allowed) {
  if (remembered <= allowed) return {};
  return "at rest the nodes remember " + std::to_string(remembered) +
         " things, but those of a new group only " + std::to_string(allowed);
}

Causality::Causality(Node nodes) : clocks_(nodes, Clock(nodes, 0)) {}

void Causality::merge(Node node, const Clock& other) {
  Clock& clock = clocks_[node];
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

Finding OrderOracle::enter(Node node) {
  const Causality::Clock entering = *std::exchange(requests_[node], std::nullopt);
  for (Node other = 0; other < requests_.size(); ++other) {
    if (!requests_[other]) continue;
    bool happened_before = entering[other] >= (*requests_[other])[other];
    if (happened_before)
      return std::to_string(node) + " entered before " + std::to_string(other) +
             ", whose request happened before its own";
  }
  return {};
}

}  // namespace conch::sim
