#include "mutex/suzuki_kasami.hpp"

#include <algorithm>
#include <utility>

namespace conch {

static_assert(Exclusive<SuzukiKasami> && TokenBased<SuzukiKasami>);

namespace {

bool asks(std::uint64_t number) { return number % 2 == 1; }

std::uint64_t next_asking(std::uint64_t number) { return (number + 1) | 1; }

}  // namespace

SuzukiKasami::SuzukiKasami(NodeId self, const Assignment& start)
    : self_(self), rn_(start.members.size()), members_(start.members) {
  if (self == start.home)
    token_ = Token{std::vector<std::uint64_t>(members_.size()), {}, start.baton};
}

void SuzukiKasami::request(Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  rn_[at(self_)] = next_asking(rn_[at(self_)]);
  if (token_) return enter(out);
  broadcast(Request{rn_[at(self_)]}, out);
}

void SuzukiKasami::enter(Out& out) {
  state_ = State::held;
  token_->baton = token_->baton.next();
  out.enter(token_->baton);
}

void SuzukiKasami::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  state_ = State::released;
  token_->baton.data = data;
  pass(out);
}

void SuzukiKasami::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels");
  state_ = State::released;
  broadcast(Withdraw{++rn_[at(self_)]}, out);
  out.withdrawn();
}

void SuzukiKasami::receive(NodeId from, const Request& m, Out& out) {
  hear(from, m.number);
  if (token_ && state_ == State::released) pass(out);
}

void SuzukiKasami::receive(NodeId from, const Withdraw& m, Out&) {
  hear(from, m.number);
  if (token_) refresh_queue();
}

void SuzukiKasami::receive(NodeId, const Token& m, Out& out) {
  CONCH_EXPECT(!token_, "there is one token");
  bool fits = m.ln.size() == members_.size() &&
              std::ranges::all_of(m.queue, [&](NodeId node) { return members_.contains(node); });
  CONCH_EXPECT(fits, "the token knows the members, and no others");
  token_ = m;
  state_ == State::wanted ? enter(out) : pass(out);
}

/// Passes a token that is not needed here to the first in the queue, or keeps it idle.
void SuzukiKasami::pass(Out& out) {
  token_->ln[at(self_)] = rn_[at(self_)];
  refresh_queue();
  if (token_->queue.empty()) return;
  NodeId next = token_->queue.front();
  token_->queue.pop_front();
  out.send(next, *std::exchange(token_, std::nullopt));
}

/// Adds every outstanding member to the queue once. An earlier holder may have heard of requests
/// that we have not, so only members known to have withdrawn are removed.
void SuzukiKasami::refresh_queue() {
  std::deque<NodeId>& queue = token_->queue;
  std::erase_if(queue, [&](NodeId node) { return unserved(node) && !asks(rn_[at(node)]); });
  for (NodeId node : members_) {
    bool queued = std::find(queue.begin(), queue.end(), node) != queue.end();
    if (node != self_ && unserved(node) && asks(rn_[at(node)]) && !queued) queue.push_back(node);
  }
}

std::size_t SuzukiKasami::at(NodeId node) const {
  std::optional<std::size_t> place = members_.index_of(node);
  CONCH_EXPECT(place, "only members ask");
  return *place;
}

bool SuzukiKasami::unserved(NodeId node) const { return rn_[at(node)] > token_->ln[at(node)]; }

void SuzukiKasami::hear(NodeId from, std::uint64_t number) {
  std::uint64_t& known = rn_[at(from)];
  known = std::max(known, number);
}

void SuzukiKasami::broadcast(const Message& message, Out& out) const {
  for (NodeId node : members_)
    if (node != self_) out.send(node, message);
}

}  // namespace conch
