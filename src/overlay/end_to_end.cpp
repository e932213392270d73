// The client (asks, counts votes, yields), and the dispatch of messages.
#include "overlay/end_to_end.hpp"

#include <algorithm>
#include <utility>

namespace conch::overlay {

using namespace e2e;

static_assert(RoutedProtocol<EndToEnd>);

EndToEnd::EndToEnd(NodeId self, const Assignment& start)
    : self_(self),
      terms_(start.tuning.replication),
      policy_(policy_of<ProtocolPolicy>(start.tuning)),
      replicas_(start.tuning.replication),
      tenure_(start),
      data_(start.baton.data) {}

void EndToEnd::request(Out& out) {
  CONCH_EXPECT(stage_ == Stage::idle, "a process asks once");
  stage_ = Stage::waiting;
  ts_ = {{++clock_.value}, self_};
  views_.resize(replicas_.size());
  await_turn(out);
  if (entry_ && entry_->node == self_) entry_.reset();
  if (!entry_) return ask(false, out);
  out.send(entry_->node, Enqueue{{ts_}, entry_->term});
}

void EndToEnd::ask(bool forced, Out& out) {
  std::uint64_t least = policy_->least(generation_);
  for (Index i = 0; i < replicas_.size(); ++i) {
    if (voted(i)) continue;
    const ReplicaView& view = views_[i];
    out.route(replicas_.key(i), Request{i, ts_, least, view.version, view.yielded, forced, data_});
  }
}

/// With leases, messages may be lost and peers may fail, so the requester repeats its request.
void EndToEnd::await_turn(Out& out) {
  if (leased()) out.arm(timer_of(Alarm::retry), terms_.lease, terms_.lease + terms_.lease / 2);
}

void EndToEnd::cancel(Out& out) {
  CONCH_EXPECT(stage_ == Stage::waiting || stage_ == Stage::claiming, "a waiter cancels, once");
  if (stage_ == Stage::claiming && token_->term.is_first()) {
    drop(out);
  } else if (stage_ == Stage::claiming) {
    let_go(out);
  } else {
    withdraw(out);
  }
  rest(out);
  out.withdrawn();
}

/// Tells each replica that has answered to forget the request. A vote or token for it that arrives
/// later is given back.
void EndToEnd::withdraw(Out& out) {
  for (Index i = 0; i < replicas_.size(); ++i)
    if (views_[i].node) out.send(*views_[i].node, Withdraw{i, ts_});
}

void EndToEnd::rest(Out& out) {
  stage_ = Stage::idle;
  backing_off_ = patient_ = false;
  yields_ = retried_ = 0;
  views_ = std::vector<ReplicaView>();
  copy_.reset();
  for (Alarm alarm : {Alarm::retry, Alarm::patience, Alarm::back_off, Alarm::ping, Alarm::silence})
    out.disarm(timer_of(alarm));
}

// Counting votes.

bool EndToEnd::voted(Index replica) const {
  const ReplicaView& view = views_[replica];
  return view.owner == ts_ && !policy_->is_past(view.generation, generation_);
}
Index EndToEnd::needed() const { return policy_->needed(replicas_); }
Index EndToEnd::votes() const {
  Index votes = 0;
  for (Index i = 0; i < replicas_.size(); ++i) votes += voted(i);
  return votes;
}

void EndToEnd::take(NodeId from, const Response& m, Out& out) {
  if (stage_ != Stage::waiting || m.request != ts_) {
    if (gives_back(m)) out.send(from, Withdraw{m.replica, m.request});
    return;
  }
  if (policy_->is_past(m.generation, generation_)) return;
  generation_ = std::max(generation_, m.generation);
  if (knows_better(m)) return;
  ReplicaView& view = views_[m.replica];
  view = {true, m.generation, m.owner, m.version, m.vote, view.yielded, from};
  if (m.data.version > data_.version) data_ = m.data;
  evaluate(out);
}

/// Whether to give back this vote: its request is over, and it did not help win the lock.
bool EndToEnd::gives_back(const Response& m) const {
  return policy_->gives_back(m.owner == m.request && !has_won(m.generation));
}
bool EndToEnd::has_won(std::uint64_t generation) const {
  return policy_->has_won(generation, last_.generation);
}

bool EndToEnd::knows_better(const Response& m) const {
  const ReplicaView& view = views_[m.replica];
  return policy_->knows_better(m.version < view.version ||
                               (m.owner == ts_ && m.vote <= view.yielded));
}

bool EndToEnd::nobody_wins() const {
  std::map<Priority, Index> votes;
  for (const ReplicaView& view : views_) {
    if (!view.known || view.generation != generation_) return false;
    if (view.owner && ++votes[*view.owner] >= needed()) return false;
  }
  return true;
}

void EndToEnd::evaluate(Out& out) {
  Index mine = votes();
  if (mine >= needed())
    return hold(first_term(generation_), std::exchange(early_, {}), out), claim(true, out);
  if (mine == 0) return;
  if (!patient_ && policy_->loses_patience()) {
    patient_ = true;
    out.arm(timer_of(Alarm::patience), 3 * terms_.round_trip, 6 * terms_.round_trip);
  }
  if (backing_off_ || !nobody_wins()) return;
  if (!policy_->backs_off(true)) return yield(out);
  backing_off_ = true;
  std::uint32_t window = std::min(yields_ + 1, 8u);
  out.arm(timer_of(Alarm::back_off), Duration{}, window * terms_.round_trip);
}

void EndToEnd::yield(Out& out) {
  ++yields_;
  for (Index i = 0; i < replicas_.size(); ++i) {
    if (!voted(i)) continue;
    ReplicaView& view = views_[i];
    out.send(*view.node, Yield{i, ts_, view.vote});
    view.yielded = view.vote;
    view.owner.reset();
    view.known = false;
  }
}

/// A client that knows a newer generation has already retried, unless it learnt of it from a
/// replica.
void EndToEnd::take(NodeId, const Retry& m, Out& out) {
  if (entry_ && entry_->term.generation <= m.generation) entry_.reset();
  if (m.data.version > data_.version) data_ = m.data;
  bool has_retried = policy_->has_retried(m.generation + 1, retried_, generation_);
  if (stage_ != Stage::waiting || has_retried) return;
  retried_ = m.generation + 1;
  generation_ = std::max(generation_, m.generation + 1);
  for (Index i = 0; i < replicas_.size(); ++i) {
    const ReplicaView& view = views_[i];
    if (view.known && view.generation == generation_) continue;
    out.route(replicas_.key(i), Request{i, ts_, policy_->least(generation_), view.version,
                                        view.yielded, false, data_});
  }
}

// Messages.

void EndToEnd::timer(TimerId timer, Out& out) {
  if (auto opened = tenure_.timer(timer, self_, out)) return open(*opened, out);
  if (auto index = replica_of(timer, Alarm::lease)) return lease_ends(*index, out);
  if (rounds_.end(timer)) return lose(out);
  if (timer == timer_of(Alarm::renew) && token_) return renew(out);
  if (stage_ != Stage::waiting) return;
  if (timer == timer_of(Alarm::retry)) {
    ask(true, out);
    await_turn(out);
  } else if (timer == timer_of(Alarm::patience)) {
    patient_ = false;
    if (votes() > 0) yield(out);
  } else if (timer == timer_of(Alarm::back_off)) {
    backing_off_ = false;
    if (votes() > 0 && nobody_wins()) yield(out);
  } else if (timer == timer_of(Alarm::ping) && copy_) {
    out.send(copy_->holder, Ping{copy_->edition.term});
    out.arm(timer, terms_.lease / 3, terms_.lease / 2);
  } else if (timer == timer_of(Alarm::silence) && copy_) {
    take_over(out);
  }
}

void EndToEnd::deliver(Key, const Message& message, Out& out) {
  std::visit(
      [&]<class M>(const M& m) {
        if constexpr (for_replicas<M>) serve(serve(m.replica, out), m, out);
      },
      message);
}

void EndToEnd::receive(NodeId from, const Message& message, Out& out) {
  std::visit(
      [&]<class M>(const M& m) {
        if constexpr (for_replicas<M>) {
          bool root = served_.contains(m.replica);
          constexpr bool by_its_way = std::same_as<M, Release> || std::same_as<M, Cleanup>;
          if (root) return serve(served_.at(m.replica), m, out);
          if constexpr (by_its_way)
            along(m.replica, m, out);
          else
            out.route(replicas_.key(m.replica), m);
        } else {
          take(from, m, out);
        }
      },
      message);
}

// Messages without effect: generations, terms, versions and requests only go forward.

bool EndToEnd::ignores(NodeId, const Message& message) const {
  if (leased()) return false;
  return std::visit(
      [&]<class M>(const M& m) {
        if constexpr (std::same_as<M, Winner> || std::same_as<M, Release>) {
          auto found = served_.find(m.replica);
          return found != served_.end() && ignores(found->second, m);
        } else if constexpr (std::same_as<M, Response> || std::same_as<M, Token>) {
          return ignores(m);
        } else {
          return false;
        }
      },
      message);
}

bool EndToEnd::ignores(const Response& m) const {
  if (stage_ != Stage::waiting || m.request != ts_) return !gives_back(m);
  if (policy_->is_past(m.generation, generation_)) return true;
  return m.generation == generation_ && knows_better(m);
}

bool EndToEnd::ignores(const Token& m) const { return policy_->is_copy(m.term, last_); }

void EndToEnd::unreachable(NodeId node, const Message& message, Out& out) {
  std::visit(
      [&]<class M>(const M& m) {
        if constexpr (for_replicas<M>) {
          if (stage_ != Stage::idle && views_[m.replica].node == node)
            views_[m.replica].node.reset();
          ways_.erase(m.replica);
          out.route(replicas_.key(m.replica), m);
        } else if constexpr (std::same_as<M, Token>) {
          reclaim(m, out);
        } else if constexpr (std::same_as<M, Enqueue>) {
          if (entry_ && entry_->node == node) entry_.reset();
          for (const Priority& request : m.requests)
            out.send(request.node, Retry{m.term.generation - 1, data_});
        }
      },
      message);
}

}  // namespace conch::overlay
