// A routed protocol and an overlay as one algorithm, which any world runs.
//
// What the protocol routes goes hop by hop as CARRIED; what it sends goes straight, as DIRECT. The
// overlay's own messages and timers pass beside them. A node that sends to itself, or routes to a
// key of its own, is told in the same call.
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "overlay/routing.hpp"

namespace conch::overlay {

namespace detail {
template <class Variant, class... More>
struct Extended;
template <class... Ms, class... More>
struct Extended<std::variant<Ms...>, More...> {
  using type = std::variant<Ms..., More...>;
};
template <class M, class Variant>
inline constexpr bool is_one_of = false;
template <class M, class... Ms>
inline constexpr bool is_one_of<M, std::variant<Ms...>> = (std::same_as<M, Ms> || ...);
}  // namespace detail

template <RoutedProtocol P, Overlay O>
class Routed {
 public:
  struct Carried {
    Key key;
    NodeId source;
    unsigned hops = 0;
    typename P::Message message;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Carried, key, source, hops, message)
  };
  struct Direct {
    typename P::Message message;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Direct, message)
  };
  using Message = typename detail::Extended<typename O::Message, Carried, Direct>::type;
  using Out = Outbox<Message>;

  static constexpr About about = P::about;
  /// The overlay's timers come behind the protocol's.
  static constexpr std::uint8_t first_overlay_timer = 128;
  static constexpr TimerId held_timer{127};
  /// So many messages wait for this node to be a root, for half a lease; more are dropped.
  static constexpr std::size_t held_max = 64;

  Routed(NodeId self, const Assignment& start) : Routed(self, P(self, start), O(self, start)) {
    hold_for_ = start.tuning.replication.lease / 2;
  }
  Routed(NodeId self, P protocol, O overlay)
      : self_(self), protocol_(std::move(protocol)), overlay_(std::move(overlay)) {}

  // The process.
  void request(Out& out) {
    act([&](auto& mine) { protocol_.request(mine); }, out);
  }
  void release(const DataRef& data, Out& out) {
    act([&](auto& mine) { protocol_.release(data, mine); }, out);
  }
  void cancel(Out& out) {
    act([&](auto& mine) { protocol_.cancel(mine); }, out);
  }

  // The world.
  void tell_time(Fence now) { protocol_.tell_time(now); }
  void start(Out& out) {
    tend([&](auto& mine) { overlay_.start(mine); }, out);
    if constexpr (requires(ProtocolOut & mine) { protocol_.start(mine); })
      act([&](auto& mine) { protocol_.start(mine); }, out);
  }
  void timer(TimerId timer, Out& out) {
    auto number = static_cast<std::uint8_t>(timer);
    if (timer == held_timer) return held_.clear();
    if (number < first_overlay_timer)
      return act([&](auto& mine) { protocol_.timer(timer, mine); }, out);
    auto of_overlay = static_cast<TimerId>(number - first_overlay_timer);
    tend([&](auto& mine) { overlay_.timer(of_overlay, mine); }, out);
  }
  void suspect(NodeId node, Out& out) {
    tend([&](auto& mine) { overlay_.suspect(node, mine); }, out);
    act([&](auto& mine) { protocol_.suspect(node, mine); }, out);
  }
  void join(NodeId contact, Out& out) {
    tend([&](auto& mine) { overlay_.join(contact, mine); }, out);
  }
  void leave(Out& out) {
    tend([&](auto& mine) { overlay_.leave(mine); }, out);
  }
  /// An overlay finds its members itself.
  void roster(const Members&, Out&) {}
  /// This could certainly not be delivered: it is routed anew, or the protocol decides.
  void undelivered(NodeId to, const Message& message, Out& out) {
    tend([&](auto& mine) { overlay_.suspect(to, mine); }, out);
    if (auto* carried = std::get_if<Carried>(&message)) return carry(*carried, out);
    if (auto* direct = std::get_if<Direct>(&message))
      act([&](auto& mine) { protocol_.unreachable(to, direct->message, mine); }, out);
  }
  /// How far another is, as the world has measured it.
  void learn(NodeId node, Duration latency) {
    if constexpr (requires { overlay_.learn(node, latency); }) overlay_.learn(node, latency);
  }

  template <class M>
  requires detail::is_one_of<M, typename O::Message>
  void receive(NodeId from, const M& m, Out& out) {
    tend([&](auto& mine) { overlay_.receive(from, m, mine); }, out);
  }
  void receive(NodeId, const Carried& m, Out& out) {
    std::optional<NodeId> next = overlay_.next_hop(m.key);
    if (!next) return carry(m, out);
    Carried further = m;
    Passage passage = Passage::go_on;
    act([&](auto& mine) { passage = protocol_.forward(m.key, further.message, *next, mine); }, out);
    if (passage == Passage::go_on) carry(std::move(further), out);
  }
  void receive(NodeId from, const Direct& m, Out& out) {
    act([&](auto& mine) { protocol_.receive(from, m.message, mine); }, out);
  }

  // What the checker asks.
  /// Whether this message, now or at any later time, changes nothing here and is at most carried
  /// on.
  bool passes_by(NodeId from, const Message& message) const {
    if (auto* carried = std::get_if<Carried>(&message)) {
      if (overlay_.next_hop(carried->key)) return !P::intercepts;
      return protocol_.ignores(self_, carried->message);
    }
    auto* direct = std::get_if<Direct>(&message);
    return direct != nullptr && protocol_.ignores(from, direct->message);
  }
  void asks_no_more() { protocol_.asks_no_more(); }

  const P& protocol() const { return protocol_; }
  const O& overlay() const { return overlay_; }

 private:
  using ProtocolOut = RoutedOutbox<typename P::Message>;
  using OverlayOut = Outbox<typename O::Message>;

  /// Lets the protocol act, and does what it wants done.
  template <class F>
  void act(F&& f, Out& out) {
    ProtocolOut mine;
    f(mine);
    fulfil(mine, out);
  }
  void fulfil(ProtocolOut& mine, Out& out) {
    for (const Effect& effect : mine.effects())
      std::visit([&](const auto& chosen) { pass_on(chosen, out); }, effect);
    for (auto& [to, message] : mine.sends()) {
      if (to != self_) {
        out.send(to, Direct{std::move(message)});
      } else {
        act([&, &own = message](auto& again) { protocol_.receive(self_, own, again); }, out);
      }
    }
    for (auto& [key, message] : mine.routes())
      carry(Carried{key, self_, 0, std::move(message)}, out);
  }

  /// One hop, or none if this is the root.
  void carry(Carried carried, Out& out) {
    if (std::optional<NodeId> next = overlay_.next_hop(carried.key)) {
      if (++carried.hops <= hops_max) out.send(*next, std::move(carried));
      return;
    }
    std::optional<Arc> domain = overlay_.domain();
    if (domain && domain->contains(carried.key)) {
      act([&](auto& mine) { protocol_.deliver(carried.key, carried.message, mine); }, out);
    } else if (held_.size() < held_max) {
      if (held_.empty() && hold_for_ > Duration::zero()) out.arm(held_timer, hold_for_, hold_for_);
      held_.push_back(std::move(carried));
    }
  }

  /// Lets the overlay act; the protocol hears of what has changed.
  template <class F>
  void tend(F&& f, Out& out) {
    std::optional<Arc> before = overlay_.domain();
    OverlayOut mine;
    f(mine);
    for (auto& [to, message] : mine.sends())
      std::visit([&, &to = to](auto& chosen) { out.send(to, std::move(chosen)); }, message);
    for (const Effect& effect : mine.effects())
      std::visit([&](const auto& chosen) { pass_on_from_overlay(chosen, out); }, effect);
    std::optional<Arc> after = overlay_.domain();
    if (before == after) return;
    if (!after && overlay_.stays()) return act([&](auto& ours) { protocol_.lapsed(ours); }, out);
    act([&](auto& ours) { protocol_.moved(before, after, ours); }, out);
    if (after)
      for (Carried& each : std::exchange(held_, {})) carry(std::move(each), out);
  }

  void pass_on(const Entered& effect, Out& out) { out.enter(effect.baton, effect.parts); }
  void pass_on(const Withdrawn&, Out& out) { out.withdrawn(); }
  void pass_on(const Forfeited&, Out& out) { out.forfeit(); }
  void pass_on(const Joined&, Out& out) { out.joined(); }
  void pass_on(const Left&, Out& out) { out.left(); }
  void pass_on(const Armed& effect, Out& out) { out.arm(effect.timer, effect.min, effect.max); }
  void pass_on(const Disarmed& effect, Out& out) { out.disarm(effect.timer); }

  template <class E>
  void pass_on_from_overlay(const E& effect, Out& out) {
    if constexpr (std::same_as<E, Armed>) {
      out.arm(behind(effect.timer), effect.min, effect.max);
    } else if constexpr (std::same_as<E, Disarmed>) {
      out.disarm(behind(effect.timer));
    } else {
      pass_on(effect, out);
    }
  }
  static TimerId behind(TimerId timer) {
    return static_cast<TimerId>(static_cast<std::uint8_t>(timer) + first_overlay_timer);
  }

  NodeId self_;
  P protocol_;
  O overlay_;
  Duration hold_for_{};
  std::vector<Carried> held_;

 public:
  CONCH_FIELDS(Routed, self_, protocol_, overlay_, held_)
};

}  // namespace conch::overlay
