// Base of `preempt` and `preempt-aggregation`: a place in the queue for the token, and the nearness
// of nodes. Asking, entering, releasing and cancelling are the same in both. Each decides for
// itself who may overtake and where the token goes next.
//
// A waiter that cancels keeps its place, tells nobody, and passes the token on as soon as it comes.
// If it asks again before that, it uses the same place. This costs no message and leaves nothing
// behind once the token has passed. The place is not taken out of the queue, because not only its
// neighbours know of it: a TOKEN or a QUEUE in flight may name it, and so may any R_Queue. To take
// it out, a waiter would have to hear from all nodes first, as in Naimi-Trehel, only to save the
// one message that the empty place costs when the token passes.
#pragma once

#include <optional>
#include <utility>

#include "core/contract.hpp"
#include "mutex/hierarchy.hpp"
#include "mutex/queue_policy.hpp"

namespace conch {

class PlaceInQueue {
 public:
  struct Request {
    NodeId origin;
    CONCH_FIELDS(Request, origin)
  };

  /// Request_CS. Its `nb <- 0` is in `give_up_place`, where the place ends.
  template <class Message>
  void request(Outbox<Message>& out) {
    CONCH_EXPECT(!wanted_, "a process asks once");
    wanted_ = true;
    if (requesting_) return;  // reuses the place of a cancelled request
    requesting_ = true;
    if (owner_) return out.send(*std::exchange(owner_, std::nullopt), Request{self_});
    policy_->expect_token(token_);
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
        policy_(policy_of<QueuePolicy>(start.tuning)),
        clusters_(start.clusters),
        eps_(start.tuning.eps),
        token_(self == start.home),
        baton_(start.baton) {
    if (!token_) owner_ = first_owner(self, start);
  }

  bool local(NodeId node) const { return clusters_.together(self_, node); }
  std::size_t nearness(NodeId node) const { return clusters_.nearness(self_, node); }

  template <class Message>
  void enter(Outbox<Message>& out) {
    inside_ = true;
    baton_ = baton_.next();
    out.enter(baton_);
  }
  /// The process has left; the token is still here.
  void leave(const DataRef& data) {
    CONCH_EXPECT(inside_, "only the holder releases");
    inside_ = false;
    wanted_ = false;
    baton_.data = data;
  }
  /// Gives up the place and returns the count of this visit.
  Preemptions give_up_place() {
    requesting_ = false;
    return policy_->counted(nb_);
  }
  void take_token(const Baton& baton) {
    CONCH_EXPECT(requesting_, "a token comes to a queued node");
    token_ = true;
    baton_ = baton;
  }

  NodeId self_;
  const QueuePolicy* policy_;
  Clusters clusters_;
  unsigned eps_;

  bool requesting_ = false;
  bool token_ = false;
  /// The process waits or is inside. If it is false while `requesting_`, the request was cancelled.
  bool wanted_ = false;
  bool inside_ = false;
  std::optional<NodeId> owner_;
  std::optional<NodeId> next_;
  Preemptions nb_;
  Baton baton_;
};

}  // namespace conch
