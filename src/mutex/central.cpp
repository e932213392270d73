#include "mutex/central.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<Central> && Suspecting<Central>);

Central::Central(NodeId self, const Assignment& start)
    : self_(self), server_(start.home), newest_(start.baton) {}

template <class M>
void Central::tell(NodeId to, const M& m, Out& out) {
  to == self_ ? receive(self_, m, out) : out.send(to, m);
}

// As a client.

void Central::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  tell(server_, Request{++number_}, out);
}

void Central::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  baton_->data = data;
  give_back(out);
}

void Central::give_back(Out& out) {
  state_ = State::released;
  grant_to_come_ = false;
  tell(server_, Release{*std::exchange(baton_, std::nullopt)}, out);
}

void Central::receive(NodeId, const Grant& m, Out& out) {
  baton_ = m.baton;
  if (state_ == State::wanted) {
    state_ = State::held;
    out.enter(m.baton);
  } else if (grant_to_come_) {
    give_back(out);
    out.withdrawn();
  }
}

void Central::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels, once");
  state_ = State::cancelling;
  tell(server_, Cancel{number_}, out);
}

void Central::receive(NodeId, const Cancelled& m, Out& out) {
  if (m.granted && !baton_) {
    grant_to_come_ = true;
    return;
  }
  if (m.granted) give_back(out);
  state_ = State::released;
  out.withdrawn();
}

// As the server.

void Central::receive(NodeId from, const Request& m, Out& out) {
  Claim claim{from, m.number};
  if (suspected_.contains(from) || cancelled_.erase(claim)) return;
  queue_.push_back(claim);
  grant_next(out);
}

void Central::grant_next(Out& out) {
  if (holder_ || queue_.empty()) return;
  holder_ = queue_.front();
  queue_.pop_front();
  newest_ = newest_.next();
  tell(holder_->client, Grant{holder_->number, newest_}, out);
}

void Central::receive(NodeId from, const Release& m, Out& out) {
  bool current = holder_ && holder_->client == from && m.baton.fence == newest_.fence;
  if (!current) return;  // a suspected holder's, after somebody else got the lock
  newest_ = m.baton;
  holder_.reset();
  grant_next(out);
}

void Central::receive(NodeId from, const Cancel& m, Out& out) {
  Claim claim{from, m.number};
  bool granted = holder_ == claim;
  bool waited = std::erase(queue_, claim) > 0;
  bool to_come = !granted && !waited && !suspected_.contains(from);
  if (to_come) cancelled_.insert(claim);
  tell(from, Cancelled{m.number, granted}, out);
}

void Central::suspect(NodeId node, Out& out) {
  if (self_ != server_) return;
  suspected_.insert(node);
  std::erase_if(queue_, [&](const Claim& claim) { return claim.client == node; });
  if (holder_ && holder_->client == node) holder_.reset();
  grant_next(out);
}

}  // namespace conch
