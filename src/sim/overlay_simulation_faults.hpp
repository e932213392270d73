// Faults of an overlay group. Part of overlay_simulation_world.hpp.
#pragma once

#include "sim/overlay_simulation_world.hpp"

namespace conch::sim {

template <class P>
std::set<overlay::Index> OverlaySimulation<P>::replicas_at(NodeId root) const {
  std::set<overlay::Index> found;
  for (overlay::Index i = 0; i < lock_.size(); ++i)
    if (overlay_.root(lock_.key(i)) == root) found.insert(i);
  return found;
}

/// Only so many replicas may forget at a time that a majority still knows.
template <class P>
bool OverlaySimulation<P>::may_shake(const std::set<overlay::Index>& replicas) const {
  std::set<overlay::Index> together = replicas;
  together.insert(dead_.begin(), dead_.end());
  for (const auto& [replica, when] : shaken_)
    if (now_ - when < 6 * lease()) together.insert(replica);
  return replicas.empty() || together.size() <= lock_.size() - lock_.majority();
}

template <class P>
void OverlaySimulation<P>::shake(const std::set<overlay::Index>& replicas) {
  for (overlay::Index replica : replicas) shaken_[replica] = now_;
}

/// The holder, a waiter, a replica, or any node.
template <class P>
std::optional<Node> OverlaySimulation<P>::victim() {
  std::uint64_t role = chances_.below(4);
  auto fits = [&](Node node) {
    const Peer& peer = peers_[node];
    if (!peer.up || !overlay_.has(peer.id)) return false;
    if (role == 0) return peer.doing == Doing::inside;
    if (role == 1) return peer.doing == Doing::waiting;
    return role == 3 || !replicas_at(peer.id).empty();
  };
  for (int tries = 0; tries < 200; ++tries) {
    if (tries == 100) role = 3;
    Node node = anybody();
    if (fits(node)) return node;
  }
  return std::nullopt;
}

template <class P>
void OverlaySimulation<P>::crash() {
  for (int tries = 0; tries < 5; ++tries)
    if (auto node = victim(); node && may_shake(replicas_at(peers_[*node].id))) return crash(*node);
}

template <class P>
void OverlaySimulation<P>::crash(Node node) {
  Peer& peer = peers_[node];
  tell(node, "CRASHES");
  record(Happening::crash, node);
  shake(replicas_at(peer.id));
  if (peer.doing != Doing::idle) ++result_.crashed;
  oracle_.crash(node);
  peer.up = peer.paused = false;
  peer.doing = Doing::idle;
  peer.value.reset();
  peer.armed.clear();
  peer.backlog.clear();
  plan(some(lease() / 2, 2 * lease()), What::detect, node);
  plan(some(3 * lease() / 2, 5 * lease() / 2), What::repair, node);
  if (chances_.chance(0.8)) plan(some(lease() / 10, 4 * lease()), What::restart, node);
}

/// Crashes a replica that is back at once, before any node misses it.
template <class P>
void OverlaySimulation<P>::reset() {
  overlay::Index replica = static_cast<overlay::Index>(chances_.below(lock_.size()));
  Node node = node_number(overlay_.root(lock_.key(replica)));
  if (!peers_[node].up || peers_[node].doing != Doing::idle) return;
  if (may_shake(replicas_at(peers_[node].id))) crash(node), come(node);
}

/// The overlay notices that a node is gone; its neighbours are the roots of its keys now.
template <class P>
void OverlaySimulation<P>::repair(Node node, std::uint32_t life) {
  Peer& peer = peers_[node];
  if (peer.up || peer.life != life) return;
  shake(replicas_at(peer.id));
  change_overlay(node, [&] { overlay_.leave(peer.id); });
  if constexpr (SelfRouting<P>) tell_all(node);
}

template <class P>
void OverlaySimulation<P>::tell_all(Node node) {
  for (Node other = 0; other < peers_.size(); ++other)
    if (other != node && peers_[other].up && !peers_[other].paused && !peers_[node].up)
      call(other, [&](P& p, Out& out) { p.suspect(peers_[node].id, out); });
}

template <class P>
void OverlaySimulation<P>::restart(Node node, std::uint32_t life) {
  if (!peers_[node].up && peers_[node].life == life) come(node);
}

template <class P>
void OverlaySimulation<P>::come(Node node) {
  Peer& peer = peers_[node];
  tell(node, "comes");
  record(peer.life > 0 ? Happening::restart : Happening::join, node);
  begin(node);
  change_overlay(node, [&] { overlay_.join(peer.id); });
  shake(replicas_at(peer.id));
  if constexpr (SelfRouting<P>)
    knock(node, peer.life);
  else
    call(node, [&](P& p, Out& out) { p.moved(std::nullopt, overlay_.domain(peer.id), out); });
}

/// Asks a member to be let in, and another one if that takes too long.
template <class P>
void OverlaySimulation<P>::knock(Node node, std::uint32_t life) {
  Peer& peer = peers_[node];
  if (!peer.up || peer.life != life || peer.joined) return;
  Node contact = node;
  while (contact == node)
    contact = node_number(overlay_.members()[chances_.below(overlay_.members().size())]);
  if constexpr (SelfRouting<P>)
    if (!peer.paused) call(node, [&](P& p, Out& out) { p.join(peers_[contact].id, out); });
  plan(4 * lease(), What::knock, node);
}

/// Lets a node come or go; its neighbours have other keys then.
template <class P>
template <class Change>
void OverlaySimulation<P>::change_overlay(Node node, Change&& change) {
  std::map<Node, std::optional<overlay::Arc>> before;
  for (NodeId member : overlay_.members())
    if (node_number(member) != node) before[node_number(member)] = overlay_.domain(member);
  change();
  if constexpr (!SelfRouting<P>) {
    for (const auto& [other, domain] : before) {
      std::optional<overlay::Arc> now = overlay_.domain(peers_[other].id);
      if (peers_[other].up && domain != now)
        call(other, [&](P& p, Out& out) { p.moved(domain, now, out); });
    }
  }
}

template <class P>
void OverlaySimulation<P>::join(Node node) {
  overlay_.join(peers_[node].id);
  bool allowed = may_shake(replicas_at(peers_[node].id));
  overlay_.leave(peers_[node].id);
  if (allowed) come(node);
}

template <class P>
void OverlaySimulation<P>::pause() {
  std::optional<Node> node = victim();
  if (!node || peers_[*node].paused) return;
  if constexpr (SelfRouting<P>) {
    // The overlay takes it for dead, and others are the roots of its keys, until it goes on.
    if (!may_shake(replicas_at(peers_[*node].id))) return;
    shake(replicas_at(peers_[*node].id));
  }
  tell(*node, "stops");
  record(Happening::pause, *node);
  peers_[*node].paused = true;
  plan(some(lease() / 4, 4 * lease()), What::resume, *node);
}

/// Everything that came meanwhile happens at once, timers first.
template <class P>
void OverlaySimulation<P>::resume(Node node, std::uint32_t life) {
  Peer& peer = peers_[node];
  if (!peer.up || peer.life != life || !peer.paused) return;
  if constexpr (SelfRouting<P>) shake(replicas_at(peer.id));
  tell(node, "goes on");
  record(Happening::resume, node);
  peer.paused = false;
  std::vector<Event> backlog = std::exchange(peer.backlog, {});
  for (const Event& event : backlog)
    if (event.what == What::timer) act(event);
  oracle_.resumed(node);
  if constexpr (SelfRouting<P>)
    for (Node other = 0; other < peers_.size(); ++other)
      if (peers_[other].life > 0 && !peers_[other].up)
        call(node, [&](P& p, Out& out) { p.suspect(peers_[other].id, out); });
  for (const Event& event : backlog)
    if (event.what != What::timer) act(event);
}

template <class P>
void OverlaySimulation<P>::suspect_somebody() {
  Node whom = anybody();
  tell(whom, "is suspected");
  record(Happening::suspect, whom);
  for (Node node = 0; node < peers_.size(); ++node)
    if (node != whom && peers_[node].up && !peers_[node].paused && chances_.chance(0.5))
      call(node, [&](P& p, Out& out) { p.suspect(peers_[whom].id, out); });
}

template <class P>
void OverlaySimulation<P>::part() {
  bool apart = options_.mishaps.apart > Duration::zero();
  parted_.clear();
  std::string whom;
  for (Node node = 0; node < peers_.size(); ++node)
    if (chances_.chance(apart ? 0.5 : 0.35)) {
      parted_.insert(node);
      record(Happening::partition, node);
      whom += std::to_string(node) + " ";
    }
  tell(whom + "CANNOT REACH THE OTHERS");
  plan(apart ? options_.mishaps.apart : some(lease() / 4, 3 * lease() / 2), What::heal, 0);
}

template <class P>
void OverlaySimulation<P>::heal() {
  if (!parted_.empty()) tell("everybody can be reached again");
  for (Node node : parted_) record(Happening::heal, node);
  parted_.clear();
}

template <class P>
void OverlaySimulation<P>::calm() {
  tell("CALM");
  calm_ = true;
  calm_at_ = now_;
  heal();
}

template <class P>
void OverlaySimulation<P>::judge() {
  bool anybody_waits = false;
  for (Node node = 0; node < peers_.size(); ++node) {
    if (peers_[node].doing != Doing::waiting) continue;
    anybody_waits = true;
    note(node, [&] { return "waits in the end: " + print_fields(*peers_[node].value); });
    oracle_.waits_for_ever(node);
  }
  // A self-routing overlay keeps looking for nodes that are gone, so its events never end.
  if (!anybody_waits && !events_.empty() && !SelfRouting<P>) oracle_.endless(result_.messages);
}

}  // namespace conch::sim
