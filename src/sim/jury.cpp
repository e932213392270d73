#include "sim/jury.hpp"

namespace conch::sim {

Jury::Jury(const Watch& watch, const Population& population)
    : population_(population),
      watches_token_(watch.token),
      fences_(Fence(Epoch{}, 0)),
      data_(watch.nodes),
      addressees_(watch.nodes) {
  if (watch.token) tokens_.created(1);
  if (watch.order || watch.clocks) causality_.emplace(watch.nodes);
  if (watch.order) order_.emplace(watch.nodes);
}

void Jury::report(Property property, const Finding& finding, std::vector<Node> nodes) {
  if (finding) violations_.push_back({property, *finding, std::move(nodes)});
}

/// Somebody who is inside, and itself.
std::vector<Node> Jury::in_conflict_with(Node node) const {
  std::vector<Node> nodes{node};
  for (const auto& [other, holder] : inside())
    if (other != node && holder.wish.conflicts(wish_of(node))) nodes.push_back(other);
  return nodes;
}

void Jury::step(Node node) {
  if (causality_) causality_->step(node);
}

Causality::Clock& Jury::clock_of(Slot slot) {
  if (clock_of_slot_.size() <= slot) clock_of_slot_.resize(slot + 1);
  return clock_of_slot_[slot];
}

const Wish& Jury::wish_of(Node node) const {
  static constexpr Wish everything;
  auto found = wishes_.find(node);
  return found == wishes_.end() ? everything : found->second;
}

void Jury::requested(Node node, const Wish& wish) {
  step(node);
  if (wish != Wish{}) {
    wishes_[node] = wish;
  } else if (!wishes_.empty()) {
    wishes_.erase(node);
  }
  if (order_) order_->request(node, *causality_);
}

void Jury::entered(Node node, const Entered& entered) {
  step(node);
  const Wish& wish = wish_of(node);
  if (Finding finding = exclusion_.enter(node, entered.baton.fence, wish))
    report(Property::mutual_exclusion, finding, in_conflict_with(node));
  report(Property::fences, fences_.enter(node, entered.baton.fence, wish), {node});
  report(Property::data, data_.enter(node, entered, wish), {node});
  if (order_) report(Property::order, order_->enter(node), {node});
}

DataRef Jury::released(Node node) {
  step(node);
  exclusion_.leave(node);
  return data_.release(node, wish_of(node));
}

void Jury::cancelled(Node node) {
  step(node);
  if (order_) order_->forget(node);
}

void Jury::sent(const Posted& message) {
  if (addressees_.is_gone(message.to) && !population_.may_be_late(message.slot))
    report(Property::addressee,
           addressees_.send(message.from, message.to, population_.print(message.slot)),
           {message.from, message.to});
  tokens_sent_ += message.token;
  if (!causality_) return;
  causality_->step(message.from);
  clock_of(message.slot) = causality_->at(message.from);
}

void Jury::received(Node node, Slot slot) {
  if (causality_) causality_->merge(node, clock_of(slot));
  step(node);
}

void Jury::missed(Node node, Node from, Slot slot, bool token) {
  if (!population_.may_be_late(slot))
    report(Property::addressee, addressees_.arrive(from, node, population_.print(slot)),
           {from, node});
  if (token) tokens_.lost();
}

void Jury::lost(const Posted& message) {
  if (message.token) tokens_.lost();
}

void Jury::duplicated(const Posted& message) {
  if (message.token) tokens_.created(1);
}

Causality::Clock Jury::tells(Node node) {
  step(node);
  return causality_ ? causality_->at(node) : Causality::Clock{};
}

void Jury::told(Node node, const Causality::Clock& clock) {
  if (causality_) causality_->merge(node, clock);
  step(node);
}

void Jury::before_call(Node node, bool reads_token) {
  if (!watches_token_) return;
  tokens_before_ = int{population_.holds_token(node)} + int{reads_token};
  tokens_sent_ = 0;
}

void Jury::after_call(Node node) {
  if (!watches_token_) return;
  int difference = int{population_.holds_token(node)} + tokens_sent_ - tokens_before_;
  if (difference != 0) report(Property::one_token, tokens_.after_call(node, difference), {node});
}

void Jury::crashed(Node node) {
  step(node);
  exclusion_.leave(node);
  fences_.crashed();
  if (order_) order_->forget(node);
  if (population_.entry().about.family == "permission") data_.crashed(node);
  if (population_.holds_token(node)) tokens_.lost();
}

DataRef Jury::recovers(const std::vector<Node>& dead) {
  fences_.crashed();  // Readers, too, get a fence of the new epoch.
  return data_.recover(dead);
}

void Jury::recovered(const Members& members, int in_flight) {
  if (!watches_token_) return;
  tokens_ = {};
  tokens_.created(in_flight);
  for (NodeId member : members) tokens_.created(int{population_.holds_token(node_of(member))});
  if (tokens_.tokens() != 1)
    report(Property::one_token, "there are " + std::to_string(tokens_.tokens()) + " tokens");
}

void Jury::joins(Node node) {
  step(node);
  addressees_.came(node);
}

void Jury::gone(Node node) {
  step(node);
  addressees_.left(node);
  if (population_.holds_token(node)) tokens_.lost();
}

}  // namespace conch::sim
