#include "mutex/ring.hpp"

namespace conch {

static_assert(Exclusive<Ring> && TokenBased<Ring> && Starting<Ring>);

Ring::Ring(NodeId self, const Assignment& start)
    : self_(self),
      successor_(start.members.after(self)),
      token_(self == start.home),
      baton_(start.baton) {}

void Ring::start(Out& out) {
  if (token_) pass(out);
}

void Ring::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  if (token_) enter(out);
}

void Ring::enter(Out& out) {
  state_ = State::held;
  baton_ = baton_.next();
  out.enter(baton_);
}

void Ring::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  state_ = State::released;
  baton_.data = data;
  pass(out);
}

void Ring::pass(Out& out) {
  if (successor_ == self_) return;
  token_ = false;
  out.send(successor_, Token{baton_});
}

void Ring::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels, once");
  state_ = State::released;
  out.withdrawn();
}

void Ring::receive(NodeId, const Token& m, Out& out) {
  token_ = true;
  baton_ = m.baton;
  state_ == State::wanted ? enter(out) : pass(out);
}

}  // namespace conch
