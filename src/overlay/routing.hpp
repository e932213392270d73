// Key-based routing: what an overlay offers, and what a protocol over it is.
//
// An overlay is a value at each node, one for all locks, that knows a few others and finds the root
// of a key: the live node that is nearest to it. A routed protocol is a value for each lock and
// node that names no overlay: it routes to keys, looks at what passes through its node, and is
// given what arrives at the root. `Router` (router.hpp) joins the two.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/contract.hpp"

namespace conch::overlay {

/// A place on the ring of 2^64; a node's identifier is its place.
enum class Key : std::uint64_t {};
constexpr Key key_of(NodeId node) { return Key{node.value}; }

/// Clockwise, from one place to another.
constexpr std::uint64_t distance(Key from, Key to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

/// The keys from the first to the last, both included, clockwise: at least one.
struct Arc {
  Key first;
  Key last;
  CONCH_FIELDS(Arc, first, last)

  bool contains(Key key) const { return distance(first, key) <= distance(first, last); }
  bool contains(const Arc& part) const {
    return contains(part.last) && distance(first, part.first) <= distance(first, part.last);
  }
};

/// A message that has made so many hops goes round in circles, and is dropped.
constexpr unsigned hops_max = 64;

/// A node alone is an overlay of one. It joins others by `join`, through any one of them. `suspect`
/// tells it which nodes the world believes dead, rightly or not. Messages come by `receive`.
template <class O>
concept Overlay = std::copyable<O> && std::equality_comparable<O> && HasFields<O> &&
    requires(O o, const O& c, Key key, NodeId node, TimerId timer,
             Outbox<typename O::Message>& out) {
  std::variant_size<typename O::Message>::value;
  o.join(node, out);
  o.leave(out);
  o.suspect(node, out);
  o.timer(timer, out);
  /// Where a message for this key goes from here; empty if this node is the key's root, or will be
  /// when it has joined.
  { c.next_hop(key) } -> std::same_as<std::optional<NodeId>>;
  /// The keys whose root this node is; none while it joins, from when it leaves, and while it
  /// cannot know that no other node acts for them.
  { c.domain() } -> std::same_as<std::optional<Arc>>;
  /// Whether it is a member of the ring or is joining it, and not leaving.
  { c.stays() } -> std::same_as<bool>;
  /// The leaf set, or the successors and the predecessor.
  { c.neighbours() } -> std::same_as<std::vector<NodeId>>;
};

/// What becomes of a message that passes through a node on its way to a key.
enum class Passage : std::uint8_t { go_on, stop };

/// What a routed protocol wants done: an outbox that can also route.
template <class Message>
class RoutedOutbox : public Outbox<Message> {
 public:
  struct Route {
    Key key;
    Message message;
  };
  /// Sends hop by hop. Every node on the path sees the message, except this one.
  void route(Key key, Message message) { routes_.push_back({key, std::move(message)}); }
  std::vector<Route>& routes() { return routes_; }
  void clear() { Outbox<Message>::clear(), routes_.clear(); }

 private:
  std::vector<Route> routes_;
};

/// A protocol of one lock at one node. A routed message passes `forward` at each node on the path,
/// where it may be changed or stopped, and ends in `deliver` at its key's root. `receive` gets what
/// was sent straight to this node, and `unreachable` what was certainly not delivered to another.
///
/// `moved` says, in the step in which `next_hop` changes, of which keys this node was the root and
/// of which it is now; none before it has joined. What is then routed to a key that it lost
/// arrives at the new root. `lapsed` says that the node, which stays, is not the root of any key
/// until the next `moved`, and that others may act for its keys meanwhile. `tell_time` says, before
/// anything else in a world whose nodes forget, what time it is (fence_clock.hpp).
template <class P>
concept RoutedProtocol = std::copyable<P> && std::equality_comparable<P> && HasFields<P> &&
    requires(P p, Key key, NodeId node, TimerId timer, typename P::Message m, const DataRef& data,
             const std::optional<Arc>& domain, RoutedOutbox<typename P::Message>& out) {
  p.request(out);
  p.release(data, out);
  p.cancel(out);
  { p.forward(key, m, node, out) } -> std::same_as<Passage>;
  p.deliver(key, m, out);
  p.receive(node, m, out);
  p.unreachable(node, m, out);
  p.moved(domain, domain, out);
  p.lapsed(out);
  p.tell_time(Fence{});
  p.suspect(node, out);
  p.timer(timer, out);
};

}  // namespace conch::overlay
