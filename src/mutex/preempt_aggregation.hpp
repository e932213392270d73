// PreemptAggregation(eps): Naimi-Trehel in clusters, where near requests overtake distant ones and
// distant ones wait together.
//
// Source: [Bertier 2004, section 3.2 and figs. 5 to 8], corrected:
// queue_policy.hpp has the corrections.
//
// Assumes reliable channels, FIFO or not, and members that stay.
//
// State: `requesting` means that we have a place in the queue; `next` gets the token from us.
// `owner` is the node to ask. It is empty at the local root, which is the last of its cluster in
// the queue; it points within the cluster as long as a node of the cluster is queued. `R_Queue`
// lists the requests behind `next`, in order. `nb` counts the requests that have overtaken in this
// visit of the token to the cluster.
//
//   REQUEST(origin)            forwarded along owners to the local root. That makes origin its
//                              next; or, if there is one already and nb < eps and origin is local,
//                              lets it overtake: origin becomes next and local root, and gets the
//                              rest of the queue; or puts it at the end of R_Queue
//   TOKEN(baton, queue, nb)    the token, and the nodes that wait behind its addressee
//   QUEUE(queue, nb)           the nodes that wait behind the local root's next; a node that has
//                              left the queue meanwhile sends it after the token
//
// Asking and cancelling are those of a place in the queue (place_in_queue.hpp).
//
// Bound: at realistic latencies a visit of the token to a cluster of n nodes has at most n + eps +
// 1 entries, counted from when a request from outside is known there. In a fully asynchronous
// system there is no bound, since a QUEUE may chase the local root: local requests that are faster
// than the QUEUE are not counted.
//
// With more than two levels of labels the paper's cluster is the narrowest. A request from a near
// cluster overtakes, in R_Queue, those from farther ones, with a separate count for each nearness.
// A count ends when the token leaves the cluster of that width. A visit to a site of c clusters
// then has at most c (1 + eps) (n + eps + 1) entries.
#pragma once

#include <vector>

#include "mutex/place_in_queue.hpp"

namespace conch {

class PreemptAggregation : public PlaceInQueue {
 public:
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
      .source = "[Bertier 2004, figs. 5 to 8] corrected",
      .messages = "0 or O(log N) mean, few between clusters",
      .client_delay = "O(log N) mean",
      .sync_delay = "1",
      .minds_clusters = true,
      .has_eps = true,
  };

  PreemptAggregation(NodeId self, const Assignment& start) : PlaceInQueue(self, start) {}

  void release(const DataRef& data, Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Token& m, Out& out);
  void receive(NodeId from, const Queue& m, Out& out);

 private:
  void pass(Out& out);
  void forward(NodeId origin, Out& out);
  void hand_over(NodeId origin, Out& out);
  void preempt(NodeId origin, Out& out);
  void line_up(NodeId origin);
  void take_in(const std::vector<NodeId>& queue, const Preemptions& nb);
  void dispatch(Out& out);
  void hand_over(const std::vector<NodeId>& queue, Out& out);

  std::vector<NodeId> r_queue_;

 public:
  CONCH_FIELDS(PreemptAggregation, self_, requesting_, token_, wanted_, inside_, owner_, next_,
               r_queue_, nb_, baton_)
};

}  // namespace conch
