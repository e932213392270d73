// Implementation of RingMember. Include it only in the files that instantiate it with a table.
#pragma once

#include "overlay/ring_member.hpp"

namespace conch::overlay {

template <class Table>
std::optional<Arc> RingMember<Table>::domain() const {
  if (phase_ != RingPhase::member || !has_lease_) return std::nullopt;
  if (leaves_.empty()) return Arc{key_of(self_), Key{self_.value - 1}};
  return Table::domain(self_, leaves_);
}

template <class Table>
void RingMember<Table>::timer(TimerId timer, Out& out) {
  if (timer == exchange_timer) return exchange(out);
  timer == retry_timer ? ask_again(out) : lease_ends(timer);
}

// Hearing and asking.

/// Records that a node is alive, whatever we believed. If it was a suspect, other suspects may be
/// reachable again too, so probe them: two parts of a ring should not act for the same keys for
/// long.
template <class Table>
void RingMember<Table>::hear(NodeId node, Out& out) {
  if (std::erase_if(suspects_, [&](const Suspect& each) { return each.node == node; }) > 0)
    for (const Suspect& each : suspects_) probe(each.node, out);
  forget_question(node);
  table_.offer(self_, node);
  leaves_.insert(node);
}

/// Asks each candidate that should be our neighbour.
template <class Table>
void RingMember<Table>::consider(const Nodes& candidates, Out& out) {
  for (NodeId node : candidates)
    if (leaves_.would_take(node) && !suspected(node)) ask(node, out);
}

template <class Table>
bool RingMember<Table>::ask(NodeId node, Out& out) {
  for (const Asked& each : asked_)
    if (each.node == node) return false;
  if (asked_.empty()) arm(retry_timer, upkeep_.retry, out);
  asked_.push_back({node});
  probe(node, out);
  return true;
}

template <class Table>
bool RingMember<Table>::forget_question(NodeId node) {
  return std::erase_if(asked_, [&](const Asked& each) { return each.node == node; }) > 0;
}

/// Until it is welcomed, a newcomer does not answer probes, even if it was a member before. Two
/// such nodes that took each other for members would ask each other for admission.
template <class Table>
void RingMember<Table>::receive(NodeId from, const Probe& m, Out& out) {
  if (!stays()) return out.send(from, Farewell{leaves_.nodes()});
  if (phase_ == RingPhase::joining && !welcomed_) return;
  hear(from, out);
  consider(m.leaves, out);
  out.send(from, Answer{leaves_.nodes(), m.round});
  settle(out);
}

template <class Table>
void RingMember<Table>::receive(NodeId from, const Answer& m, Out& out) {
  if (!stays()) return out.send(from, Farewell{leaves_.nodes()});
  hear(from, out);
  if (round_open_ && m.round == round_) answered_.insert(from);
  consider(m.leaves, out);
  continue_round(out);
  settle(out);
}

template <class Table>
void RingMember<Table>::receive(NodeId from, const Found&, Out& out) {
  if (!stays()) return;
  hear(from, out);
  settle(out);
}

template <class Table>
void RingMember<Table>::receive(NodeId, const Seek& m, Out& out) {
  std::optional<NodeId> next = next_hop(m.key);
  if (!next && phase_ == RingPhase::member && m.origin != self_) return out.send(m.origin, Found{});
  if (!next || next == m.origin || m.hops >= hops_max) return;
  out.send(*next, Seek{m.origin, m.key, m.hops + 1});
}

template <class Table>
void RingMember<Table>::seek(Key key, Out& out) {
  if (std::optional<NodeId> next = next_hop(key)) out.send(*next, Seek{self_, key, 1});
}

// Coming in.

template <class Table>
void RingMember<Table>::start(Out& out) {
  has_lease_ = true;
  round_open_ = false;
  if (upkeep_.exchange > Duration::zero()) arm(exchange_timer, upkeep_.exchange, out);
  if (upkeep_.lease > Duration::zero())
    out.arm(lease_timers[round_ % 2], upkeep_.lease, upkeep_.lease);
}

template <class Table>
void RingMember<Table>::join(NodeId contact, Out& out) {
  std::erase(contacts_, contact);
  contacts_.insert(contacts_.begin(), contact);
  if (phase_ == RingPhase::gone || leaves_.empty()) phase_ = RingPhase::joining;
  welcomed_ = false;
  turn_ = 0;
  knock(out);
  arm(retry_timer, upkeep_.retry, out);
}

/// Asks the contacts in turn.
template <class Table>
void RingMember<Table>::knock(Out& out) {
  if (contacts_.empty()) return;
  NodeId door = contacts_[turn_++ % contacts_.size()];
  out.send(door, Join{self_, 0, 0, {}});
}

template <class Table>
void RingMember<Table>::receive(NodeId, const Join& m, Out& out) {
  if (m.newcomer == self_ || m.hops >= hops_max) return;
  Join further = m;
  ++further.hops;
  further.row = table_.collect(self_, m.newcomer, m.row, further.contacts);
  // The newcomer may be an old member whose departure we have not heard of.
  std::optional<NodeId> next = hop(key_of(m.newcomer), m.newcomer);
  if (next) return out.send(*next, std::move(further));
  if (phase_ != RingPhase::member) return;  // the newcomer asks again
  Nodes leaves = leaves_.nodes();
  std::erase(leaves, m.newcomer);
  out.send(m.newcomer, Welcome{std::move(leaves), std::move(further.contacts)});
}

template <class Table>
void RingMember<Table>::receive(NodeId from, const Welcome& m, Out& out) {
  if (!stays() || std::exchange(welcomed_, true)) return;
  for (NodeId node : m.contacts)
    if (node != self_ && std::find(contacts_.begin(), contacts_.end(), node) == contacts_.end())
      contacts_.push_back(node);
  ask(from, out);
  consider(m.leaves, out);
}

/// Runs when no question is open. A newcomer then becomes a member: all of its neighbours know it.
template <class Table>
void RingMember<Table>::settle(Out& out) {
  if (!asked_.empty()) return;
  if (torn_) mend(out);
  if (!asked_.empty()) return;
  leaves_.close();
  if (!welcomed_ || leaves_.empty()) return;
  if (phase_ == RingPhase::joining) {
    phase_ = RingPhase::member;
    out.joined();
    start(out);
  }
  for (NodeId node : std::exchange(contacts_, {}))
    if (!leaves_.contains(node)) out.send(node, Probe{});
}

// Keeping up.

template <class Table>
void RingMember<Table>::exchange(Out& out) {
  if (!stays()) return;
  arm(exchange_timer, upkeep_.exchange, out);
  ++turn_;
  begin_round(out);
  if (!leaves_.empty()) {
    Nodes leaves = leaves_.nodes();
    ask(leaves[turn_ % leaves.size()], out);
  }
  if (std::optional<Key> key = table_.wanted(self_, leaves_, turn_)) seek(*key, out);
  if (suspects_.empty()) return;
  Suspect& suspect = suspects_[turn_ % suspects_.size()];
  probe(suspect.node, out);
  if (++suspect.probes == probes_max)
    suspects_.erase(suspects_.begin() + (&suspect - &suspects_[0]));
}

template <class Table>
FlatSet<NodeId> RingMember<Table>::next_on_either_side() const {
  FlatSet<NodeId> next;
  for (const LeafSet::Side* side : {&leaves_.after(), &leaves_.before()})
    if (!side->empty()) next.insert(side->front());
  return next;
}

/// Continues a round that is still open: the lease runs from when the round began.
template <class Table>
void RingMember<Table>::begin_round(Out& out) {
  if (!std::exchange(round_open_, true)) {
    ++round_;
    answered_.clear();
    if (upkeep_.lease > Duration::zero())
      out.arm(lease_timers[round_ % 2], upkeep_.lease, upkeep_.lease);
  }
  continue_round(out);
}

/// Asks the next node on either side if it has not answered this round. When both have, the lease
/// runs from this round.
template <class Table>
void RingMember<Table>::continue_round(Out& out) {
  if (!round_open_ || phase_ != RingPhase::member) return;
  bool complete = true;
  for (NodeId node : next_on_either_side()) {
    if (answered_.contains(node)) continue;
    complete = false;
    ask(node, out);
  }
  if (!complete) return;
  round_open_ = false;
  has_lease_ = true;
  if (upkeep_.lease > Duration::zero()) out.disarm(lease_timers[(round_ + 1) % 2]);
}

/// The timer belongs either to the open round, which failed, or to the last complete one, whose
/// lease ends.
template <class Table>
void RingMember<Table>::lease_ends(TimerId timer) {
  bool of_open_round = round_open_ && timer == lease_timers[round_ % 2];
  (of_open_round ? round_open_ : has_lease_) = false;
}

template <class Table>
void RingMember<Table>::ask_again(Out& out) {
  if (phase_ == RingPhase::leaving) return say_farewell(out);
  Nodes silent;
  for (Asked& each : asked_) {
    if (++each.times > asks_max)
      silent.push_back(each.node);
    else
      probe(each.node, out);
  }
  for (NodeId node : silent) suspect(node, out);
  bool outside = phase_ == RingPhase::joining && (!welcomed_ || leaves_.empty());
  if (outside && asked_.empty()) {
    welcomed_ = false;
    knock(out);
  }
  if (phase_ == RingPhase::joining || !asked_.empty()) arm(retry_timer, upkeep_.retry, out);
}

template <class Table>
bool RingMember<Table>::suspected(NodeId node) const {
  return std::any_of(suspects_.begin(), suspects_.end(),
                     [&](const Suspect& each) { return each.node == node; });
}

template <class Table>
void RingMember<Table>::remember_suspect(NodeId node) {
  if (suspects_.size() == suspects_max) suspects_.erase(suspects_.begin());
  suspects_.push_back({node});
}

template <class Table>
void RingMember<Table>::suspect(NodeId node, Out& out) {
  if (node == self_) return;
  bool was_asked = forget_question(node);
  bool was_known = leaves_.contains(node) || table_.contains(self_, node);
  lose(node, out);
  if (phase_ == RingPhase::leaving) return;
  if ((was_asked || was_known) && !suspected(node)) {
    remember_suspect(node);
    probe(node, out);  // if it is alive, its answer brings it back
  }
  settle(out);
}

/// Removes a node that is gone, or is said to be.
template <class Table>
void RingMember<Table>::lose(NodeId node, Out& out) {
  if (table_.erase(self_, node) && stays()) seek(Table::key_of_slot(self_, node), out);
  if (!leaves_.erase(node)) return;
  if (!stays()) return;
  mend(out);
  continue_round(out);
}

/// Replaces a lost leaf: the last leaf on a side knows the next one. With no leaf left, asks every
/// node in the table.
template <class Table>
void RingMember<Table>::mend(Out& out) {
  torn_ = false;
  if (leaves_.empty()) return consider(table_.nodes(), out);
  FlatSet<NodeId> last;
  for (const LeafSet::Side* side : {&leaves_.after(), &leaves_.before()})
    if (!side->full()) last.insert(side->back());
  for (NodeId node : last) torn_ |= !ask(node, out);
}

// Going.

template <class Table>
void RingMember<Table>::leave(Out& out) {
  if (phase_ == RingPhase::leaving || phase_ == RingPhase::gone) return;
  phase_ = RingPhase::leaving;
  out.disarm(exchange_timer);
  asked_.clear();
  for (NodeId node : leaves_.nodes()) asked_.push_back({node, 0});
  say_farewell(out);
}

/// Says FAREWELL to the nodes that have not acknowledged it, then lingers for messages in flight.
template <class Table>
void RingMember<Table>::say_farewell(Out& out) {
  bool lingered = asked_.empty();
  std::erase_if(asked_, [](Asked& each) { return ++each.times > asks_max; });
  for (const Asked& each : asked_) out.send(each.node, Farewell{leaves_.nodes()});
  if (!lingered) return arm(retry_timer, upkeep_.retry, out);
  phase_ = RingPhase::gone;
  leaves_ = LeafSet(self_);
  table_ = Table();
  out.left();
}

template <class Table>
void RingMember<Table>::receive(NodeId from, const Farewell& m, Out& out) {
  out.send(from, Parted{});
  forget_question(from);
  lose(from, out);
  if (!stays()) return;
  consider(m.leaves, out);
  settle(out);
}

template <class Table>
void RingMember<Table>::receive(NodeId from, const Parted&, Out&) {
  if (phase_ == RingPhase::leaving) forget_question(from);
}

}  // namespace conch::overlay
