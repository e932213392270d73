// One overlay for a peer, and a protocol value for each lock that it uses, serves or passes on:
// what `Routed` is for one lock.
//
// The first call or message that mentions a lock makes its value. By then the node may have had its
// keys for a while. The value is told so, and decides by that whether it has forgotten anything.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "core/flat_set.hpp"
#include "overlay/fence_clock.hpp"
#include "overlay/router.hpp"
#include "overlay/tenure.hpp"

namespace conch::overlay {

/// Messages name their lock.
template <class M>
struct NamedLocks {
  using Name = std::string;
  struct Carried {
    std::string lock;
    Key key{};
    unsigned hops = 0;
    /// Upper bound of the age of the message when it left the last node.
    Duration age{};
    M message;
    CONCH_FIELDS(Carried, lock, key, hops, age, message)
  };
  struct Direct {
    std::string lock;
    M message;
    CONCH_FIELDS(Direct, lock, message)
  };

  /// What calls want done: all sends, then the effects.
  template <class Message>
  struct Out {
    struct Send {
      NodeId to;
      Message message;
    };
    struct LockEffect {
      /// Empty for an effect of the overlay.
      std::string lock;
      Effect effect;
    };
    Time now{};
    std::vector<Send> sends;
    std::vector<LockEffect> effects;

    void send(NodeId to, Message message) { sends.push_back({to, std::move(message)}); }
    void add(Effect effect, std::string lock = {}) {
      effects.push_back({std::move(lock), std::move(effect)});
    }
  };

  static Carried carried(const std::string& lock, Key key, NodeId, M message) {
    return {lock, key, 0, {}, std::move(message)};
  }
  static Direct direct(const std::string& lock, M message) { return {lock, std::move(message)}; }
};

template <RoutedProtocol P, Overlay O>
class RoutedLocks : public Router<RoutedLocks<P, O>, P, O, NamedLocks> {
  using Base = Router<RoutedLocks<P, O>, P, O, NamedLocks>;
  friend Base;

 public:
  using typename Base::Carried, typename Base::Direct, typename Base::Out;

  /// The state of this peer's process for a lock.
  enum class Position : std::uint8_t { idle, asked, inside };
  struct Lock {
    P protocol;
    Position position = Position::idle;
    Time since{};
    Fence fence{};
    /// When it was used last, and its running timers.
    Time touched{};
    FlatSet<TimerId> timers = {};
  };

  RoutedLocks(NodeId self, const Replication& terms, O overlay, FenceClock clock)
      : Base(self, std::move(overlay), terms.lease), terms_(terms), clock_(clock) {}

  // Calls of the process. They return false if its position does not allow them.
  bool request(const std::string& lock, Out& out) {
    Lock& one = at(lock, out);
    if (one.position != Position::idle) return false;
    one.position = Position::asked;
    one.since = out.now;
    act(lock, out, [](P& protocol, auto& own) { protocol.request(own); });
    return true;
  }
  bool cancel(const std::string& lock, Out& out) {
    if (at(lock, out).position != Position::asked) return false;
    act(lock, out, [](P& protocol, auto& own) { protocol.cancel(own); });
    return true;
  }
  bool release(const std::string& lock, const DataRef& data, Out& out) {
    Lock& one = at(lock, out);
    if (one.position != Position::inside) return false;
    one.position = Position::idle;
    act(lock, out, [&](P& protocol, auto& own) { protocol.release(data, own); });
    return true;
  }

  // The world; see Router.
  void join(NodeId contact, Out& out) {
    founder_ = false;
    Base::join(contact, out);
  }
  void timer(const std::string& lock, TimerId timer, Out& out) {
    if (lock.empty()) return this->router_timer(timer, out);
    auto found = locks_.find(lock);
    if (found == locks_.end()) return;
    found->second.timers.erase(timer);
    act(lock, out, [&](P& protocol, auto& own) { protocol.timer(timer, own); });
  }

  /// Whether a message can be about this lock at all: the replica that it names exists.
  bool makes_sense(const Carried& m) const {
    return replicas_of(m.lock).at(m.key).has_value() && names_replica(m.message);
  }
  bool makes_sense(const Direct& m) const { return names_replica(m.message); }

  /// Replaces the value of a lock after a message has broken its invariants. The new value knows
  /// nothing, and acts accordingly. If the process held the lock, or waited for it, it loses that.
  void begin_anew(const std::string& lock, Out& out) {
    auto found = locks_.find(lock);
    if (found == locks_.end()) return;
    for (TimerId timer : found->second.timers) out.add(Disarmed{timer}, lock);
    if (found->second.position != Position::idle) out.add(Forfeited{}, lock);
    locks_.erase(found);
    locks_.emplace(lock, Lock{make(lock, out.now)});
    has_moved(lock, this->overlay_.domain(), out);
  }

  /// Drops the values that remember nothing: those idle for several leases whose node serves none
  /// of their replicas.
  std::size_t forget_idle(Time now) {
    return std::erase_if(locks_, [&](const auto& each) {
      const Lock& lock = each.second;
      bool used = lock.position != Position::idle || !lock.timers.empty();
      return !used && lock.touched + idle_leases * terms_.lease < now &&
             served_keys(each.first).empty();
    });
  }

  const std::map<std::string, Lock>& locks() const { return locks_; }

 private:
  /// After so many leases, nothing that was sent before counts, and everything has been renewed.
  static constexpr int idle_leases = 4;

  /// A domain that this node had until some time ago.
  struct Past {
    std::optional<Arc> domain;
    Time until;
  };

  Replication terms_of(const std::string& lock) const {
    Replication terms = terms_;
    terms.name = hash_of_name(lock);
    return terms;
  }
  Replicas replicas_of(const std::string& lock) const { return Replicas(terms_of(lock)); }
  P make(const std::string& lock, Time now) const {
    Tuning tuning;
    tuning.replication = terms_of(lock);
    Assignment start = Assignment::fresh(Members{}, this->self_, tuning);
    start.baton.fence = clock_.at(now);
    return P(this->self_, start);
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

  /// The keys of those of its replicas whose root this node is.
  std::vector<Key> served_keys(const std::string& lock) const {
    std::optional<Arc> domain = this->overlay_.domain();
    Replicas replicas = replicas_of(lock);
    std::vector<Key> keys;
    for (Index i = 0; domain && i < replicas.size(); ++i)
      if (domain->contains(replicas.key(i))) keys.push_back(replicas.key(i));
    return keys;
  }

  Lock& at(const std::string& name, Out& out) {
    auto place = locks_.find(name);
    bool fresh = place == locks_.end();
    if (fresh) place = locks_.emplace(name, Lock{make(name, out.now)}).first;
    place->second.touched = out.now;
    if (fresh) begin(place->first, out);
    return place->second;
  }
  /// Tells a new value whether its node got its keys lately, or has had them for long.
  void begin(const std::string& lock, Out& out) {
    std::optional<Arc> domain = this->overlay_.domain();
    if (!domain || founder_) return;
    has_moved(lock, domain, out);
    if (!settled(lock, out.now)) return;
    act(lock, out, [](P& protocol, auto& own) { protocol.timer(timer_of(Alarm::settle), own); });
  }
  void has_moved(const std::string& lock, const std::optional<Arc>& domain, Out& out) {
    act(lock, out, [&](P& protocol, auto& own) { protocol.moved(std::nullopt, domain, own); });
  }
  bool settled(const std::string& lock, Time now) {
    forget_past(now);
    for (Key key : served_keys(lock))
      for (const Past& past : past_)
        if (!past.domain || !past.domain->contains(key)) return false;
    return true;
  }
  /// Drops the past domains that are so old that no vote or lease from then is still alive.
  void forget_past(Time now) {
    Duration alive = 2 * with_drift(terms_.lease);
    std::erase_if(past_, [&](const Past& past) { return past.until + alive < now; });
  }

  template <class F>
  void act(const std::string& name, Out& out, F&& f) {
    act(name, at(name, out), out, f);
  }
  template <class F>
  void act_all(Out& out, F&& f) {
    for (auto& [name, lock] : locks_) act(name, lock, out, f);
  }
  template <class F>
  void act(const std::string& name, Lock& lock, Out& out, F& f) {
    typename Base::ProtocolOut own;
    lock.protocol.tell_time(clock_.at(out.now));
    f(lock.protocol, own);
    for (const Effect& effect : own.effects()) {
      std::visit([&](const auto& chosen) { note(lock, chosen, out.now); }, effect);
      out.add(effect, name);
    }
    this->dispatch(name, own, out);
  }
  static void note(Lock& lock, const Entered& entered, Time now) {
    lock.position = Position::inside;
    lock.since = now;
    lock.fence = entered.baton.fence;
  }
  static void note(Lock& lock, const Withdrawn&, Time) { lock.position = Position::idle; }
  static void note(Lock& lock, const Forfeited&, Time) { lock.position = Position::idle; }
  static void note(Lock& lock, const Armed& armed, Time) { lock.timers.insert(armed.timer); }
  static void note(Lock& lock, const Disarmed& disarmed, Time) {
    lock.timers.erase(disarmed.timer);
  }
  template <class E>
  static void note(Lock&, const E&, Time) {
    CONCH_EXPECT(false, "the overlay joins and leaves, not a lock");
  }

  void domain_changes(const std::optional<Arc>& before, const std::optional<Arc>& after, Out& out) {
    if (after) mind_company(out);
    founder_ &= before && after && before->contains(*after);
    forget_past(out.now);
    past_.push_back({before, out.now});
  }
  /// A node that had several neighbours and has none now is more likely cut off than the last one:
  /// as the root of every key it would confirm its own leases for ever. So it gives up the locks
  /// that it holds.
  void mind_company(Out& out) {
    std::size_t company = this->overlay_.neighbours().size();
    bool was_left = company == 0 && company_ >= 2;
    company_ = company == 0 ? 0 : std::max(company_, company);
    if (!was_left) return;
    for (auto& [name, lock] : locks_)
      if (lock.position == Position::inside && release(name, DataRef{}, out))
        out.add(Forfeited{}, name);
  }

  Replication terms_;
  FenceClock clock_;
  std::map<std::string, Lock> locks_;
  /// This node has had all its keys since there was a ring.
  bool founder_ = true;
  /// The most neighbours that it has had since it was alone.
  std::size_t company_ = 0;
  std::vector<Past> past_;
};

}  // namespace conch::overlay
