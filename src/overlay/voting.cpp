// The candidate's side of votes, and the dispatch of messages.
#include "overlay/voting.hpp"

#include <algorithm>
#include <utility>

namespace conch::overlay {

Voting::Voting(NodeId self, const Assignment& start, Habit habit)
    : self_(self),
      terms_(start.tuning.replication),
      policy_(policy_of<ProtocolPolicy>(start.tuning)),
      replicas_(start.tuning.replication),
      tenure_(start),
      habit_(habit),
      baton_{Fence(Epoch{}, 0), start.baton.data} {}

// Asking.

void Voting::request(Out& out) {
  CONCH_EXPECT(stage_ == Stage::idle, "a process asks once");
  stage_ = Stage::waiting;
  ts_ = {{++clock_.value}, self_};
  views_.resize(replicas_.size());
  ask(false, out);
  await_turn(out);
}

void Voting::ask(bool forced, Out& out) {
  for (Index i = 0; i < replicas_.size(); ++i) {
    ReplicaView& view = views_[i];
    if (voted(i)) continue;
    view.known = false;
    out.route(replicas_.key(i), Request{i, ts_, view.version, view.yielded, forced, self_});
  }
}

/// The informed back-off: asks again when its turn should have come.
void Voting::await_turn(Out& out) {
  bool wants_to = habit_ == Habit::asks_again && terms_.retry != RetryPolicy::never;
  if (!wants_to && !leased()) return;
  std::uint32_t place = 0;
  for (const ReplicaView& view : views_) place = std::max(place, view.position);
  Duration turn = terms_.section;
  if (!wants_to) turn = std::max(turn, terms_.lease);  // a message may have been lost
  if (terms_.retry == RetryPolicy::informed) turn = turn * place + turn / 2;
  out.arm(timer_of(Alarm::retry), turn, turn + terms_.round_trip);
}

void Voting::cancel(Out& out) {
  CONCH_EXPECT(stage_ == Stage::waiting || stage_ == Stage::confirming, "a waiter cancels, once");
  give_up(Baton{}, out);
  out.withdrawn();
}

void Voting::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(stage_ == Stage::inside, "only the holder releases");
  baton_.data = data;
  give_up(baton_, out);
}

/// Every replica forgets the request, whether it votes for it or has it in its queue.
void Voting::give_up(const Baton& baton, Out& out) {
  for (Index i = 0; i < replicas_.size(); ++i) {
    bool may_have_voted = !views_[i].known || views_[i].version > 0;
    toward(i, Release{i, ts_, baton, may_have_voted, {}}, out);
  }
  rest(out);
}

void Voting::rest(Out& out) {
  stage_ = Stage::idle;
  backing_off_ = patient_ = false;
  yields_ = impatience_ = 0;
  views_ = std::vector<ReplicaView>();
  for (Alarm alarm : {Alarm::retry, Alarm::patience, Alarm::back_off}) out.disarm(timer_of(alarm));
  rounds_.stop(out);
}

// Counting votes.

bool Voting::voted(Index replica) const { return views_[replica].owner == ts_; }
Index Voting::needed() const { return policy_->needed(replicas_); }
Index Voting::votes() const {
  Index votes = 0;
  for (Index i = 0; i < replicas_.size(); ++i) votes += voted(i);
  return votes;
}

void Voting::take(NodeId from, const Response& m, Out& out) {
  if (stage_ == Stage::idle || m.request != ts_) {
    bool stale_vote = m.owner == m.request && m.version > 0;
    if (!policy_->gives_back(stale_vote)) return;
    // It may come before the RELEASE of that request, and must say as much.
    Release message{m.replica, m.request, baton_, true, {}};
    bool straight = habit_ == Habit::asks_again;
    straight ? out.send(from, message) : out.route(replicas_.key(m.replica), message);
    return;
  }
  if (knows_better(m)) return;
  learn(views_[m.replica], from, m);
  if (stage_ == Stage::confirming) {
    if (votes() < needed()) {
      stage_ = Stage::waiting;
      out.disarm(timer_of(Alarm::renew));
    } else if (m.baton.fence >= baton_.fence) {
      return confirm(out);
    }
  }
  if (stage_ == Stage::waiting) evaluate(out);
}

bool Voting::knows_better(const Response& m) const {
  const ReplicaView& view = views_[m.replica];
  bool hearsay = m.version == 0;
  if (hearsay) return view.version > 0 || m.owner == ts_;
  return policy_->knows_better(m.version < view.version ||
                               (m.owner == ts_ && m.vote <= view.yielded));
}

void Voting::learn(ReplicaView& view, NodeId from, const Response& m) {
  view.known = true;
  view.owner = m.owner;
  view.version = m.version;
  view.vote = m.vote;
  view.position = m.position;
  if (m.version > 0) view.node = from;
  view.baton = later(view.baton, m.baton);
}

bool Voting::nobody_wins() const {
  std::map<Priority, Index> votes;
  for (const ReplicaView& view : views_) {
    if (!view.known) return false;
    if (view.owner && ++votes[*view.owner] >= needed()) return false;
  }
  return true;
}

void Voting::evaluate(Out& out) {
  Index mine = votes();
  if (mine >= needed()) return confirm(out);
  if (mine == 0) return;
  if (!patient_ && policy_->loses_patience()) {
    patient_ = true;
    out.arm(timer_of(Alarm::patience), 3 * terms_.round_trip, 6 * terms_.round_trip);
  }
  if (backing_off_ || !nobody_wins()) return;
  if (!policy_->backs_off(yields_ > 0)) return yield(out);
  backing_off_ = true;
  std::uint32_t window = std::min(yields_, 8u);
  out.arm(timer_of(Alarm::back_off), terms_.round_trip / 4, window * terms_.round_trip);
}

void Voting::yield(Out& out) {
  ++yields_;
  for (Index i = 0; i < replicas_.size(); ++i) {
    if (!voted(i)) continue;
    ReplicaView& view = views_[i];
    toward(i, Yield{i, ts_, view.vote, {}}, out);
    view.yielded = view.vote;
    view.owner.reset();
    view.known = false;
  }
}

/// We have some votes, but no majority for too long: what we know of the others may be old.
void Voting::lose_patience(Out& out) {
  patient_ = false;
  if (votes() == 0) return;
  ++impatience_;
  if (habit_ == Habit::asks_again) {
    ask(false, out);
  } else {
    yield(out);
    if (policy_->insists(impatience_)) ask(true, out);
  }
  if (votes() > 0) evaluate(out);
}

// Holding.

void Voting::confirm(Out& out) {
  stage_ = Stage::confirming;
  if (std::exchange(backing_off_, false)) out.disarm(timer_of(Alarm::back_off));
  if (std::exchange(patient_, false)) out.disarm(timer_of(Alarm::patience));
  for (const ReplicaView& view : views_) baton_ = later(baton_, view.baton);
  baton_.fence = baton_.fence.successor();
  rounds_.start();
  renew(out);
}

void Voting::renew(Out& out) {
  bool first = rounds_.first() && stage_ == Stage::confirming;
  FlatSet<Index> answered = rounds_.acknowledged();
  std::uint32_t round = rounds_.next(terms_.lease, out);
  for (Index i = 0; i < replicas_.size(); ++i) {
    if (!voted(i)) continue;
    ReplicaView& view = views_[i];
    if (!first && !answered.contains(i)) view.node.reset();  // another node may be the root now
    Renew message{i, ts_, view.vote, round, stage_ == Stage::inside, baton_};
    view.node ? out.send(*view.node, message) : out.route(replicas_.key(i), message);
  }
}

void Voting::take(NodeId from, const Renewed& m, Out& out) {
  bool holds = stage_ == Stage::confirming || stage_ == Stage::inside;
  if (!holds || m.ts != ts_) return;
  views_[m.replica].node = from;
  if (!rounds_.acknowledge(m.round, m.replica, needed()) || stage_ == Stage::inside) return;
  stage_ = Stage::inside;
  out.disarm(timer_of(Alarm::retry));
  out.enter(baton_);
}

void Voting::lose(Out& out) {
  if (stage_ != Stage::inside || !policy_->forfeits()) return;
  give_up(Baton{}, out);
  out.forfeit();
}

// Messages.

void Voting::timer(TimerId timer, Out& out) {
  if (auto opened = tenure_.timer(timer, self_, out)) return open(*opened, out);
  if (auto index = replica_of(timer, Alarm::lease)) {
    auto found = served_.find(*index);
    if (found == served_.end()) return;
    found->second.owner.reset();
    return vote_on(*index, found->second, out);
  }
  if (rounds_.end(timer)) return lose(out);
  if (stage_ == Stage::idle) return;
  if (timer == timer_of(Alarm::renew)) return renew(out);
  if (timer == timer_of(Alarm::retry) && stage_ != Stage::inside) {
    if (stage_ == Stage::waiting) ask(habit_ == Habit::yields, out);
    return await_turn(out);
  }
  if (stage_ != Stage::waiting) return;
  if (timer == timer_of(Alarm::patience)) return lose_patience(out);
  if (timer == timer_of(Alarm::back_off)) {
    backing_off_ = false;
    if (nobody_wins() && votes() > 0) yield(out);
  }
}

template <class M>
void Voting::toward(Index replica, M message, Out& out) {
  if (habit_ == Habit::asks_again && views_[replica].node)
    return out.send(*views_[replica].node, std::move(message));
  out.route(replicas_.key(replica), std::move(message));
}

namespace {

template <class M>
constexpr bool for_replicas = !std::same_as<M, Voting::Response> &&
                              !std::same_as<M, Voting::Renewed> && !std::same_as<M, Recalled>;

/// The replica that a message is for, if it is for one.
std::optional<Index> addressee(const Voting::Message& message) {
  return std::visit(
      []<class M>(const M& m) {
        return for_replicas<M> ? std::optional<Index>(m.replica) : std::nullopt;
      },
      message);
}

}  // namespace

void Voting::deliver(Key, const Message& message, Out& out) {
  std::visit(
      [&]<class M>(const M& m) {
        if constexpr (for_replicas<M>) serve(serve(m.replica, out), m, out);
      },
      message);
}

/// Forwards a message for a replica that this node does not serve, or no longer serves.
void Voting::receive(NodeId from, const Message& message, Out& out) {
  std::optional<Index> index = addressee(message);
  if (index && !serves(*index)) return out.route(replicas_.key(*index), message);
  std::visit(
      [&]<class M>(const M& m) {
        if constexpr (std::same_as<M, Response> || std::same_as<M, Renewed>)
          take(from, m, out);
        else if constexpr (std::same_as<M, Recalled>)
          hear(m, out);
        else
          serve(served_.at(m.replica), m, out);
      },
      message);
}

/// What we know of a replica while we wait only gets newer, and a request that is over stays so.
bool Voting::ignores(NodeId from, const Message& message) const {
  if (leased()) return false;
  if (auto* m = std::get_if<Response>(&message)) {
    bool over = stage_ == Stage::idle || m->request != ts_;
    bool vote = m->owner == m->request && m->version > 0;
    return over ? !policy_->gives_back(vote) : knows_better(*m);
  }
  if (auto* m = std::get_if<Renewed>(&message)) {
    bool over = stage_ == Stage::idle || m->ts != ts_;
    bool late = stage_ == Stage::waiting || !rounds_.counts(m->round);
    return over || (late && views_[m->replica].node == from);
  }
  return false;
}

void Voting::unreachable(NodeId node, const Message& message, Out& out) {
  std::optional<Index> index = addressee(message);
  if (!index) return;
  if (stage_ != Stage::idle && views_[*index].node == node) views_[*index].node.reset();
  out.route(replicas_.key(*index), message);
}

}  // namespace conch::overlay
