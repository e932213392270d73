#include "mutex/maekawa.hpp"

#include <algorithm>
#include <utility>

#include "mutex/voting_sets.hpp"

namespace conch {

static_assert(Exclusive<Maekawa>);

Maekawa::Maekawa(NodeId self, const Assignment& start)
    : self_(self),
      voting_set_(voting_set(start.members, self, start.tuning.voting)),
      baton_(start.baton) {}

// Candidate.

void Maekawa::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  ++clock_.value;
  multicast(Request{clock_}, out);
}

void Maekawa::receive(NodeId from, const Vote& m, Out& out) {
  observe(m.stamp);
  baton_ = newer(baton_, m.baton);
  if (state_ == State::cancelling) return;
  votes_.insert(from);
  failed_.erase(from);
  if (votes_.size() == voting_set_.size()) enter(out);
}

void Maekawa::enter(Out& out) {
  state_ = State::held;
  inquiries_.clear();
  baton_ = baton_.next();
  out.enter(baton_);
}

void Maekawa::receive(NodeId from, const Failed&, Out& out) {
  if (state_ == State::cancelling) return;
  failed_.insert(from);
  for (NodeId voter : std::exchange(inquiries_, {})) relinquish(voter, out);
}

void Maekawa::receive(NodeId from, const Inquire&, Out& out) {
  if (state_ != State::wanted || !votes_.contains(from)) return;
  if (failed_.empty()) {
    inquiries_.insert(from);
  } else {
    relinquish(from, out);
  }
}

void Maekawa::relinquish(NodeId voter, Out& out) {
  votes_.erase(voter);
  failed_.insert(voter);
  post(voter, Relinquish{}, out);
}

void Maekawa::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  state_ = State::released;
  forget_votes();
  baton_.data = data;
  multicast(Release{baton_}, out);
}

void Maekawa::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels");
  state_ = State::cancelling;
  forget_votes();
  unanswered_ = voting_set_;
  multicast(Withdraw{}, out);
}

void Maekawa::forget_votes() {
  votes_.clear();
  failed_.clear();
  inquiries_.clear();
}

void Maekawa::receive(NodeId from, const Withdrawn&, Out& out) {
  unanswered_.erase(from);
  if (!unanswered_.empty()) return;
  state_ = State::released;
  out.withdrawn();
}

// Voter.

void Maekawa::receive(NodeId from, const Request& m, Out& out) {
  observe(m.stamp);
  Priority request{m.stamp, from};
  if (!voted_) return vote_for(request, out);
  std::optional<Priority> first;
  if (!queue_.empty()) first = queue_.front();
  queue_.insert(request);
  if (*voted_ < request || (first && *first < request)) return post(from, Failed{}, out);
  if (first && *first < *voted_) post(first->node, Failed{}, out);  // it was the earliest so far
  inquire(out);
}

/// One inquiry per vote is enough: when it is answered, the vote goes to the earliest request then.
void Maekawa::inquire(Out& out) {
  if (std::exchange(inquired_, true)) return;
  post(voted_->node, Inquire{}, out);
}

void Maekawa::receive(NodeId from, const Relinquish&, Out& out) {
  CONCH_EXPECT(voted_ && voted_->node == from, "a vote comes back from its candidate");
  queue_.insert(*voted_);
  vote_for_earliest(out);
}

void Maekawa::receive(NodeId from, const Release& m, Out& out) {
  CONCH_EXPECT(voted_ && voted_->node == from, "a vote comes back from its candidate");
  baton_ = newer(baton_, m.baton);
  vote_for_earliest(out);
}

void Maekawa::receive(NodeId from, const Withdraw&, Out& out) {
  post(from, Withdrawn{}, out);
  if (voted_ && voted_->node == from) return vote_for_earliest(out);
  auto withdrawn = std::find_if(queue_.begin(), queue_.end(),
                                [&](const Priority& request) { return request.node == from; });
  CONCH_EXPECT(withdrawn != queue_.end(), "a request that has no vote is in the queue");
  queue_.erase(Priority(*withdrawn));
}

void Maekawa::vote_for(const Priority& request, Out& out) {
  voted_ = request;
  inquired_ = false;
  post(request.node, Vote{clock_, baton_}, out);
}

void Maekawa::vote_for_earliest(Out& out) {
  voted_.reset();
  inquired_ = false;
  if (queue_.empty()) return;
  Priority earliest = queue_.front();
  queue_.erase(earliest);
  vote_for(earliest, out);
}

void Maekawa::observe(Stamp stamp) { clock_ = Stamp{std::max(clock_, stamp).value + 1}; }

template <class M>
void Maekawa::post(NodeId to, const M& message, Out& out) {
  to == self_ ? receive(self_, message, out) : out.send(to, message);
}

template <class M>
void Maekawa::multicast(const M& message, Out& out) {
  for (NodeId voter : voting_set_) post(voter, message, out);
}

}  // namespace conch
