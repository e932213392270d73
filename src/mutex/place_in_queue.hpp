// What `preempt` and `preempt-aggregation` have in common: a place in the queue for the token, and
// who is near. Asking, entering, letting go and cancelling are the same; how others are let past,
// and where the token goes next, is each one's own.
//
// Who cancels keeps its place, silently, and hands the token on at once when it comes; asking again
// meanwhile takes the place up again. No message, and nothing is left when the token has passed.
// The place is not taken out of the queue, because more than its neighbours know of it: a TOKEN or
// a QUEUE on its way may name it, and an R_Queue anywhere; whoever takes it out would have to hear
// from all of them first, as in Naimi-Trehel, to save the one message that the empty place costs
// when the token passes.
#pragma once

#include <optional>
#include <utility>

#include "core/contract.hpp"
#include "mutex/hierarchy.hpp"

namespace conch {

class PlaceInQueue {
 public:
  struct Request {
    NodeId origin;
    CONCH_FIELDS(Request, origin)
  };

  /// Request_CS. Its `nb <- 0` stands where the place is given up: see `give_up_place`.
  template <class Message>
  void request(Outbox<Message>& out) {
    CONCH_EXPECT(!wanted_, "a process asks once");
    wanted_ = true;
    if (requesting_) return;  // the place of a cancelled request
    requesting_ = true;
    if (owner_) return out.send(*std::exchange(owner_, std::nullopt), Request{self_});
    CONCH_EXPECT(token_ || !sound(), "a root that is not queued holds the token");
    enter(out);
  }
  template <class Message>
  void cancel(Outbox<Message>& out) {
    CONCH_EXPECT(wanted_ && !inside_, "a waiter cancels, once");
    wanted_ = false;
    out.withdrawn();
  }
  bool holds_token() const { return token_; }

  friend bool operator==(const PlaceInQueue&, const PlaceInQueue&) = default;

 protected:
  PlaceInQueue(NodeId self, const Assignment& start)
      : self_(self),
        eps_(start.tuning.eps),
        without_(start.tuning.without),
        clusters_(start.clusters),
        token_(self == start.home),
        baton_(start.baton) {
    if (!token_) owner_ = first_owner(self, start);
  }

  bool keeps(Without rule) const { return without_ != rule; }
  bool sound() const { return without_ == Without::nothing; }
  bool local(NodeId node) const { return clusters_.together(self_, node); }
  std::size_t nearness(NodeId node) const { return clusters_.nearness(self_, node); }

  template <class Message>
  void enter(Outbox<Message>& out) {
    inside_ = true;
    baton_ = baton_.next();
    out.enter(baton_);
  }
  /// The process is done; the token is still here.
  void leave(const DataRef& data) {
    CONCH_EXPECT(inside_, "only the holder releases");
    inside_ = false;
    wanted_ = false;
    baton_.data = data;
  }
  /// What was counted while we had it.
  Preemptions give_up_place() {
    requesting_ = false;
    return keeps(Without::reset) ? std::exchange(nb_, {}) : nb_;  // (F7)
  }
  void take_token(const Baton& baton) {
    CONCH_EXPECT(requesting_, "a token comes to somebody who is queued");
    token_ = true;
    baton_ = baton;
  }

  NodeId self_;
  unsigned eps_;
  Without without_;
  Clusters clusters_;

  bool requesting_ = false;
  bool token_ = false;
  /// The process waits or is inside; a place in the queue without it was cancelled.
  bool wanted_ = false;
  bool inside_ = false;
  std::optional<NodeId> owner_;
  std::optional<NodeId> next_;
  Preemptions nb_;
  Baton baton_;
};

}  // namespace conch
