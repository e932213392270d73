// Nodes that come and go between the rounds of an overlay scale run. Part of
// overlay_scale_world.hpp.
#pragma once

#include "sim/overlay_scale_world.hpp"

namespace conch::sim {

/// Returns the nodes that have left.
template <overlay::RoutedProtocol P, overlay::Overlay O>
std::vector<Node> OverlayScaleRun<P, O>::change_members() {
  std::vector<Node> may_leave;
  for (Node node = 0; node < members_.size(); ++node)
    if (members_[node].here && !members_[node].asked) may_leave.push_back(node);
  std::size_t half = std::min<std::size_t>(options_.churn / 2, may_leave.size() / 2);
  for (std::size_t i = 0; i < half; ++i)
    std::swap(may_leave[i], may_leave[i + moves_.below(may_leave.size() - i)]);
  may_leave.resize(half);
  for (Node node : may_leave) members_[node].here = false;
  for (std::size_t i = 0; i < half; ++i) add_member();
  return may_leave;
}

/// All nodes leave and come at once; then each former root of a key hands over what it knows.
template <overlay::RoutedProtocol P, overlay::Overlay O>
void OverlayScaleRun<P, O>::churn() {
  std::vector<std::optional<overlay::Arc>> before;
  for (Node node = 0; node < members_.size(); ++node) before.push_back(domain(node));
  std::vector<Node> left = change_members();
  before.resize(members_.size());
  places_ = RingIndex(present());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Member& member = members_[places_[i]];
    member.overlay = member.overlay.among(places_.ids(), i);
  }
  handing_over_ = true;
  for (Lock& lock : locks_) hand_over(lock, before);
  handing_over_ = false;
  for (Node node : left) members_[node].overlay = O(members_[node].id);
}

/// A new root without a quarantine must not vote before it has heard from the old one: so all else
/// that the former roots send goes behind.
template <overlay::RoutedProtocol P, overlay::Overlay O>
void OverlayScaleRun<P, O>::hand_over(Lock& lock,
                                      const std::vector<std::optional<overlay::Arc>>& before) {
  std::vector<Node> moved;
  for (const auto& [node, state] : lock.states)
    if (before[node] != domain(node)) moved.push_back(node);
  replicas_first_ = true;
  for (Node node : moved)
    call(lock, node, [&](P& p, Out& out) { p.moved(before[node], domain(node), out); });
  replicas_first_ = false;
  settle(lock);
  for (auto& [node, route] : std::exchange(behind_, {}))
    pass_on(lock, node, route.key, 0, std::move(route.message));
  settle(lock);
  for (Node node : moved)
    if (!members_[node].here) forget(lock, node);
}

}  // namespace conch::sim
