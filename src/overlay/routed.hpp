// A routed protocol and an overlay as one algorithm for one lock, which any world runs.
#pragma once

#include "overlay/router.hpp"

namespace conch::overlay {

/// Frames without the name of a lock: there is only one, and the world knows it.
template <class M>
struct OneLock {
  struct Name {};
  struct Carried {
    Key key;
    NodeId source;
    unsigned hops = 0;
    M message;
    static constexpr Name lock{};
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Carried, key, source, hops, message)
  };
  struct Direct {
    M message;
    static constexpr Name lock{};
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Direct, message)
  };
  template <class Message>
  using Out = Outbox<Message>;

  static Carried carried(Name, Key key, NodeId source, M message) {
    return {key, source, 0, std::move(message)};
  }
  static Direct direct(Name, M message) { return {std::move(message)}; }
};

template <RoutedProtocol P, Overlay O>
class Routed : public Router<Routed<P, O>, P, O, OneLock> {
  using Base = Router<Routed<P, O>, P, O, OneLock>;
  friend Base;
  using typename Base::Name;

 public:
  using typename Base::Carried, typename Base::Direct, typename Base::Message, typename Base::Out;

  static constexpr About about = P::about;

  Routed(NodeId self, const Assignment& start)
      : Base(self, O(self, start), start.tuning.replication.lease), protocol_(self, start) {}
  /// Without leases.
  Routed(NodeId self, P protocol, O overlay)
      : Base(self, std::move(overlay), Duration::zero()), protocol_(std::move(protocol)) {}

  // The process.
  void request(Out& out) {
    act({}, out, [](P& protocol, auto& own) { protocol.request(own); });
  }
  void release(const DataRef& data, Out& out) {
    act({}, out, [&](P& protocol, auto& own) { protocol.release(data, own); });
  }
  void cancel(Out& out) {
    act({}, out, [](P& protocol, auto& own) { protocol.cancel(own); });
  }

  // The world; see Router.
  void tell_time(Fence now) { protocol_.tell_time(now); }
  void timer(TimerId timer, Out& out) {
    if (timer >= Base::held_timer) return this->router_timer(timer, out);
    act({}, out, [&](P& protocol, auto& own) { protocol.timer(timer, own); });
  }
  /// An overlay finds its members itself.
  void roster(const Members&, Out&) {}

  // What the checker asks.
  /// Whether this message, now or at any later time, changes nothing here and is at most carried
  /// on.
  bool passes_by(NodeId from, const Message& message) const {
    if (auto* carried = std::get_if<Carried>(&message)) {
      if (this->overlay_.next_hop(carried->key)) return !P::intercepts;
      return protocol_.ignores(this->self_, carried->message);
    }
    auto* direct = std::get_if<Direct>(&message);
    return direct != nullptr && protocol_.ignores(from, direct->message);
  }
  void asks_no_more() { protocol_.asks_no_more(); }

  const P& protocol() const { return protocol_; }

 private:
  template <class F>
  void act(Name lock, Out& out, F&& f) {
    typename Base::ProtocolOut own;
    f(protocol_, own);
    for (const Effect& effect : own.effects()) out.add(effect);
    this->dispatch(lock, own, out);
  }
  template <class F>
  void act_all(Out& out, F&& f) {
    act({}, out, f);
  }
  void domain_changes(const std::optional<Arc>&, const std::optional<Arc>&, Out&) {}

  P protocol_;

 public:
  CONCH_FIELDS(Routed, self_, protocol_, overlay_, held_)
};

}  // namespace conch::overlay
