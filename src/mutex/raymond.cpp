#include "mutex/raymond.hpp"

#include <utility>

namespace conch {

static_assert(Exclusive<Raymond> && TokenBased<Raymond>);

namespace {

/// The neighbour of `self` on the way to `home`. Member (i - 1) / 2 is the parent of member i.
NodeId towards(const Members& members, NodeId self, NodeId home) {
  std::size_t here = *members.index_of(self);
  std::size_t below = *members.index_of(home);
  if (below == here) return self;
  while (below > here) {
    std::size_t parent = (below - 1) / 2;
    if (parent == here) return members[below];
    below = parent;
  }
  return members[(here - 1) / 2];
}

}  // namespace

Raymond::Raymond(NodeId self, const Assignment& start)
    : self_(self), holder_(towards(start.members, self, start.home)), baton_(start.baton) {}

void Raymond::request(Out& out) {
  CONCH_EXPECT(!using_, "a process asks once");
  queue_.push_back(self_);
  assign_privilege(out);
  make_request(out);
}

void Raymond::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(using_, "only the holder releases");
  using_ = false;
  baton_.data = data;
  assign_privilege(out);
  make_request(out);
}

void Raymond::cancel(Out& out) {
  leave_queue(self_, out);
  out.withdrawn();
}

void Raymond::receive(NodeId from, const Request&, Out& out) {
  queue_.push_back(from);
  assign_privilege(out);
  make_request(out);
}

void Raymond::receive(NodeId from, const Token& m, Out& out) {
  CONCH_EXPECT(holder_ == from && asked_ != Asked::no, "the token comes from the holder we asked");
  holder_ = self_;
  asked_ = Asked::no;
  baton_ = m.baton;
  assign_privilege(out);
  make_request(out);
}

void Raymond::receive(NodeId from, const Withdraw&, Out& out) {
  if (holder_ == from) return;
  leave_queue(from, out);
  out.send(from, Withdrawn{});
}

void Raymond::receive(NodeId, const Withdrawn&, Out& out) {
  CONCH_EXPECT(asked_ == Asked::withdrawing, "only a withdrawn request is answered");
  asked_ = Asked::no;
  make_request(out);
}

void Raymond::assign_privilege(Out& out) {
  if (holder_ != self_ || using_ || queue_.empty()) return;
  holder_ = queue_.front();
  queue_.pop_front();
  if (holder_ != self_) return out.send(holder_, Token{baton_});
  using_ = true;
  baton_ = baton_.next();
  out.enter(baton_);
}

void Raymond::make_request(Out& out) {
  if (holder_ == self_ || queue_.empty() || asked_ != Asked::no) return;
  asked_ = Asked::yes;
  out.send(holder_, Request{});
}

void Raymond::leave_queue(NodeId node, Out& out) {
  CONCH_EXPECT(std::erase(queue_, node) == 1, "a waiter is in the queue, once");
  if (!queue_.empty() || asked_ != Asked::yes) return;
  asked_ = Asked::withdrawing;
  out.send(holder_, Withdraw{});
}

}  // namespace conch
