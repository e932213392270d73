#include "mutex/lamport.hpp"

#include <algorithm>

namespace conch {

static_assert(Exclusive<Lamport> && Causal<Lamport>);

Lamport::Lamport(NodeId self, const Assignment& start)
    : self_(self), heard_(start.members.size()), baton_(start.baton), members_(start.members) {}

void Lamport::request(Out& out) {
  CONCH_EXPECT(!queue_.contains(self_), "a process asks once");
  queue_[self_] = tick();
  broadcast(Request{clock_}, out);
  enter_if_first(out);
}

void Lamport::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(inside_, "only the holder releases");
  inside_ = false;
  queue_.erase(self_);
  baton_.data = data;
  broadcast(Release{tick(), baton_}, out);
}

void Lamport::cancel(Out& out) {
  CONCH_EXPECT(waiting(), "a waiter cancels");
  queue_.erase(self_);
  broadcast(Withdraw{tick()}, out);
  out.withdrawn();
}

void Lamport::receive(NodeId from, const Request& m, Out& out) {
  hear(from, m.stamp);
  queue_[from] = m.stamp;
  out.send(from, Reply{tick()});
  enter_if_first(out);
}

void Lamport::receive(NodeId from, const Reply& m, Out& out) {
  hear(from, m.stamp);
  enter_if_first(out);
}

void Lamport::receive(NodeId from, const Release& m, Out& out) {
  hear(from, m.stamp);
  queue_.erase(from);
  baton_ = newer(baton_, m.baton);
  enter_if_first(out);
}

void Lamport::receive(NodeId from, const Withdraw& m, Out& out) {
  hear(from, m.stamp);
  queue_.erase(from);
  enter_if_first(out);
}

void Lamport::enter_if_first(Out& out) {
  if (!waiting()) return;
  Priority ours{queue_.at(self_), self_};
  bool first = std::all_of(members_.begin(), members_.end(),
                           [&](NodeId other) { return other == self_ || precedes(ours, other); });
  if (!first) return;
  inside_ = true;
  baton_ = baton_.next();
  out.enter(baton_);
}

/// Whether our request is before every request of `other`, known or still to come.
bool Lamport::precedes(const Priority& ours, NodeId other) const {
  auto theirs = queue_.find(other);
  if (theirs != queue_.end() && Priority{theirs->second, other} < ours) return false;
  return ours < Priority{heard_[*members_.index_of(other)], other};
}

Stamp Lamport::tick() {
  ++clock_.value;
  return clock_;
}

void Lamport::observe(Stamp stamp) {
  clock_ = std::max(clock_, stamp);
  tick();
}

void Lamport::hear(NodeId from, Stamp stamp) {
  observe(stamp);
  heard_[*members_.index_of(from)] = stamp;
}

void Lamport::broadcast(const Message& message, Out& out) const {
  for (NodeId node : members_)
    if (node != self_) out.send(node, message);
}

}  // namespace conch
