// How the messages of locks find their way over an overlay, in every world: `Routed` is an
// algorithm for one lock, `RoutedLocks` has all locks of a peer, and both are routers.
//
// What a protocol routes goes hop by hop as CARRIED; what it sends goes straight, as DIRECT. The
// overlay's own messages and timers pass beside them. What a node sends to itself, or routes to a
// key of its own, arrives in the same call.
#pragma once

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
}  // namespace detail

/// `Form` says what CARRIED and DIRECT look like, how they name a lock, and what calls write into.
/// `Self` derives from this class, and has the protocol's values:
///
///   act(lock, out, f)      calls f(protocol, own) of a lock, does what that wants of its process,
///                          and gives the rest to `dispatch`
///   act_all(out, f)        the same for every lock
///   domain_changes(before, after, out)  the protocols will be told next
template <class Self, RoutedProtocol P, Overlay O, template <class> class Form>
class Router {
 public:
  using Frames = Form<typename P::Message>;
  using Carried = typename Frames::Carried;
  using Direct = typename Frames::Direct;
  using Message = typename detail::Extended<typename O::Message, Carried, Direct>::type;
  using Out = typename Frames::template Out<Message>;

  /// Timers with a smaller number are a protocol's, those with a larger one the overlay's.
  static constexpr TimerId held_timer{127};
  /// At most so many messages wait for this node to be a root, for half a lease; more are dropped.
  static constexpr std::size_t held_max = 64;

  void start(Out& out) {
    tend(out, [&](auto& own) { overlay_.start(own); });
  }
  void join(NodeId contact, Out& out) {
    tend(out, [&](auto& own) { overlay_.join(contact, own); });
  }
  void leave(Out& out) {
    tend(out, [&](auto& own) { overlay_.leave(own); });
  }
  void suspect(NodeId node, Out& out) {
    tend(out, [&](auto& own) { overlay_.suspect(node, own); });
    derived().act_all(out, [&](P& protocol, auto& own) { protocol.suspect(node, own); });
  }
  /// The message was certainly not delivered: it is routed anew, or the protocol decides.
  void undelivered(NodeId to, const Message& message, Out& out) {
    tend(out, [&](auto& own) { overlay_.suspect(to, own); });
    if (auto* carried = std::get_if<Carried>(&message)) return carry(*carried, out);
    if (auto* direct = std::get_if<Direct>(&message))
      derived().act(direct->lock, out, [&](P& protocol, auto& own) {
        protocol.unreachable(to, direct->message, own);
      });
  }

  /// A message of the overlay.
  template <class M>
  void receive(NodeId from, const M& m, Out& out) {
    tend(out, [&](auto& own) { overlay_.receive(from, m, own); });
  }
  void receive(NodeId, const Carried& m, Out& out) {
    std::optional<NodeId> next = overlay_.next_hop(m.key);
    if (!next) return carry(m, out);
    Carried further = m;
    Passage passage = Passage::go_on;
    derived().act(m.lock, out, [&](P& protocol, auto& own) {
      passage = protocol.forward(m.key, further.message, *next, own);
    });
    if (passage == Passage::go_on) carry(std::move(further), out);
  }
  void receive(NodeId from, const Direct& m, Out& out) {
    derived().act(m.lock, out,
                  [&](P& protocol, auto& own) { protocol.receive(from, m.message, own); });
  }

  const O& overlay() const { return overlay_; }

 protected:
  using Name = typename Frames::Name;
  using ProtocolOut = RoutedOutbox<typename P::Message>;

  Router(NodeId self, O overlay, Duration lease)
      : self_(self), hold_for_(lease / 2), overlay_(std::move(overlay)) {}

  /// A timer that belongs to no protocol.
  void router_timer(TimerId timer, Out& out) {
    if (timer == held_timer) return held_.clear();
    tend(out, [&](auto& own) { overlay_.timer(shifted(timer, -first_of_overlay), own); });
  }

  /// Sends and routes what the protocol of a lock wants sent and routed.
  void dispatch(const Name& lock, ProtocolOut& own, Out& out) {
    for (auto& [to, message] : own.sends()) {
      if (to != self_) {
        out.send(to, Frames::direct(lock, std::move(message)));
      } else {
        derived().act(lock, out, [&, &said = message](P& protocol, auto& again) {
          protocol.receive(self_, said, again);
        });
      }
    }
    for (auto& [key, message] : own.routes())
      carry(Frames::carried(lock, key, self_, std::move(message)), out);
  }

  NodeId self_;
  Duration hold_for_;
  O overlay_;
  std::vector<Carried> held_;

 private:
  static constexpr int first_of_overlay = 128;
  static TimerId shifted(TimerId timer, int by) {
    return TimerId{static_cast<std::uint8_t>(static_cast<int>(timer) + by)};
  }

  Self& derived() { return static_cast<Self&>(*this); }

  /// Carries a message one hop, or delivers it if this is the root.
  void carry(Carried carried, Out& out) {
    if (std::optional<NodeId> next = overlay_.next_hop(carried.key)) {
      if (++carried.hops <= hops_max) out.send(*next, std::move(carried));
      return;
    }
    std::optional<Arc> domain = overlay_.domain();
    if (domain && domain->contains(carried.key)) {
      derived().act(carried.lock, out, [&](P& protocol, auto& own) {
        protocol.deliver(carried.key, carried.message, own);
      });
    } else if (held_.size() < held_max) {
      if (held_.empty() && hold_for_ > Duration::zero())
        out.add(Armed{held_timer, hold_for_, hold_for_});
      held_.push_back(std::move(carried));
    }
  }

  /// Calls the overlay, and tells the protocols how the keys of this node have changed.
  template <class F>
  void tend(Out& out, F&& f) {
    std::optional<Arc> before = overlay_.domain();
    Outbox<typename O::Message> own;
    f(own);
    for (auto& [to, message] : own.sends())
      std::visit([&, &to = to](auto& chosen) { out.send(to, std::move(chosen)); }, message);
    for (Effect effect : own.effects()) {
      std::visit(
          [](auto& chosen) {
            if constexpr (requires { chosen.timer; })
              chosen.timer = shifted(chosen.timer, first_of_overlay);
          },
          effect);
      out.add(std::move(effect));
    }
    std::optional<Arc> after = overlay_.domain();
    if (before == after) return;
    derived().domain_changes(before, after, out);
    if (!after && overlay_.stays())
      return derived().act_all(out, [](P& protocol, auto& ours) { protocol.lapsed(ours); });
    derived().act_all(out, [&](P& protocol, auto& ours) { protocol.moved(before, after, ours); });
    if (after)
      for (Carried& each : std::exchange(held_, {})) carry(std::move(each), out);
  }

 public:
  friend bool operator==(const Router&, const Router&) = default;
};

}  // namespace conch::overlay
