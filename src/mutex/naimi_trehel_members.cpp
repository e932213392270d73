// Naimi-Trehel: joining and leaving the group, which the paper does not have.
#include <utility>

#include "mutex/naimi_trehel.hpp"

namespace conch {

// Joining.

void NaimiTrehel::join(NodeId contact, Out& out) {
  member_ = false;
  token_ = false;
  owner_.reset();
  contact_ = contact;
  out.send(contact, Join{});
}

/// Asks the next node that is not known to be leaving. If there is none, waits for a newcomer.
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

/// Takes every step of leaving that is possible now.
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

/// Offers an idle token to a node that asks for it and keeps it.
void NaimiTrehel::offer(Out& out) {
  if (departure_->offered) return;
  for (NodeId node : others()) {
    if (departure_->declined.contains(node)) continue;
    departure_->offered = node;
    return out.send(node, Offer{});
  }
}

/// Our FAREWELL also declines the offer: the holder may be gone before a DECLINE would arrive.
void NaimiTrehel::receive(NodeId from, const Offer&, Out& out) {
  bool bidden =
      departure_ && departure_->stage == Stage::parting && departure_->unanswered.contains(from);
  if (bidden) return;
  if (departure_) return out.send(from, Decline{});
  offered_ = true;
  adopt(out);
}

/// Asks for an offered token as soon as possible. If we already wait for the token, it comes
/// anyway, unless we are being spliced out.
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
  CONCH_EXPECT(owner_, "a leaver without the token has an owner");
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
  // It was ahead of us and left before we asked it: whoever took it out is ahead of us now.
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
