#include "mutex/maekawa_textbook.hpp"

#include "mutex/voting_sets.hpp"

namespace conch {

static_assert(Exclusive<MaekawaTextbook>);

MaekawaTextbook::MaekawaTextbook(NodeId self, const Assignment& start)
    : self_(self),
      voting_set_(voting_set(start.members, self, start.tuning.voting)),
      baton_(start.baton) {}

// Candidate.

void MaekawaTextbook::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  multicast(Request{}, out);
}

void MaekawaTextbook::receive(NodeId from, const Reply& m, Out& out) {
  baton_ = newer(baton_, m.baton);
  if (state_ == State::cancelling) return;
  replies_.insert(from);
  if (replies_.size() < voting_set_.size()) return;
  state_ = State::held;
  baton_ = baton_.next();
  out.enter(baton_);
}

void MaekawaTextbook::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  state_ = State::released;
  replies_.clear();
  baton_.data = data;
  multicast(Release{baton_}, out);
}

void MaekawaTextbook::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels");
  state_ = State::cancelling;
  replies_.clear();
  unanswered_ = voting_set_;
  multicast(Withdraw{}, out);
}

void MaekawaTextbook::receive(NodeId from, const Withdrawn&, Out& out) {
  unanswered_.erase(from);
  if (!unanswered_.empty()) return;
  state_ = State::released;
  out.withdrawn();
}

// Voter.

void MaekawaTextbook::receive(NodeId from, const Request&, Out& out) {
  if (state_ == State::held || voted_) {
    queue_.push_back(from);
  } else {
    vote_for(from, out);
  }
}

void MaekawaTextbook::receive(NodeId from, const Release& m, Out& out) {
  CONCH_EXPECT(voted_ == from, "a vote comes back from its candidate");
  baton_ = newer(baton_, m.baton);
  vote_for_next(out);
}

void MaekawaTextbook::receive(NodeId from, const Withdraw&, Out& out) {
  post(from, Withdrawn{}, out);
  if (voted_ == from) {
    vote_for_next(out);
  } else {
    std::erase(queue_, from);
  }
}

void MaekawaTextbook::vote_for(NodeId candidate, Out& out) {
  voted_ = candidate;
  post(candidate, Reply{baton_}, out);
}

void MaekawaTextbook::vote_for_next(Out& out) {
  voted_.reset();
  if (queue_.empty()) return;
  NodeId head = queue_.front();
  queue_.pop_front();
  vote_for(head, out);
}

template <class M>
void MaekawaTextbook::post(NodeId to, const M& message, Out& out) {
  to == self_ ? receive(self_, message, out) : out.send(to, message);
}

template <class M>
void MaekawaTextbook::multicast(const M& message, Out& out) {
  for (NodeId voter : voting_set_) post(voter, message, out);
}

}  // namespace conch
