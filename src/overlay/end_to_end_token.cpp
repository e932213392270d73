// The holder: enters, keeps the queue and hands the token on. Also the waiters that keep copies of
// the queue and can take over.
#include <algorithm>
#include <utility>

#include "overlay/end_to_end.hpp"

namespace conch::overlay {

using namespace e2e;

namespace {

std::vector<Priority> list_of(const FlatSet<Priority>& set) { return {set.begin(), set.end()}; }

}  // namespace

// Becoming the holder.

void EndToEnd::hold(Term term, FlatSet<Priority> queue, Out&) {
  token_ = Held{term, std::move(queue), 0, {}};
  last_ = term;
  entry_ = Place{self_, term};
}

/// Announces the term to the replicas. With a lease, it enters only after enough of them agree.
void EndToEnd::claim(bool announce, Out& out) {
  stage_ = Stage::claiming;
  token_->queue.erase(ts_);
  if (std::exchange(backing_off_, false)) out.disarm(timer_of(Alarm::back_off));
  if (std::exchange(patient_, false)) out.disarm(timer_of(Alarm::patience));
  rounds_.start();
  if (announce) {
    std::uint32_t round = rounds_.next(terms_.lease, out);
    for (Index i = 0; i < replicas_.size(); ++i)
      out.route(replicas_.key(i), Winner{i, token_->term, ts_, leased() ? round : 0, self_});
  } else if (leased()) {
    renew(out);
  }
  copy_queue(out);
  if (policy_->enters_at_once(leased())) enter(out);
}

void EndToEnd::renew(Out& out) {
  bool first = rounds_.first();
  FlatSet<Index> answered = rounds_.acknowledged();
  std::uint32_t round = rounds_.next(terms_.lease, out);
  for (Index i = 0; i < replicas_.size(); ++i) {
    ReplicaView& view = views_[i];
    if (!first && !answered.contains(i)) view.node.reset();  // another node may be the root now
    Renew message{i, token_->term, ts_, round, stage_ == Stage::inside};
    view.node ? out.send(*view.node, message) : out.route(replicas_.key(i), message);
  }
}

void EndToEnd::take(NodeId from, const Renewed& m, Out& out) {
  if (!token_ || m.term != token_->term || stage_ == Stage::idle) return;
  views_[m.replica].node = from;
  if (m.accepted) {
    token_->refused.erase(m.replica);
    if (rounds_.acknowledge(m.round, m.replica, needed()) && stage_ == Stage::claiming) enter(out);
    return;
  }
  token_->refused.insert(m.replica);
  generation_ = std::max(generation_, m.generation);
  bool hopeless = token_->refused.size() > replicas_.size() - needed();
  if (stage_ == Stage::claiming && hopeless) drop(out);
}

void EndToEnd::enter(Out& out) {
  stage_ = Stage::inside;
  copy_.reset();
  for (Alarm alarm : {Alarm::retry, Alarm::ping, Alarm::silence}) out.disarm(timer_of(alarm));
  out.enter({token_->term.fence(), data_});
}

/// Gives up a token or votes that are worthless: the generation is over, or another node won it.
void EndToEnd::drop(Out& out) {
  Held dropped = *std::exchange(token_, std::nullopt);
  rounds_.stop(out);
  entry_.reset();
  bool unused = dropped.term.is_first();
  std::uint64_t over = dropped.term.generation - unused;
  closed_ = std::max(closed_, over);
  for (const Priority& request : dropped.queue) out.send(request.node, Retry{over, data_});
  if (stage_ != Stage::claiming) return;
  stage_ = Stage::waiting;
  // Use a new timestamp, or a late WITHDRAW could cancel this request after it has won.
  if (unused) {
    withdraw(out);
    ts_ = {{++clock_.value}, self_};
  }
  views_.assign(replicas_.size(), ReplicaView{});
  copy_.reset();
  out.arm(timer_of(Alarm::retry), terms_.round_trip, 4 * terms_.round_trip);
}

/// A lease has passed since it sent the last round that enough replicas acknowledged.
void EndToEnd::lose(Out& out) {
  if (!token_) return;
  if (stage_ == Stage::claiming) return drop(out);
  if (stage_ != Stage::inside || !policy_->forfeits()) return;
  drop(out);
  rest(out);
  out.forfeit();
}

// Leaving.

void EndToEnd::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(stage_ == Stage::inside, "only the holder releases");
  data_ = data;
  let_go(out);
  rest(out);
}

void EndToEnd::let_go(Out& out) {
  rounds_.stop(out);
  stage_ = Stage::idle;
  pass_through(out);
}

/// Uses the token if our own request is first in the queue; hands it on otherwise.
void EndToEnd::pass_through(Out& out) {
  FlatSet<Priority>& queue = token_->queue;
  for (const Priority& request : list_of(queue))
    if (request.node == self_) queue.erase(request);  // at most one of our requests is alive
  if (stage_ == Stage::waiting) queue.insert(ts_);
  if (stage_ == Stage::waiting && queue.front() == ts_)
    return claim(terms_.hand_off != HandOff::token, out);
  queue.empty() || token_->term.is_last() ? close(out) : hand_on(out);
}

void EndToEnd::hand_on(Out& out) {
  Held held = *std::exchange(token_, std::nullopt);
  Priority next = held.queue.front();
  held.queue.erase(next);
  went_ = Place{next.node, held.term.next()};
  out.send(next.node, Token{went_->term, next, list_of(held.queue), data_});
  for (Index i = 0; i < replicas_.size(); ++i)
    if (auto parting = policy_->parting(i, held.term, data_, terms_.hand_off))
      std::visit([&](const auto& message) { along(i, message, out); }, *parting);
  entry_ = went_;
}

/// Lets the replicas open the next generation, and tells the remaining waiters to ask for it.
void EndToEnd::close(Out& out) {
  Held held = *std::exchange(token_, std::nullopt);
  closed_ = std::max(closed_, held.term.generation);
  for (Index i = 0; i < replicas_.size(); ++i) along(i, Release{i, held.term, data_}, out);
  entry_.reset();
  for (const Priority& request : held.queue)
    out.send(request.node, Retry{held.term.generation, data_});
}

void EndToEnd::take(NodeId, const Token& m, Out& out) {
  if (token_ || policy_->is_copy(m.term, last_)) return;
  bool ours = stage_ == Stage::waiting && ts_ == m.to;
  if (!policy_->takes_token(ours)) return;
  for (const Priority& request : m.queue) observe(request);
  if (m.data.version > data_.version) data_ = m.data;
  FlatSet<Priority> queue(m.queue.begin(), m.queue.end());
  for (const Priority& request : std::exchange(early_, {})) queue.insert(request);
  generation_ = std::max(generation_, m.term.generation);
  hold(m.term, std::move(queue), out);
  ours ? claim(terms_.hand_off != HandOff::token, out) : pass_through(out);
}

/// Takes back a token that was certainly not delivered. One that may have arrived is never taken
/// back: the replicas detect a lost token.
void EndToEnd::reclaim(const Token& m, Out& out) {
  if (token_ || m.term < last_ || stage_ == Stage::inside) return;
  hold(m.term, {m.queue.begin(), m.queue.end()}, out);
  pass_through(out);
}

// The queue.

void EndToEnd::queue_up(const std::vector<Priority>& requests, Out& out) {
  bool changed = false;
  for (const Priority& request : requests)
    if (request.node != self_) changed |= token_->queue.insert(request);
  if (changed) copy_queue(out);
}

void EndToEnd::take(NodeId from, const Enqueue& m, Out& out) {
  for (const Priority& request : m.requests) observe(request);
  if (token_) return queue_up(m.requests, out);
  if (m.term > last_) {
    for (const Priority& request : policy_->queued_early(m.requests)) early_.insert(request);
    return;
  }
  if (!policy_->minds_late_requests()) return;
  if (closed_ < m.term.generation && went_ && went_->term > m.term) {
    out.send(went_->node, Enqueue{m.requests, went_->term});
    if (from != self_) out.send(from, Hint{went_->term, went_->node});
    return;
  }
  std::uint64_t over = closed_ >= m.term.generation ? closed_ : m.term.generation - 1;
  for (const Priority& request : m.requests) out.send(request.node, Retry{over, data_});
}

// Copies.

void EndToEnd::copy_queue(Out& out) {
  if (!leased()) return;
  Copy message{{token_->term, ++token_->update}, list_of(token_->queue), data_};
  unsigned copies = 0;
  for (const Priority& request : token_->queue)
    if (copies++ < terms_.copies) out.send(request.node, message);
}

void EndToEnd::take(NodeId from, const Copy& m, Out& out) {
  auto own = std::find(m.queue.begin(), m.queue.end(), ts_);
  if (stage_ != Stage::waiting || own == m.queue.end()) return;
  if (copy_ && m.edition <= copy_->edition) return;
  if (m.data.version > data_.version) data_ = m.data;
  if (!copy_) out.arm(timer_of(Alarm::ping), terms_.lease / 3, terms_.lease / 2);
  copy_ = Copied{m.edition, from, m.queue, {}, 0};
  // Stagger the timeouts: the earlier a waiter is in the queue, the sooner it asks to take over.
  Duration silence = terms_.lease + (own - m.queue.begin()) * terms_.lease / 8;
  out.arm(timer_of(Alarm::silence), silence, silence);
}

void EndToEnd::take(NodeId from, const Ping& m, Out& out) {
  if (token_ && token_->term >= m.term) return out.send(from, Pong{m.term});
  if (went_ && went_->term > m.term) out.send(from, Hint{went_->term, went_->node});
}

void EndToEnd::take(NodeId, const Pong& m, Out& out) {
  if (!copy_ || copy_->edition.term != m.term) return;
  out.arm(timer_of(Alarm::silence), terms_.lease, terms_.lease + terms_.lease / 4);
}

void EndToEnd::take_over(Out& out) {
  for (Index i = 0; i < replicas_.size(); ++i)
    out.route(replicas_.key(i), Takeover{i, copy_->edition, ts_});
  out.arm(timer_of(Alarm::silence), terms_.lease / 2, terms_.lease);
}

void EndToEnd::take(NodeId from, const Accepted& m, Out& out) {
  bool waits = stage_ == Stage::waiting && ts_ == m.ts;
  if (stage_ == Stage::idle || ts_ != m.ts) {
    if (!has_won(m.term.generation)) out.send(from, Withdraw{m.replica, m.ts});
    return;
  }
  if (!waits || !copy_ || m.term.generation < generation_) return;
  if (copy_->generation != m.term.generation) copy_->consents.clear();
  copy_->generation = m.term.generation;
  copy_->consents.insert(m.replica);
  views_[m.replica].node = from;
  if (copy_->consents.size() < needed() || m.term <= last_) return;
  FlatSet<Priority> queue(copy_->queue.begin(), copy_->queue.end());
  for (const Priority& request : std::exchange(early_, {})) queue.insert(request);
  generation_ = std::max(generation_, m.term.generation);
  hold(m.term, std::move(queue), out);
  claim(true, out);
}

}  // namespace conch::overlay
