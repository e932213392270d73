// Naimi-Trehel: how a waiter that cancels leaves the queue. The paper has no cancel.
#include <utility>

#include "mutex/naimi_trehel.hpp"

namespace conch {

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

/// Sets the node that gets the token from us, and tells it if it seeks the one ahead of it.
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
  if (!withdrawal_) return;  // the token came first
  withdrawal_->ahead.insert(from);
  splice_out(out);
}

/// Asks one of the nodes that said they are ahead of us to take us out; one at a time.
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
  CONCH_EXPECT(splicing(), "only a node that asked is spliced out");
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

/// Ends the withdrawal once we are out of the queue and all nodes have answered the search.
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

}  // namespace conch
