#include "mutex/ricart_agrawala.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<RicartAgrawala> && Causal<RicartAgrawala> && Suspecting<RicartAgrawala>);

RicartAgrawala::RicartAgrawala(NodeId self, const Assignment& start)
    : self_(self),
      members_(start.members),
      forgotten_(start.members.size()),
      first_(start.baton.fence),
      newest_(start.baton) {}

void RicartAgrawala::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  stamp_ = Stamp{++clock_.value};
  awaiting_ = {members_.begin(), members_.end()};
  awaiting_.erase(self_);
  for (NodeId node : crashed_) awaiting_.erase(node);
  for (NodeId node : awaiting_) out.send(node, Request{stamp_});
  enter_if_all_replied(out);
}

void RicartAgrawala::enter_if_all_replied(Out& out) {
  if (!awaiting_.empty()) return;
  state_ = State::held;
  newest_.fence = next_fence();
  out.enter(newest_);
}

/// Usually the next fence. But a crashed process may have been the only one that knew the newest,
/// so after a crash a fence is made from (T, id), which orders all entries. No earlier entry has a
/// larger fence: counted one by one, fences grow no faster than (T, id).
Fence RicartAgrawala::next_fence() const {
  if (crashed_.empty()) return newest_.fence.next();
  std::uint64_t order = stamp_.value * members_.size() + *members_.index_of(self_);
  return Fence(first_.epoch(), first_.count() + order);
}

void RicartAgrawala::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  state_ = State::released;
  newest_.data = data;
  reply_to_deferred(out);
}

void RicartAgrawala::reply_to_deferred(Out& out) {
  for (auto [node, stamp] : std::exchange(deferred_, {}))
    out.send(node, Reply{clock_, stamp, newest_});
}

void RicartAgrawala::receive(NodeId from, const Request& m, Out& out) {
  observe(m.clock);
  if (crashed_.contains(from) || m.clock <= forgotten(from)) return;
  bool we_are_first = state_ == State::held || (state_ == State::wanted &&
                                                Priority{stamp_, self_} < Priority{m.clock, from});
  if (we_are_first) {
    deferred_[from] = m.clock;
  } else {
    out.send(from, Reply{clock_, m.clock, newest_});
  }
}

void RicartAgrawala::receive(NodeId from, const Reply& m, Out& out) {
  observe(m.clock);
  newest_ = newer(newest_, m.newest);
  if (state_ != State::wanted || m.to != stamp_) return;  // it answers a request that we cancelled
  awaiting_.erase(from);
  enter_if_all_replied(out);
}

void RicartAgrawala::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels, once");
  state_ = State::cancelling;
  reply_to_deferred(out);
  for (NodeId node : awaiting_) out.send(node, Cancel{clock_, stamp_});
}

void RicartAgrawala::receive(NodeId from, const Cancel& m, Out& out) {
  observe(m.clock);
  forgotten(from) = m.to;
  deferred_.erase(from);
  out.send(from, Cancelled{clock_, m.to});
}

void RicartAgrawala::receive(NodeId from, const Cancelled& m, Out& out) {
  observe(m.clock);
  if (state_ != State::cancelling || m.to != stamp_) return;  // late, from a crashed process
  awaiting_.erase(from);
  conclude_cancel(out);
}

void RicartAgrawala::conclude_cancel(Out& out) {
  if (!awaiting_.empty()) return;
  state_ = State::released;
  out.withdrawn();
}

void RicartAgrawala::suspect(NodeId node, Out& out) {
  crashed_.insert(node);
  deferred_.erase(node);
  if (!awaiting_.erase(node)) return;
  if (state_ == State::wanted) enter_if_all_replied(out);
  if (state_ == State::cancelling) conclude_cancel(out);
}

}  // namespace conch
