#include "mutex/preempt.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<Preempt> && TokenBased<Preempt>);

void Preempt::release(const DataRef& data, Out& out) {
  leave(data);
  pass(out);
}

/// Release_CS: leaves the queue and passes the token to the next node, or keeps it idle here.
void Preempt::pass(Out& out) {
  Preemptions nb = give_up_place();
  if (!next_) return;
  NodeId next = *std::exchange(next_, std::nullopt);
  token_ = false;
  out.send(next, Token{baton_, nb.seen_from(nearness(next))});
}

void Preempt::receive(NodeId, const Request& m, Out& out) {
  if (!owner_) {
    if (requesting_) {
      next_ = m.origin;
    } else {
      CONCH_EXPECT(token_, "a tail that is not queued holds the token");
      token_ = false;
      out.send(m.origin, Token{baton_, {}});
    }
    owner_ = m.origin;
  } else if (may_overtake(m.origin)) {
    preempt(m.origin, out);
  } else {
    out.send(*owner_, m);
    if (local(m.origin) || !local(*owner_)) owner_ = m.origin;
  }
}

bool Preempt::may_overtake(NodeId origin) const {
  std::size_t level = nearness(origin);
  bool local_root = !local(*owner_) && requesting_ && next_;
  return local_root && nearness(*next_) < level && nb_.at(level) < eps_;
}

void Preempt::preempt(NodeId origin, Out& out) {
  nb_.add(nearness(origin));
  out.send(origin, Queue{*next_, *owner_, nb_});
  next_ = origin;
  owner_ = origin;
}

void Preempt::receive(NodeId, const Token& m, Out& out) {
  take_token(m.baton);
  nb_.merge(m.nb);
  wanted_ ? enter(out) : pass(out);
}

void Preempt::receive(NodeId, const Queue& m, Out& out) {
  if (requesting_) {
    nb_.merge(m.nb);
    follow(m, out);
  } else if (token_) {
    token_ = false;
    owner_ = m.tail;
    out.send(m.head, Token{baton_, {}});
  } else {
    NodeId after_the_token = *owner_;
    if (!local(*owner_)) owner_ = m.tail;
    out.send(after_the_token, m);
  }
}

/// Puts the rest of the queue behind the local root. A remote next that is already there asks at
/// the tail instead.
void Preempt::follow(const Queue& m, Out& out) {
  if (!next_) {
    next_ = m.head;
    owner_ = m.tail;
  } else if (local(*next_)) {
    out.send(*next_, Queue{m.head, m.tail, nb_});
  } else {
    NodeId remote = *std::exchange(next_, m.head);
    out.send(m.tail, Request{remote});
  }
}

}  // namespace conch
