#include "mutex/ricart_agrawala_kept.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<RicartAgrawalaKept> && !Causal<RicartAgrawalaKept>);

RicartAgrawalaKept::RicartAgrawalaKept(NodeId self, const Assignment& start)
    : self_(self),
      members_(start.members),
      forgotten_(start.members.size()),
      granted_(start.members.size()),
      newest_(start.baton) {
  for (NodeId node : members_)
    if (self_ < node) permitted_.insert(node);
}

void RicartAgrawalaKept::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  stamp_ = Stamp{++clock_.value};
  for (NodeId node : members_)
    if (node != self_ && !permitted_.contains(node)) out.send(node, Request{stamp_});
  enter_if_all_permit(out);
}

void RicartAgrawalaKept::enter_if_all_permit(Out& out) {
  if (permitted_.size() + 1 < members_.size()) return;
  state_ = State::held;
  newest_ = newest_.next();
  out.enter(newest_);
}

void RicartAgrawalaKept::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  state_ = State::released;
  newest_.data = data;
  give_to_deferred(out);
}

void RicartAgrawalaKept::give(NodeId node, Stamp request, Out& out) {
  bool had = permitted_.erase(node);
  CONCH_EXPECT(had, "a process gives only a permission that it has");
  granted_[index(node)] = request;
  out.send(node, Reply{clock_, newest_});
}

/// Gives the permissions that we have. A permission that is still to come stays deferred.
void RicartAgrawalaKept::give_to_deferred(Out& out) {
  std::erase_if(deferred_, [&](const auto& entry) {
    auto [node, request] = entry;
    bool have = permitted_.contains(node);
    if (have) give(node, request, out);
    return have;
  });
}

/// A permission that has not arrived yet cannot be given away either.
bool RicartAgrawalaKept::are_first(NodeId other, Stamp clock) const {
  switch (state_) {
    case State::released: return false;
    case State::held: return true;
    case State::wanted: return Priority{stamp_, self_} < Priority{clock, other};
    case State::cancelling: return !permitted_.contains(other);
  }
  return false;
}

void RicartAgrawalaKept::receive(NodeId from, const Request& m, Out& out) {
  observe(m.clock);
  if (m.clock <= forgotten_[index(from)]) return;
  if (are_first(from, m.clock)) {
    deferred_[from] = m.clock;
    return;
  }
  give(from, m.clock, out);
  if (state_ == State::wanted) out.send(from, Request{stamp_});
}

void RicartAgrawalaKept::receive(NodeId from, const Reply& m, Out& out) {
  observe(m.clock);
  newest_ = newer(newest_, m.newest);
  permitted_.insert(from);
  if (state_ == State::wanted) return enter_if_all_permit(out);
  pair_up(from);
  conclude_cancel(out);
}

void RicartAgrawalaKept::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels, once");
  state_ = State::cancelling;
  for (NodeId node : members_) {
    if (node == self_ || permitted_.contains(node)) continue;
    unanswered_.insert(node);
    out.send(node, Cancel{clock_, stamp_});
  }
  give_to_deferred(out);
}

void RicartAgrawalaKept::receive(NodeId from, const Cancel& m, Out& out) {
  observe(m.clock);
  forgotten_[index(from)] = m.to;
  deferred_.erase(from);
  out.send(from, Cancelled{clock_, granted_[index(from)] == m.to});
}

void RicartAgrawalaKept::receive(NodeId from, const Cancelled& m, Out& out) {
  observe(m.clock);
  unanswered_.erase(from);
  if (m.granted) pair_up(from);
  conclude_cancel(out);
}

/// A REPLY and the CANCELLED(granted) that announces it may arrive in either order.
void RicartAgrawalaKept::pair_up(NodeId node) {
  if (!unpaired_.erase(node)) unpaired_.insert(node);
}

void RicartAgrawalaKept::conclude_cancel(Out& out) {
  if (!unanswered_.empty() || !unpaired_.empty()) return;
  state_ = State::released;
  give_to_deferred(out);
  out.withdrawn();
}

}  // namespace conch
