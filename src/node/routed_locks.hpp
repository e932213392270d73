// One overlay for a peer, and a protocol value for each lock that it uses, serves or passes on:
// what overlay::Routed is for one lock.
//
// A value is made by the first that mentions its lock. By then its node may have had its keys for a
// while: the value is told so, for it decides by that whether it may have forgotten something.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/flat_set.hpp"
#include "overlay/fence_clock.hpp"
#include "overlay/routed.hpp"
#include "overlay/tenure.hpp"
#include "recovery/orders.hpp"

namespace conch::node {

template <overlay::RoutedProtocol P, overlay::Overlay O>
class RoutedLocks {
 public:
  using Key = overlay::Key;
  using Arc = overlay::Arc;

  /// On its way to a key.
  struct Carried {
    std::string lock;
    Key key{};
    unsigned hops = 0;
    /// At most so old when it left the last node.
    Duration age{};
    typename P::Message message;
    CONCH_FIELDS(Carried, lock, key, hops, age, message)
  };
  struct Direct {
    std::string lock;
    typename P::Message message;
    CONCH_FIELDS(Direct, lock, message)
  };
  using Message = typename overlay::detail::Extended<typename O::Message, Carried, Direct>::type;

  struct Send {
    NodeId to;
    Message message;
  };
  /// What calls want done: all sends, then the events. Timers of the overlay are those of the lock
  /// without a name.
  struct Out {
    Time now{};
    std::vector<Send> sends;
    std::vector<recovery::Event> events;
  };

  /// What this peer's process has to do with a lock.
  enum class Position : std::uint8_t { idle, asked, inside };
  struct Lock {
    P protocol;
    Position position = Position::idle;
    Time since{};
    Fence fence{};
    /// When somebody last had to do with it, and what it waits for.
    Time touched{};
    FlatSet<TimerId> timers = {};
  };

  /// So many messages wait for this node to be a root; more are dropped.
  static constexpr std::size_t held_max = 64;

  RoutedLocks(NodeId self, const Replication& terms, O overlay, overlay::FenceClock clock)
      : self_(self), terms_(terms), overlay_(std::move(overlay)), clock_(clock) {}

  // The overlay.
  void start(Out& out) {
    tend([&](auto& mine) { overlay_.start(mine); }, out);
  }
  void join(NodeId contact, Out& out) {
    founder_ = false;
    tend([&](auto& mine) { overlay_.join(contact, mine); }, out);
  }
  void leave(Out& out) {
    tend([&](auto& mine) { overlay_.leave(mine); }, out);
  }
  void suspect(NodeId node, Out& out) {
    tend([&](auto& mine) { overlay_.suspect(node, mine); }, out);
    act_all([&](P& protocol, auto& mine) { protocol.suspect(node, mine); }, out);
  }
  void timer(const std::string& lock, TimerId timer, Out& out) {
    if (lock.empty()) return tend([&](auto& mine) { overlay_.timer(timer, mine); }, out);
    auto found = locks_.find(lock);
    if (found == locks_.end()) return;
    found->second.timers.erase(timer);
    act(
        lock, [&](P& protocol, auto& mine) { protocol.timer(timer, mine); }, out);
  }
  /// This was certainly not delivered: it is routed anew, or the protocol decides.
  void undelivered(NodeId to, const Message& message, Out& out) {
    tend([&](auto& mine) { overlay_.suspect(to, mine); }, out);
    if (const auto* carried = std::get_if<Carried>(&message)) return carry(*carried, out);
    if (const auto* direct = std::get_if<Direct>(&message))
      act(
          direct->lock,
          [&](P& protocol, auto& mine) { protocol.unreachable(to, direct->message, mine); }, out);
  }

  // The process. False if it is not in the position to.
  bool request(const std::string& lock, Out& out) {
    Lock& one = at(lock, out);
    if (std::exchange(one.position, Position::asked) != Position::idle) return false;
    one.since = out.now;
    act(
        lock, [](P& protocol, auto& mine) { protocol.request(mine); }, out);
    return true;
  }
  bool cancel(const std::string& lock, Out& out) {
    if (at(lock, out).position != Position::asked) return false;
    act(
        lock, [](P& protocol, auto& mine) { protocol.cancel(mine); }, out);
    return true;
  }
  bool release(const std::string& lock, const DataRef& data, Out& out) {
    Lock& one = at(lock, out);
    if (one.position != Position::inside) return false;
    one.position = Position::idle;
    act(
        lock, [&](P& protocol, auto& mine) { protocol.release(data, mine); }, out);
    return true;
  }

  // Messages.
  template <class M>
  requires overlay::detail::is_one_of<M, typename O::Message>
  void receive(NodeId from, const M& m, Out& out) {
    tend([&](auto& mine) { overlay_.receive(from, m, mine); }, out);
  }
  void receive(NodeId, const Carried& m, Out& out) {
    std::optional<NodeId> next = overlay_.next_hop(m.key);
    if (!next) return carry(m, out);
    Carried further = m;
    auto passage = overlay::Passage::go_on;
    act(
        m.lock,
        [&](P& protocol, auto& mine) {
          passage = protocol.forward(m.key, further.message, *next, mine);
        },
        out);
    if (passage == overlay::Passage::go_on) carry(std::move(further), out);
  }
  void receive(NodeId from, const Direct& m, Out& out) {
    act(
        m.lock, [&](P& protocol, auto& mine) { protocol.receive(from, m.message, mine); }, out);
  }

  /// Whether a message can be about this lock at all: it names no replica that there is not.
  bool makes_sense(const Carried& m) const {
    return replicas_of(m.lock).at(m.key).has_value() && names_replica(m.message);
  }
  bool makes_sense(const Direct& m) const { return names_replica(m.message); }

  /// It has made no sense to the value: a new one knows nothing, and acts like it. What the process
  /// held of it is lost.
  void begin_anew(const std::string& lock, Out& out) {
    auto found = locks_.find(lock);
    if (found == locks_.end()) return;
    for (TimerId timer : found->second.timers)
      out.events.push_back(recovery::LockDisarmed{lock, timer});
    if (found->second.position != Position::idle) out.events.push_back(recovery::Lost{lock});
    locks_.erase(found);
    locks_.emplace(lock, Lock{make(lock, out.now)});
    act(
        lock,
        [&](P& protocol, auto& mine) { protocol.moved(std::nullopt, overlay_.domain(), mine); },
        out);
  }

  /// Drops the values that remember nothing: whom nobody has needed since long before, and who are
  /// no replica.
  std::size_t forget_idle(Time now) {
    return std::erase_if(locks_, [&](const auto& each) {
      const Lock& lock = each.second;
      bool used = lock.position != Position::idle || !lock.timers.empty();
      return !used && lock.touched + idle_leases * terms_.lease < now && !serves(each.first);
    });
  }

  const O& overlay() const { return overlay_; }
  const std::map<std::string, Lock>& locks() const { return locks_; }

 private:
  using ProtocolOut = overlay::RoutedOutbox<typename P::Message>;
  using OverlayOut = Outbox<typename O::Message>;

  /// Nothing that was sent is alive after so many, and everything has been renewed.
  static constexpr int idle_leases = 4;

  /// A domain that this node had until some time ago.
  struct Past {
    std::optional<Arc> domain;
    Time until;
  };

  Replication terms_of(const std::string& lock) const {
    Replication terms = terms_;
    terms.name = overlay::hash_of_name(lock);
    return terms;
  }
  overlay::Replicas replicas_of(const std::string& lock) const {
    return overlay::Replicas(terms_of(lock));
  }
  P make(const std::string& lock, Time now) const {
    Tuning tuning;
    tuning.replication = terms_of(lock);
    Assignment start = Assignment::fresh(Members{}, self_, tuning);
    start.baton.fence = clock_.at(now);
    return P(self_, start);
  }

  bool names_replica(const typename P::Message& message) const {
    return std::visit(
        [&](const auto& m) {
          if constexpr (requires { m.forgotten; })
            return m.replica < terms_.replicas && m.forgotten < terms_.replicas;
          else if constexpr (requires { m.replica; })
            return m.replica < terms_.replicas;
          else
            return true;
        },
        message);
  }

  bool serves(const std::string& lock) const {
    std::optional<Arc> domain = overlay_.domain();
    overlay::Replicas replicas = replicas_of(lock);
    for (overlay::Index i = 0; domain && i < replicas.size(); ++i)
      if (domain->contains(replicas.key(i))) return true;
    return false;
  }

  Lock& at(const std::string& name, Out& out) {
    auto place = locks_.find(name);
    bool fresh = place == locks_.end();
    if (fresh) place = locks_.emplace(name, Lock{make(name, out.now)}).first;
    place->second.touched = out.now;
    if (fresh) begin(place->first, out);
    return place->second;
  }
  /// Since when its node has the keys of this lock, as far as that matters.
  void begin(const std::string& lock, Out& out) {
    std::optional<Arc> domain = overlay_.domain();
    if (!domain || founder_) return;
    act(
        lock, [&](P& protocol, auto& mine) { protocol.moved(std::nullopt, domain, mine); }, out);
    if (!settled(lock, *domain, out.now)) return;
    TimerId settle = overlay::timer_of(overlay::Alarm::settle);
    act(
        lock, [&](P& protocol, auto& mine) { protocol.timer(settle, mine); }, out);
  }
  bool settled(const std::string& lock, const Arc& domain, Time now) {
    forget_past(now);
    overlay::Replicas replicas = replicas_of(lock);
    for (overlay::Index i = 0; i < replicas.size(); ++i) {
      Key key = replicas.key(i);
      if (!domain.contains(key)) continue;
      for (const Past& past : past_)
        if (!past.domain || !past.domain->contains(key)) return false;
    }
    return true;
  }
  /// What was alive then is not any more.
  void forget_past(Time now) {
    Duration alive = 2 * overlay::with_drift(terms_.lease);
    std::erase_if(past_, [&](const Past& past) { return past.until + alive < now; });
  }

  template <class F>
  void act(const std::string& name, F&& f, Out& out) {
    act(name, at(name, out), f, out);
  }
  template <class F>
  void act_all(F&& f, Out& out) {
    for (auto& [name, lock] : locks_) act(name, lock, f, out);
  }
  template <class F>
  void act(const std::string& name, Lock& lock, F& f, Out& out) {
    ProtocolOut mine;
    lock.protocol.tell_time(clock_.at(out.now));
    f(lock.protocol, mine);
    fulfil(name, lock, mine, out);
  }
  void fulfil(const std::string& name, Lock& lock, ProtocolOut& mine, Out& out) {
    for (const Effect& effect : mine.effects())
      std::visit([&](const auto& chosen) { pass_on(name, lock, chosen, out); }, effect);
    for (auto& [to, message] : mine.sends()) {
      if (to != self_) {
        out.sends.push_back({to, Direct{name, std::move(message)}});
      } else {
        act(
            name,
            [&, &own = message](P& protocol, auto& again) { protocol.receive(self_, own, again); },
            out);
      }
    }
    for (auto& [key, message] : mine.routes())
      carry(Carried{name, key, 0, {}, std::move(message)}, out);
  }

  /// One hop, or none if this is the root.
  void carry(Carried carried, Out& out) {
    if (std::optional<NodeId> next = overlay_.next_hop(carried.key)) {
      if (++carried.hops <= overlay::hops_max) out.sends.push_back({*next, std::move(carried)});
      return;
    }
    std::optional<Arc> domain = overlay_.domain();
    if (domain && domain->contains(carried.key)) {
      act(
          carried.lock,
          [&](P& protocol, auto& mine) { protocol.deliver(carried.key, carried.message, mine); },
          out);
    } else if (held_.size() < held_max) {
      held_.push_back({std::move(carried), out.now});
    }
  }

  /// Lets the overlay act; the locks hear of what has changed.
  template <class F>
  void tend(F&& f, Out& out) {
    std::optional<Arc> before = overlay_.domain();
    OverlayOut mine;
    f(mine);
    for (auto& [to, message] : mine.sends())
      std::visit(
          [&, &to = to](auto& chosen) {
            out.sends.push_back({to, std::move(chosen)});
          },
          message);
    for (const Effect& effect : mine.effects())
      std::visit([&](const auto& chosen) { pass_on(chosen, out); }, effect);
    std::optional<Arc> after = overlay_.domain();
    if (before == after) return;
    if (after) mind_company(out);
    founder_ &= before && after && before->contains(after->first) &&
                overlay::distance(before->first, after->first) <=
                    overlay::distance(before->first, after->last) &&
                before->contains(after->last);
    forget_past(out.now);
    past_.push_back({before, out.now});
    if (!after && overlay_.stays())
      return act_all([](P& protocol, auto& ours) { protocol.lapsed(ours); }, out);
    act_all([&](P& protocol, auto& ours) { protocol.moved(before, after, ours); }, out);
    if (!after) return;
    for (auto& [carried, since] : std::exchange(held_, {}))
      if (out.now - since < terms_.lease / 2) carry(std::move(carried), out);
  }

  /// Who was one of several and finds itself alone is more likely to be cut off than to be the
  /// last: as the root of every key it would confirm its own leases for ever. So it gives up what
  /// it has.
  void mind_company(Out& out) {
    std::size_t company = overlay_.neighbours().size();
    bool was_left = company == 0 && company_ >= 2;
    company_ = company == 0 ? 0 : std::max(company_, company);
    if (!was_left) return;
    for (auto& [name, lock] : locks_) {
      if (lock.position != Position::inside) continue;
      release(name, DataRef{}, out);
      out.events.push_back(recovery::Lost{name});
    }
  }

  void pass_on(const std::string& name, Lock& lock, const conch::Entered& effect, Out& out) {
    lock.position = Position::inside;
    lock.since = out.now;
    lock.fence = effect.baton.fence;
    out.events.push_back(recovery::Granted{name, effect.baton});
  }
  void pass_on(const std::string& name, Lock& lock, const Withdrawn&, Out& out) {
    lock.position = Position::idle;
    out.events.push_back(recovery::Withdrew{name});
  }
  void pass_on(const std::string& name, Lock& lock, const Forfeited&, Out& out) {
    lock.position = Position::idle;
    out.events.push_back(recovery::Lost{name});
  }
  void pass_on(const std::string& name, Lock& lock, const Armed& effect, Out& out) {
    lock.timers.insert(effect.timer);
    out.events.push_back(recovery::LockArmed{name, Epoch{}, effect});
  }
  void pass_on(const std::string& name, Lock& lock, const Disarmed& effect, Out& out) {
    lock.timers.erase(effect.timer);
    out.events.push_back(recovery::LockDisarmed{name, effect.timer});
  }
  // Of groups, which is what the overlay is.
  void pass_on(const std::string&, Lock&, const Joined&, Out&) {}
  void pass_on(const std::string&, Lock&, const Left&, Out&) {}

  void pass_on(const Joined&, Out& out) { out.events.push_back(recovery::Admitted{}); }
  void pass_on(const Left&, Out& out) { out.events.push_back(recovery::Departed{}); }
  void pass_on(const Armed& effect, Out& out) {
    out.events.push_back(recovery::LockArmed{"", Epoch{}, effect});
  }
  void pass_on(const Disarmed& effect, Out& out) {
    out.events.push_back(recovery::LockDisarmed{"", effect.timer});
  }
  template <class E>
  void pass_on(const E&, Out&) {
    CONCH_EXPECT(false, "an overlay has no critical section");
  }

  NodeId self_;
  Replication terms_;
  O overlay_;
  overlay::FenceClock clock_;
  std::map<std::string, Lock> locks_;
  std::vector<std::pair<Carried, Time>> held_;
  /// Has had all its keys since there was a ring.
  bool founder_ = true;
  /// The most neighbours that it has had since it was alone.
  std::size_t company_ = 0;
  std::vector<Past> past_;
};

}  // namespace conch::node
