#include "mutex/ring_idle_hold.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<RingIdleHold> && TokenBased<RingIdleHold>);

RingIdleHold::RingIdleHold(NodeId self, const Assignment& start)
    : self_(self),
      successor_(start.members.after(self)),
      token_(self == start.home),
      baton_(start.baton) {}

void RingIdleHold::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  token_ ? enter(out) : out.send(successor_, Wake{self_});
}

void RingIdleHold::enter(Out& out) {
  state_ = State::held;
  baton_ = baton_.next();
  out.enter(baton_);
}

void RingIdleHold::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  state_ = State::released;
  baton_.data = data;
  move_on(out);
}

/// Sends the token on if any member has asked; otherwise it stays here.
void RingIdleHold::move_on(Out& out) {
  if (asked_.empty()) return;
  token_ = false;
  out.send(successor_, Token{baton_, std::exchange(asked_, {})});
}

void RingIdleHold::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels, once");
  state_ = State::released;
  out.withdrawn();
}

void RingIdleHold::receive(NodeId, const Wake& m, Out& out) {
  if (token_ && m.origin != self_) {
    asked_.insert(m.origin);
    if (state_ == State::released) move_on(out);
  } else if (m.origin != self_ || state_ == State::wanted) {
    out.send(successor_, m);  // the token is between two nodes: follow it
  }
}

void RingIdleHold::receive(NodeId, const Token& m, Out& out) {
  token_ = true;
  baton_ = m.baton;
  asked_ = m.asked;
  asked_.erase(self_);
  state_ == State::wanted ? enter(out) : move_on(out);
}

}  // namespace conch
