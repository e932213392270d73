#include "mutex/preempt_aggregation.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<PreemptAggregation> && TokenBased<PreemptAggregation>);

void PreemptAggregation::release(const DataRef& data, Out& out) {
  leave(data);
  pass(out);
}

/// Release_CS: leaves the queue with the token in hand; to the next, or idle here.
void PreemptAggregation::pass(Out& out) {
  Preemptions nb = give_up_place();
  if (!next_) return;
  NodeId next = *std::exchange(next_, std::nullopt);
  bool points_within = owner_ && keeps(Without::set_owner) && keeps(Without::local_owner);  // (F8)
  if (!local(next) && !points_within)
    owner_ = r_queue_.empty() || !keeps(Without::set_owner) ? next : r_queue_.back();
  token_ = false;
  out.send(next, Token{baton_, std::exchange(r_queue_, {}), nb.seen_from(nearness(next))});
}

void PreemptAggregation::receive(NodeId, const Request& m, Out& out) {
  if (owner_) return forward(m.origin, out);
  if (!requesting_) return hand_over(m.origin, out);
  bool near = local(m.origin);
  if (!next_) {
    next_ = m.origin;
    if (near) owner_ = m.origin;
  } else if (near && nb_.at(clusters_.levels()) < eps_) {
    preempt(m.origin, out);
  } else {
    line_up(m.origin);
  }
}

void PreemptAggregation::forward(NodeId origin, Out& out) {
  out.send(*owner_, Request{origin});
  if (local(origin)) owner_ = origin;
}

/// An idle holder points at whom it gives the token (F1).
void PreemptAggregation::hand_over(NodeId origin, Out& out) {
  CONCH_EXPECT(token_ || !sound(), "a local root that is not queued holds the token");
  token_ = false;
  if (keeps(Without::idle_owner)) owner_ = origin;
  out.send(origin, Token{baton_, {}, {}});
}

/// A local request overtakes everybody behind us, and is the local root from now on.
void PreemptAggregation::preempt(NodeId origin, Out& out) {
  nb_.add(clusters_.levels());
  std::vector<NodeId> queue = std::exchange(r_queue_, {});
  queue.insert(queue.begin(), *next_);
  next_ = origin;
  owner_ = origin;
  out.send(origin, Queue{std::move(queue), nb_});
}

/// To the end of the queue, or, as long as its count lasts, before those who are farther away than
/// it. A local one becomes the local root (F4); it is never overtaken here.
void PreemptAggregation::line_up(NodeId origin) {
  std::size_t level = nearness(origin);
  auto place = r_queue_.end();
  bool before_next = false;
  if (nb_.at(level) < eps_) {
    auto farther = [&](NodeId node) { return nearness(node) < level; };
    while (place != r_queue_.begin() && farther(*(place - 1))) --place;
    before_next = place == r_queue_.begin() && farther(*next_);
    if (place != r_queue_.end() || before_next) nb_.add(level);
  }
  r_queue_.insert(place, before_next ? std::exchange(*next_, origin) : origin);
  if (keeps(Without::queued_owner) && (local(origin) || !keeps(Without::local_owner)))
    owner_ = origin;
}

/// What comes from others stands before what we have.
void PreemptAggregation::take_in(const std::vector<NodeId>& queue, const Preemptions& nb) {
  if (keeps(Without::larger_count)) {
    nb_.merge(nb);
  } else {
    nb_ = nb;  // (F9)
  }
  r_queue_.insert(r_queue_.begin(), queue.begin(), queue.end());
}

void PreemptAggregation::receive(NodeId, const Token& m, Out& out) {
  take_token(m.baton);
  take_in(m.queue, m.nb);
  dispatch(out);
  wanted_ ? enter(out) : pass(out);
}

void PreemptAggregation::receive(NodeId, const Queue& m, Out& out) {
  CONCH_EXPECT(!m.queue.empty(), "a queue that is sent has somebody in it");  // (F10)
  if (requesting_ || !keeps(Without::following)) {
    take_in(keeps(Without::stored_queue) ? m.queue : std::vector<NodeId>(), m.nb);  // (F5)
    dispatch(out);
  } else if (token_) {
    hand_over(m.queue, out);
  } else {
    out.send(*owner_, m);  // it follows the token (F6)
  }
}

/// The token was faster than the queue and rests here.
void PreemptAggregation::hand_over(const std::vector<NodeId>& queue, Out& out) {
  token_ = false;
  owner_ = queue.back();
  out.send(queue.front(), Token{baton_, {queue.begin() + 1, queue.end()}, {}});
}

/// The head of the queue is our next, or the queue goes to where our cluster ends. Behind a remote
/// next it stays, and leaves with the token.
void PreemptAggregation::dispatch(Out& out) {
  if (r_queue_.empty() && keeps(Without::full_queue)) return;  // (F10)
  if (!next_) {
    if (r_queue_.empty()) return;
    next_ = r_queue_.front();
    r_queue_.erase(r_queue_.begin());
  } else if (local(*next_) && keeps(Without::sent_queue)) {  // (F11)
    out.send(*owner_, Queue{std::exchange(r_queue_, {}), nb_});
  }
}

}  // namespace conch
