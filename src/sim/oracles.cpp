#include "sim/oracles.hpp"

namespace conch::sim {

Oracles::Oracles(const Settings& watch, const SimulatedNodes& simulated_nodes)
    : simulated_nodes_(simulated_nodes),
      watches_token_(watch.token),
      fences_(Fence(Epoch{}, 0)),
      data_(watch.nodes),
      addressees_(watch.nodes) {
  if (watch.token) tokens_.created(1);
  if (watch.order || watch.clocks) causality_.emplace(watch.nodes);
  if (watch.order) order_.emplace(watch.nodes);
}

void Oracles::report(Property property, const Finding& finding, std::vector<Node> nodes) {
  if (finding) violations_.push_back({property, *finding, std::move(nodes)});
}

void Oracles::report(Property property, const Finding& finding, Node node) {
  if (finding) report(property, finding, std::vector{node});
}

/// The node, and those inside that it conflicts with.
std::vector<Node> Oracles::in_conflict_with(Node node) const {
  std::vector<Node> nodes{node};
  for (const auto& [other, holder] : inside())
    if (other != node && holder.wish.conflicts(wish_of(node))) nodes.push_back(other);
  return nodes;
}

Causality::Clock& Oracles::clock_of(Slot slot) {
  if (clock_of_slot_.size() <= slot) clock_of_slot_.resize(slot + 1);
  return clock_of_slot_[slot];
}

const Wish& Oracles::wish_of(Node node) const {
  static constexpr Wish everything;
  if (wishes_.empty()) return everything;
  auto found = wishes_.find(node);
  return found == wishes_.end() ? everything : found->second;
}

void Oracles::requested(Node node, const Wish& wish) {
  step(node);
  if (wish != Wish{}) {
    wishes_[node] = wish;
  } else if (!wishes_.empty()) {
    wishes_.erase(node);
  }
  if (order_) order_->request(node, *causality_);
}

void Oracles::entered(Node node, const Entered& entered) {
  step(node);
  const Wish& wish = wish_of(node);
  if (Finding finding = exclusion_.enter(node, entered.baton.fence, wish))
    report(Property::mutual_exclusion, finding, in_conflict_with(node));
  report(Property::fences, fences_.enter(node, entered.baton.fence, wish), node);
  report(Property::data, data_.enter(node, entered, wish), node);
  if (order_) report(Property::order, order_->enter(node), node);
}

DataRef Oracles::released(Node node) {
  step(node);
  exclusion_.leave(node);
  return data_.release(node, wish_of(node));
}

void Oracles::cancelled(Node node) {
  step(node);
  if (order_) order_->forget(node);
}

void Oracles::sent_to_nobody(const Posted& message) {
  if (simulated_nodes_.may_be_late(message.slot)) return;
  report(Property::addressee,
         addressees_.send(message.from, message.to, simulated_nodes_.print(message.slot)),
         {message.from, message.to});
}

void Oracles::missed(Node node, Node from, Slot slot, bool token) {
  if (!simulated_nodes_.may_be_late(slot))
    report(Property::addressee, addressees_.arrive(from, node, simulated_nodes_.print(slot)),
           {from, node});
  if (token) tokens_.lost();
}

void Oracles::lost(const Posted& message) {
  if (message.token) tokens_.lost();
}

void Oracles::duplicated(const Posted& message) {
  if (message.token) tokens_.created(1);
}

Causality::Clock Oracles::tells(Node node) {
  step(node);
  return causality_ ? causality_->at(node) : Causality::Clock{};
}

void Oracles::told(Node node, const Causality::Clock& clock) {
  if (causality_) causality_->merge(node, clock);
  step(node);
}

void Oracles::crashed(Node node) {
  step(node);
  exclusion_.leave(node);
  fences_.crashed();
  if (order_) order_->forget(node);
  if (simulated_nodes_.entry().about.family == "permission") data_.crashed(node);
  if (simulated_nodes_.holds_token(node)) tokens_.lost();
}

DataRef Oracles::recovers(const std::vector<Node>& dead) {
  fences_.crashed();  // Readers, too, get a fence of the new epoch.
  return data_.recover(dead);
}

void Oracles::recovered(const Members& members, int in_flight) {
  if (!watches_token_) return;
  tokens_ = {};
  tokens_.created(in_flight);
  for (NodeId member : members) tokens_.created(int{simulated_nodes_.holds_token(node_of(member))});
  if (tokens_.tokens() != 1)
    report(Property::one_token, "there are " + std::to_string(tokens_.tokens()) + " tokens");
}

void Oracles::joins(Node node) {
  step(node);
  addressees_.came(node);
}

void Oracles::gone(Node node) {
  step(node);
  addressees_.left(node);
  if (simulated_nodes_.holds_token(node)) tokens_.lost();
}

}  // namespace conch::sim
