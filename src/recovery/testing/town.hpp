// A few view protocols, a register that answers at once, and FIFO channels: the test decides what
// happens next.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recovery/algorithm_of.hpp"
#include "recovery/specimens.hpp"
#include "recovery/view_protocol.hpp"

namespace conch::recovery::testing {

template <Exclusive A>
class Town {
 public:
  struct InFlight {
    PeerInstance from;
    PeerInstance to;
    Message message;
  };

  explicit Town(Rule without = Rule::none, Tuning tuning = {})
      : charter_{std::string(A::about.name), &algorithm_of<A>(), tuning, policy_without(without)} {}

  /// A peer with this id asks to join, and learns that it may.
  PeerInstance come(std::uint64_t id) {
    PeerInstance life = start(id);
    propose(life, at(life).admission(snapshot()));
    return life;
  }
  /// A peer joins, and all members have heard of it.
  PeerInstance settle_in(std::uint64_t id) {
    PeerInstance life = come(id);
    settle();
    return life;
  }
  PeerInstance start(std::uint64_t id) {
    PeerInstance life{NodeId{id}, Incarnation{++incarnations_}};
    peers_.emplace(life, ViewProtocol({life.id, life.incarnation}, charter_));
    return life;
  }
  /// Proposes a view. True if the register accepts it.
  bool propose(const PeerInstance& by, const View& next) {
    bool accepted = next.number == view_.number + 1;
    if (accepted) view_ = next;
    look(by);
    return accepted;
  }
  void look(const PeerInstance& life) {
    call(life, [&](auto& peer, auto& out) { peer.learn(snapshot(), out); });
  }
  void look_all() {
    for (const PeerInstance& life : lives()) look(life);
  }
  void evict_dead(const PeerInstance& by) {
    look(by);
    if (auto view = at(by).eviction()) propose(by, *view);
  }

  void request(const PeerInstance& life, const std::string& lock = "a", const Wish& wish = {}) {
    call(life, [&](auto& peer, auto& out) { peer.request(lock, wish, out); });
  }
  void release(const PeerInstance& life, const DataRef& data = {}, const std::string& lock = "a") {
    call(life, [&](auto& peer, auto& out) { peer.release(lock, data, out); });
  }
  void cancel(const PeerInstance& life, const std::string& lock = "a") {
    call(life, [&](auto& peer, auto& out) { peer.cancel(lock, out); });
  }
  void lapse(const PeerInstance& life) {
    call(life, [](auto& peer, auto& out) { peer.lapse(out); });
  }
  /// Kills a peer. What it has sent is still delivered, and its lease ends.
  void kill(const PeerInstance& life) {
    peers_.erase(life);
    ended_.push_back(life);
  }
  void end_lease(const PeerInstance& life) { ended_.push_back(life); }

  /// Delivers the oldest message from one peer to the other; false if there is none.
  bool deliver(const PeerInstance& from, const PeerInstance& to) {
    return deliver_if([&](const InFlight& each) { return each.from == from && each.to == to; });
  }
  void settle() {
    while (deliver_if([](const InFlight&) { return true; })) {
    }
  }
  std::size_t in_flight() const { return in_flight_.size(); }
  /// The locks of a report that is on its way.
  std::vector<std::string> reported(const PeerInstance& from) const {
    std::vector<std::string> locks;
    for (const InFlight& each : in_flight_)
      if (const auto* report = std::get_if<Report>(&each.message); report && each.from == from)
        for (const LockReport& lock : report->locks) locks.push_back(lock.lock);
    return locks;
  }

  ViewProtocol& at(const PeerInstance& life) { return peers_.at(life); }
  std::vector<PeerInstance> lives() const {
    std::vector<PeerInstance> all;
    for (const auto& [life, peer] : peers_) all.push_back(life);
    return all;
  }
  const View& view() const { return view_; }
  RegisterSnapshot snapshot() const {
    RegisterSnapshot snapshot{view_, {}};
    for (const PeerInstance& life : view_.lives())
      if (std::find(ended_.begin(), ended_.end(), life) != ended_.end())
        snapshot.ended.push_back(life);
    return snapshot;
  }
  /// What a process was told, in order.
  template <class E>
  std::vector<E> told(const PeerInstance& life) const {
    std::vector<E> found;
    for (const auto& [to, event] : events_)
      if (const auto* chosen = std::get_if<E>(&event); chosen && to == life)
        found.push_back(*chosen);
    return found;
  }

 private:
  template <class Call>
  void call(const PeerInstance& life, Call&& run) {
    ReadableEffects out(now_ += std::chrono::milliseconds(1));
    run(at(life), out);
    for (auto& send : out.sends) in_flight_.push_back({life, send.to, std::move(send.message)});
    for (auto& event : out.events) events_.emplace_back(life, std::move(event));
  }
  template <class Which>
  bool deliver_if(Which&& which) {
    auto found = std::find_if(in_flight_.begin(), in_flight_.end(), which);
    if (found == in_flight_.end()) return false;
    InFlight chosen = std::move(*found);
    in_flight_.erase(found);
    if (!peers_.contains(chosen.to)) return true;
    call(chosen.to, [&](auto& peer, auto& out) { peer.receive(chosen.from, chosen.message, out); });
    return true;
  }

  Charter charter_;
  Time now_{};
  std::uint64_t incarnations_ = 0;
  View view_;
  std::vector<PeerInstance> ended_;
  std::map<PeerInstance, ViewProtocol> peers_;
  std::deque<InFlight> in_flight_;
  std::vector<std::pair<PeerInstance, MemberEvent>> events_;
};

/// Three members, the first of which has founded the group.
template <Exclusive A>
struct Three : Town<A> {
  explicit Three(Rule without = Rule::none) : Town<A>(without) {}
  PeerInstance a = this->settle_in(1);
  PeerInstance b = this->settle_in(2);
  PeerInstance c = this->settle_in(3);
};

}  // namespace conch::recovery::testing
