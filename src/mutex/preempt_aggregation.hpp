// PreemptAggregation(eps): Naimi-Trehel in clusters, where near requests overtake distant ones and
// distant ones wait together.
//
// Source: Bertier, Arantes, Sens 2004 (INRIA RR-5177), section 3.2 and figures 5 to 8, corrected
// (F1 to F11): each correction is a rule that a specimen does without.
//
// Assumes reliable channels, FIFO or not, and members that stay.
//
// State: `requesting` is a place in the queue; `next` gets the token from us. `owner` is whom to
// ask, nobody at the local root, which is the last of its cluster in the queue; it points within
// the cluster as long as anybody of the cluster is queued. `R_Queue` are those who wait behind
// `next`, in order. `nb` counts who has overtaken in this visit of the token to the cluster.
//
//   REQUEST(origin)            forwarded along owners to the local root. That makes origin its
//   next;
//                              or, if there is one already and nb < eps and origin is local, lets
//                              it overtake: origin becomes next and local root, and gets the rest
//                              of the queue; or puts it at the end of R_Queue
//   TOKEN(baton, queue, nb)    the token, and who waits behind its addressee
//   QUEUE(queue, nb)           who waits behind the local root's next; a node that has left the
//                              queue meanwhile sends it after the token (F6)
//
// Who cancels keeps its place, silently, and hands the token on at once when it comes; asking again
// meanwhile takes the place up again. No message, and nothing is left when the token has passed.
//
// Bound: at realistic latencies a visit of the token to a cluster of n, counted from when a
// request from outside has been known there, has at most n + eps + 1 entries. In a fully
// asynchronous world there is no bound, as a QUEUE may chase the local root.
//
// With more than two levels of labels the paper's cluster is the narrowest. A request from a near
// cluster overtakes, in R_Queue, those from farther ones, with a count of its own for each
// nearness; a count is forgotten when the token leaves the cluster that is so wide. A visit to a
// site of c clusters has then at most c (1 + eps) (n + eps + 1) entries.
#pragma once

#include <optional>
#include <vector>

#include "core/contract.hpp"
#include "mutex/hierarchy.hpp"

namespace conch {

class PreemptAggregation {
 public:
  struct Request {
    NodeId origin;
    CONCH_FIELDS(Request, origin)
  };
  struct Token {
    Baton baton;
    std::vector<NodeId> queue;
    Preemptions nb;
    CONCH_FIELDS(Token, baton, queue, nb)
  };
  struct Queue {
    std::vector<NodeId> queue;
    Preemptions nb;
    CONCH_FIELDS(Queue, queue, nb)
  };
  using Message = std::variant<Request, Token, Queue>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "preempt-aggregation",
      .family = "token",
      .source = "Bertier, Arantes, Sens 2004, figs. 5 to 8 corrected",
      .messages = "0 or O(log N) mean, few between clusters",
      .client_delay = "O(log N) mean",
      .sync_delay = "1",
      .has_eps = true,
  };

  PreemptAggregation(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Token& m, Out& out);
  void receive(NodeId from, const Queue& m, Out& out);

  bool holds_token() const { return token_; }

 private:
  bool keeps(Without rule) const { return without_ != rule; }
  bool sound() const { return without_ == Without::nothing; }
  bool local(NodeId node) const { return clusters_.together(self_, node); }
  std::size_t nearness(NodeId node) const { return clusters_.nearness(self_, node); }

  void enter(Out& out);
  void pass(Out& out);
  void forward(NodeId origin, Out& out);
  void hand_over(NodeId origin, Out& out);
  void preempt(NodeId origin, Out& out);
  void line_up(NodeId origin);
  void take_in(const std::vector<NodeId>& queue, const Preemptions& nb);
  void dispatch(Out& out);
  void hand_over(const std::vector<NodeId>& queue, Out& out);

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
  std::vector<NodeId> r_queue_;
  Preemptions nb_;
  Baton baton_;

 public:
  CONCH_FIELDS(PreemptAggregation, self_, requesting_, token_, wanted_, inside_, owner_, next_,
               r_queue_, nb_, baton_)
};

}  // namespace conch
