#include "mutex/naimi_trehel.hpp"

#include <utility>

namespace conch {

NaimiTrehel::NaimiTrehel(NodeId self, const Assignment& start)
    : self_(self), token_(self == start.home), baton_(start.baton), members_(start.members) {
  if (!token_) owner_ = start.home;
}

void NaimiTrehel::request(Out& out) {
  CONCH_EXPECT(member_ && !wanted_ && !departure_, "a process asks once, as a member that stays");
  wanted_ = true;
  if (place_ == Place::none) claim(out);
}

void NaimiTrehel::claim(Out& out) {
  place_ = Place::queued;
  if (owner_) {
    out.send(*std::exchange(owner_, std::nullopt), Request{self_});
  } else {
    CONCH_EXPECT(token_, "a tail that waits for no other holds the token");
    enter(out);
  }
}

void NaimiTrehel::enter(Out& out) {
  place_ = Place::inside;
  baton_ = baton_.next();
  out.enter(baton_);
}

void NaimiTrehel::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(place_ == Place::inside, "only the holder releases");
  wanted_ = false;
  baton_.data = data;
  pass(out);
}

/// Leaves the queue and passes the token to the next node, or keeps it idle if there is none.
void NaimiTrehel::pass(Out& out) {
  place_ = Place::none;
  if (!next_) return;
  token_ = false;
  out.send(*std::exchange(next_, std::nullopt), Token{baton_});
}

void NaimiTrehel::receive(NodeId, const Request& m, Out& out) {
  if (splicing() && !owner_) return withdrawal_->deferred.push_back(m.origin);
  if (owner_) {
    out.send(*owner_, m);
  } else if (place_ != Place::none) {
    follow(m.origin, out);
  } else {
    token_ = false;
    out.send(m.origin, Token{baton_});
  }
  owner_ = m.origin;
  proceed(out);
}

void NaimiTrehel::receive(NodeId, const Token& m, Out& out) {
  CONCH_EXPECT(place_ == Place::queued, "a token comes to a queued node");
  token_ = true;
  baton_ = m.baton;
  if (wanted_ && !withdrawal_) return enter(out);
  pass(out);
  withdrawal_ ? conclude(out) : proceed(out);
}

}  // namespace conch
