// Builds the state in which a lock starts with given holders and waiters.
//
// After a recovery every peer knows who holds a lock and who waits, in which order. Each peer then
// simulates the whole group: a fresh lock, first the holders ask, then the waiters in order, and
// every message arrives at once. It keeps its own value and drops the others. All peers run the
// same simulation, so the values fit together, and each is in a state that the algorithm reaches by
// itself; nothing new has to be proved.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/contract.hpp"
#include "recovery/algorithm.hpp"

namespace conch::recovery {

/// One peer's state after the simulation.
template <Exclusive A>
struct Rehearsed {
  A value;
  /// What it was granted, if it is inside.
  std::optional<Entered> entered;
  /// If nobody asked: messages that the value sends when it starts, still to be sent.
  OutboxOf<A> out;
};

template <Exclusive A>
class Rehearsal {
 public:
  explicit Rehearsal(const Assignment& start) {
    for (NodeId node : start.members) values_.emplace(node, A(node, start));
    for (auto& [node, value] : values_) tell(node, input::Start{});
  }

  void request(const NodeClaim& claim) {
    tell(claim.node, input::Request{claim.wish});
    std::size_t patience = 1'000'000;
    for (; !in_flight_.empty(); --patience) {
      CONCH_EXPECT(patience > 0, "a rehearsal comes to rest while a node holds the lock");
      auto [from, to, message] = std::move(in_flight_.front());
      in_flight_.pop_front();
      call(to, [&, sender = from, &sent = message](A& value, OutboxOf<A>& out) {
        deliver(value, sender, sent, out);
      });
    }
  }

  bool is_inside(NodeId node) const { return entered_.contains(node); }
  Rehearsed<A> part_of(NodeId node) {
    Rehearsed<A> part{values_.at(node), std::nullopt, std::move(timers_[node])};
    if (is_inside(node)) part.entered = entered_.at(node);
    return part;
  }

 private:
  struct InFlight {
    NodeId from;
    NodeId to;
    typename A::Message message;
  };

  void tell(NodeId node, const Input& input) {
    call(node, [&](A& value, OutboxOf<A>& out) { apply(value, input, out); });
  }
  template <class Call>
  void call(NodeId node, Call&& run) {
    OutboxOf<A> out;
    run(values_.at(node), out);
    for (auto& send : out.sends()) in_flight_.push_back({node, send.to, std::move(send.message)});
    for (const Effect& effect : out.effects()) take_effect(node, effect);
  }
  void take_effect(NodeId node, const Effect& effect) {
    if (const auto* entered = std::get_if<Entered>(&effect)) entered_.emplace(node, *entered);
    if (const auto* armed = std::get_if<Armed>(&effect))
      timers_[node].arm(armed->timer, armed->min, armed->max);
    if (const auto* disarmed = std::get_if<Disarmed>(&effect))
      timers_[node].disarm(disarmed->timer);
  }

  std::map<NodeId, A> values_;
  std::deque<InFlight> in_flight_;
  std::map<NodeId, Entered> entered_;
  std::map<NodeId, OutboxOf<A>> timers_;
};

/// One peer's state of a lock with these holders and these waiters, in order. If there is no
/// holder, the first waiter gets the lock.
template <Exclusive A>
Rehearsed<A> rehearse(NodeId self, const Assignment& start, std::span<const NodeClaim> holders,
                      std::span<const NodeClaim> waiters) {
  if (holders.empty() && waiters.empty()) {
    Rehearsed<A> alone{A(self, start), std::nullopt, {}};
    apply(alone.value, input::Start{}, alone.out);
    return alone;
  }
  Rehearsal<A> play(start);
  for (const NodeClaim& holder : holders) {
    play.request(holder);
    CONCH_EXPECT(play.is_inside(holder.node), "holders that share a lock are inside together");
  }
  for (const NodeClaim& waiter : waiters) play.request(waiter);
  return play.part_of(self);
}

}  // namespace conch::recovery
