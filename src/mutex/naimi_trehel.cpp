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
    CONCH_EXPECT(token_, "a tail that waits for nobody holds the token");
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

/// Leaves the queue with the token in hand: to the next, or idle here.
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
  CONCH_EXPECT(place_ == Place::queued, "a token comes to somebody who is queued");
  token_ = true;
  baton_ = m.baton;
  if (wanted_ && !withdrawal_) return enter(out);
  pass(out);
  withdrawal_ ? conclude(out) : proceed(out);
}

// Cancelling.

void NaimiTrehel::cancel(Out& out) {
  CONCH_EXPECT(wanted_ && place_ == Place::queued && !withdrawal_, "a waiter cancels, once");
  withdraw(out);
}

void NaimiTrehel::withdraw(Out& out) {
  ++withdrawals_;
  withdrawal_ = Withdrawal{};
  withdrawal_->unanswered = others();
  for (NodeId node : withdrawal_->unanswered) out.send(node, Seek{withdrawals_});
}

void NaimiTrehel::receive(NodeId from, const Seek& m, Out& out) {
  seekers_[from] = m.number;
  out.send(from, Noted{});
  if (next_ == from) announce(out);
}

/// Sets who gets the token from us; tells it, if it is looking for us.
void NaimiTrehel::follow(std::optional<NodeId> next, Out& out) {
  next_ = next;
  announce(out);
}

void NaimiTrehel::announce(Out& out) {
  if (next_ && seekers_.contains(*next_) && !splicing()) out.send(*next_, Ahead{});
}

void NaimiTrehel::receive(NodeId from, const Noted&, Out& out) {
  CONCH_EXPECT(withdrawal_, "only a seeker is answered");
  withdrawal_->unanswered.erase(from);
  conclude(out);
}

void NaimiTrehel::receive(NodeId from, const Ahead&, Out& out) {
  if (!withdrawal_) return;  // the token was faster
  withdrawal_->ahead.insert(from);
  splice_out(out);
}

/// Asks one who says to be ahead of us, one at a time.
void NaimiTrehel::splice_out(Out& out) {
  if (place_ != Place::queued || splicing() || withdrawal_->ahead.empty()) return;
  NodeId node = withdrawal_->ahead.front();
  withdrawal_->ahead.erase(node);
  withdrawal_->splicing = node;
  out.send(node, Splice{next_});
}

void NaimiTrehel::receive(NodeId from, const Splice& m, Out& out) {
  if (splicing() && next_ == from) {
    held_splice_ = HeldSplice{from, m};
    return;
  }
  bool done = next_ == from;
  if (done) follow(m.next, out);
  if (done && !next_) owner_.reset();  // we are the tail again
  out.send(from, Spliced{done});
}

void NaimiTrehel::receive(NodeId from, const Spliced& m, Out& out) {
  CONCH_EXPECT(splicing(), "only who asked is spliced out");
  withdrawal_->splicing.reset();
  if (m.done) {
    place_ = Place::none;
    next_.reset();
    if (!owner_) owner_ = from;
  }
  for (NodeId origin : std::exchange(withdrawal_->deferred, {}))
    receive(self_, Request{origin}, out);
  if (auto held = std::exchange(held_splice_, std::nullopt)) {
    receive(held->from, held->splice, out);
  } else {
    announce(out);
  }
  splice_out(out);
  conclude(out);
}

/// Ends the withdrawal when we are out of the queue and everybody has heard that we were looking.
void NaimiTrehel::conclude(Out& out) {
  bool answered = withdrawal_->unanswered.empty() && !withdrawal_->splicing;
  if (!answered || place_ == Place::queued) return;
  for (NodeId node : others()) out.send(node, Found{withdrawals_});
  withdrawal_.reset();
  if (std::exchange(wanted_, false)) out.withdrawn();
  adopt(out);
  proceed(out);
}

void NaimiTrehel::receive(NodeId from, const Found& m, Out&) {
  auto seeker = seekers_.find(from);
  if (seeker != seekers_.end() && seeker->second <= m.number) seekers_.erase(seeker);
}

// Joining.

void NaimiTrehel::join(NodeId contact, Out& out) {
  member_ = false;
  token_ = false;
  owner_.reset();
  contact_ = contact;
  out.send(contact, Join{});
}

/// Asks the next one that is not leaving for all we know; if there is none, whoever comes next.
void NaimiTrehel::join_another(NodeId than, Out& out) {
  FlatSet<NodeId> nodes = others();
  contact_.reset();
  if (nodes.empty()) return;
  join(Members(std::vector<NodeId>(nodes.begin(), nodes.end())).after(than), out);
}

void NaimiTrehel::receive(NodeId from, const Join&, Out& out) {
  bool stays = member_ && (!departure_ || departure_->stage == Stage::arranging);
  if (stays) {
    out.send(from, Welcome{});
  } else {
    out.send(from, Decline{});
  }
}

void NaimiTrehel::receive(NodeId from, const Welcome&, Out& out) {
  CONCH_EXPECT(!member_, "only a newcomer is welcomed");
  member_ = true;
  contact_.reset();
  owner_ = from;
  out.joined();
  adopt(out);
}

void NaimiTrehel::roster(const Members& members, Out& out) {
  bool parting = departure_ && departure_->stage == Stage::parting;
  for (NodeId node : members) {
    if (members_.contains(node) || node == self_) continue;
    if (withdrawal_ && withdrawal_->unanswered.insert(node)) out.send(node, Seek{withdrawals_});
    if (parting && departure_->unanswered.insert(node)) out.send(node, Farewell{});
  }
  members_ = members;
  for (NodeId node : FlatSet<NodeId>(forgotten_))
    if (!members.contains(node)) forgotten_.erase(node);
  std::erase_if(seekers_, [&](const auto& seeker) { return !members.contains(seeker.first); });
  if (!member_ && !contact_) join_another(self_, out);
  proceed(out);
}

FlatSet<NodeId> NaimiTrehel::others() const {
  FlatSet<NodeId> nodes(members_.begin(), members_.end());
  nodes.erase(self_);
  for (NodeId node : forgotten_) nodes.erase(node);
  return nodes;
}

// Leaving.

void NaimiTrehel::leave(Out& out) {
  CONCH_EXPECT(member_ && !wanted_ && !departure_, "a member leaves once, wanting nothing");
  departure_ = Departure{};
  if (place_ == Place::queued) withdraw(out);
  proceed(out);
}

/// Takes the next step of leaving that can be taken.
void NaimiTrehel::proceed(Out& out) {
  if (!departure_ || withdrawal_ || place_ != Place::none) return;
  bool answered = departure_->unanswered.empty() && leaners_.empty();
  switch (departure_->stage) {
    case Stage::arranging:
      if (others().empty()) return part(out);
      if (!owner_) return offer(out);
      if (answered) redirect(out);
      return;
    case Stage::redirecting:
      if (!answered) return;
      departure_->leaned_on ? redirect(out) : part(out);
      return;
    case Stage::parting:
      if (!answered) return;
      departure_->stage = Stage::gone;
      return out.left();
    case Stage::gone: return;
  }
}

/// An idle token needs a new home: somebody who asks for it and keeps it.
void NaimiTrehel::offer(Out& out) {
  if (departure_->offered) return;
  for (NodeId node : others()) {
    if (departure_->declined.contains(node)) continue;
    departure_->offered = node;
    return out.send(node, Offer{});
  }
}

/// Our FAREWELL declines, too; who has it may be gone before a DECLINE would come.
void NaimiTrehel::receive(NodeId from, const Offer&, Out& out) {
  bool bidden =
      departure_ && departure_->stage == Stage::parting && departure_->unanswered.contains(from);
  if (bidden) return;
  if (departure_) return out.send(from, Decline{});
  offered_ = true;
  adopt(out);
}

/// Asks for an offered token as soon as we can. If we wait for it ourselves it comes anyway; if we
/// are being spliced out it may not.
void NaimiTrehel::adopt(Out& out) {
  if (!offered_ || !member_ || withdrawal_) return;
  offered_ = false;
  if (place_ == Place::none && owner_) claim(out);
}

void NaimiTrehel::receive(NodeId from, const Decline&, Out& out) {
  if (!member_) return join_another(from, out);
  CONCH_EXPECT(departure_, "only a leaver makes offers");
  departure_->declined.insert(from);
  departure_->offered.reset();
  proceed(out);
}

void NaimiTrehel::redirect(Out& out) {
  CONCH_EXPECT(owner_, "a leaver without the token points at somebody");
  departure_->stage = Stage::redirecting;
  departure_->leaned_on = false;
  departure_->unanswered = others();
  departure_->unanswered.insert(*owner_);
  for (NodeId node : departure_->unanswered) out.send(node, Redirect{*owner_});
}

void NaimiTrehel::receive(NodeId from, const Redirect& m, Out& out) {
  CONCH_EXPECT(next_ != from || splicing(), "a leaver has no place in the queue");
  if (m.to == self_) {
    CONCH_EXPECT(owner_ != from, "owners make no cycle");
    leaners_.insert(from);
    if (departure_) departure_->leaned_on = true;
  } else if (owner_ == from) {
    owner_ = m.to;
  }
  out.send(from, Redirected{});
}

void NaimiTrehel::receive(NodeId from, const Redirected&, Out& out) {
  CONCH_EXPECT(departure_, "only a leaver redirects");
  departure_->unanswered.erase(from);
  proceed(out);
}

void NaimiTrehel::part(Out& out) {
  departure_->stage = Stage::parting;
  departure_->unanswered = others();
  for (NodeId node : departure_->unanswered) out.send(node, Farewell{});
  if (departure_->unanswered.empty()) proceed(out);
}

void NaimiTrehel::receive(NodeId from, const Farewell&, Out& out) {
  leaners_.erase(from);
  forgotten_.insert(from);
  // It was ahead of us and went before it could be asked: whoever took it out is ahead of us now.
  if (withdrawal_) withdrawal_->ahead.erase(from);
  if (departure_ && departure_->offered == from) departure_->offered.reset();
  out.send(from, Forgotten{});
  proceed(out);
}

void NaimiTrehel::receive(NodeId from, const Forgotten&, Out& out) {
  CONCH_EXPECT(departure_, "only a leaver bids farewell");
  departure_->unanswered.erase(from);
  proceed(out);
}

}  // namespace conch
