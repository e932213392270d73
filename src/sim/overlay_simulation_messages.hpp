// How messages travel in an overlay group. Part of overlay_simulation_world.hpp.
#pragma once

#include "sim/overlay_simulation_world.hpp"

namespace conch::sim {

/// Sends to the next hop to the root of a key; the root sends to itself with next to no delay.
template <class P>
void OverlaySimulation<P>::pass_on(Node node, Key key, Message message, Time born) {
  auto next = overlay_.next_hop(peers_[node].id, key);
  post(node, next ? node_number(*next) : node, key, std::move(message), born, born == now_);
}

/// In half of the cases the sender learns that a message to a dead node was refused; never if a
/// copy of it is on its way, too.
template <class P>
void OverlaySimulation<P>::post(Node from, Node to, std::optional<Key> key, Message message,
                                Time born, bool fresh) {
  if (fresh) ++kinds_[kind(message)];
  RoutedMessage envelope{from, key, std::move(message), born, ++envelopes_sent_};
  if (from == to) return send_off(std::chrono::microseconds(1), What::arrive, to, envelope);
  ++result_.messages;
  record_message(Happening::send, from, to, envelope);
  bool parted = parted_.contains(from) != parted_.contains(to);
  bool lost = !calm_ && (parted || chances_.chance(options_.lose));
  bool twice = !calm_ && chances_.chance(options_.duplicate);
  Duration delay = options_.latency.draw(random_);
  if (!peers_[to].up && !key && !twice && chances_.chance(0.5))
    return send_off(delay, What::refused, from, std::move(envelope), to);
  if (twice && !lost) record_message(Happening::duplicate, from, to, envelope);
  if (lost && !twice) record_message(Happening::lose, from, to, envelope);
  if (twice) {
    Duration later = delay + options_.latency.draw(random_) * static_cast<int>(chances_.below(4));
    send_off(later, What::arrive, to, envelope);
  }
  if (!lost) send_off(delay, What::arrive, to, std::move(envelope));
}

template <class P>
void OverlaySimulation<P>::send_off(Duration after, What what, Node node, RoutedMessage envelope,
                                    std::uint64_t by) {
  plan(after, what, node, envelopes_.put(std::move(envelope)), by);
}

/// A message that was sent straight to a node does not reach a later life of it, and none that is
/// older than half a lease reaches any node.
template <class P>
void OverlaySimulation<P>::arrive(Node node, std::uint32_t slot, std::uint32_t life) {
  RoutedMessage envelope = *envelopes_.take(slot);
  Peer& peer = peers_[node];
  Duration expiry = options_.tuning.replication.lease / 2;
  if (!peer.up || (!envelope.key && peer.life != life)) return;
  if (expiry > Duration::zero() && now_ - envelope.born > expiry) return void(++result_.expired);
  note(node, [&] {
    std::string how = envelope.key ? "passes " : "gets ";
    return how + print(envelope.message) + " from " + std::to_string(envelope.from);
  });
  if (envelope.from != node) record_message(Happening::receive, node, envelope.from, envelope);
  incoming_ = envelope.born;
  NodeId from = peers_[envelope.from].id;
  if constexpr (SelfRouting<P>) {
    std::visit(
        [&](const auto& chosen) {
          call(node, [&](P& p, Out& out) { p.receive(from, chosen, out); });
        },
        envelope.message);
  } else {
    hop(node, envelope, from);
  }
}

template <class P>
void OverlaySimulation<P>::hop(Node node, RoutedMessage& envelope, NodeId from) {
  Message& m = envelope.message;
  if (!envelope.key) return call(node, [&](P& p, Out& out) { p.receive(from, m, out); });
  auto next = overlay_.next_hop(peers_[node].id, *envelope.key);
  if (!next) return call(node, [&](P& p, Out& out) { p.deliver(*envelope.key, m, out); });
  auto passage = overlay::Passage::go_on;
  call(node, [&](P& p, Out& out) { passage = p.forward(*envelope.key, m, *next, out); });
  if (passage == overlay::Passage::go_on)
    post(node, node_number(*next), envelope.key, std::move(m), envelope.born, false);
}

template <class P>
void OverlaySimulation<P>::refused(Node node, std::uint32_t slot, std::uint64_t by,
                                   std::uint32_t life) {
  RoutedMessage envelope = *envelopes_.take(slot);
  if (!peers_[node].up || peers_[node].life != life) return;
  record_message(Happening::lose, node, static_cast<Node>(by), envelope);
  ++result_.unreachable;
  note(node,
       [&] { return "cannot reach " + std::to_string(by) + " for " + print(envelope.message); });
  incoming_ = envelope.born;
  call(node, [&](P& p, Out& out) {
    if constexpr (SelfRouting<P>)
      p.undelivered(peers_[by].id, envelope.message, out);
    else
      p.unreachable(peers_[by].id, envelope.message, out);
  });
}

}  // namespace conch::sim
