#include "mutex/preempt_aggregation.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<PreemptAggregation> && TokenBased<PreemptAggregation>);

void PreemptAggregation::release(const DataRef& data, Out& out) {
  leave(data);
  pass(out);
}

/// Release_CS: leaves the queue and passes the token to the next node, or keeps it idle here.
void PreemptAggregation::pass(Out& out) {
  Preemptions nb = give_up_place();
  if (!next_) return;
  NodeId next = *std::exchange(next_, std::nullopt);
  if (!local(next)) owner_ = policy_->after_leaving(owner_, next, r_queue_);
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

void PreemptAggregation::hand_over(NodeId origin, Out& out) {
  policy_->expect_token(token_);
  token_ = false;
  owner_ = policy_->after_giving_away(owner_, origin);
  out.send(origin, Token{baton_, {}, {}});
}

/// A local request overtakes all requests behind us and becomes the local root.
void PreemptAggregation::preempt(NodeId origin, Out& out) {
  nb_.add(clusters_.levels());
  std::vector<NodeId> queue = std::exchange(r_queue_, {});
  queue.insert(queue.begin(), *next_);
  next_ = origin;
  owner_ = origin;
  out.send(origin, Queue{std::move(queue), nb_});
}

/// Adds a request at the end of the queue or, while its count allows, before those that are farther
/// away. A local request becomes the local root; it is never overtaken here.
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
  owner_ = policy_->after_queueing(owner_, origin, local(origin));
}

/// Puts the queue that arrives before our own.
void PreemptAggregation::take_in(const std::vector<NodeId>& queue, const Preemptions& nb) {
  policy_->learn(nb_, nb);
  r_queue_.insert(r_queue_.begin(), queue.begin(), queue.end());
}

void PreemptAggregation::receive(NodeId, const Token& m, Out& out) {
  take_token(m.baton);
  take_in(m.queue, m.nb);
  dispatch(out);
  wanted_ ? enter(out) : pass(out);
}

void PreemptAggregation::receive(NodeId, const Queue& m, Out& out) {
  CONCH_EXPECT(!m.queue.empty(), "a queue that is sent is not empty");
  if (policy_->keeps_queue(requesting_)) {
    take_in(policy_->kept(m.queue), m.nb);
    dispatch(out);
  } else if (token_) {
    hand_over(m.queue, out);
  } else {
    out.send(*owner_, m);  // it follows the token
  }
}

/// The token arrived before the queue and is idle here.
void PreemptAggregation::hand_over(const std::vector<NodeId>& queue, Out& out) {
  token_ = false;
  owner_ = queue.back();
  out.send(queue.front(), Token{baton_, {queue.begin() + 1, queue.end()}, {}});
}

/// Makes the head of the queue our next, or sends the queue on to the local root. Behind a remote
/// next the queue stays, and leaves with the token.
void PreemptAggregation::dispatch(Out& out) {
  if (!next_) {
    if (r_queue_.empty()) return;
    next_ = r_queue_.front();
    r_queue_.erase(r_queue_.begin());
  } else if (policy_->sends_on(r_queue_, local(*next_))) {
    out.send(*owner_, Queue{std::exchange(r_queue_, {}), nb_});
  }
}

}  // namespace conch
