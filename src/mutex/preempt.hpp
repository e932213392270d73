// Preempt(eps): Naimi-Trehel in clusters, where near requests overtake distant ones.
//
// Source: [Bertier 2004, section 3.2], which names it without a
// figure; the rules are those of preempt-aggregation without R_Queue.
//
// Assumes reliable channels, FIFO or not, and members that stay.
//
// State: as in Naimi-Trehel, `requesting` means that we have a place in the queue, `next` gets the
// token from us and `owner` is the node to ask. The local root is the node of a cluster whose owner
// is empty or remote: it is the last of its cluster in the queue, and all behind it are outside.
// `nb` counts the requests that have overtaken in this visit of the token to the cluster.
//
//   REQUEST(origin)       forwarded along owners to the tail, which makes origin its next. A local
//                         root that is queued before a remote one lets a local origin overtake, as
//                         long as nb < eps: origin becomes its next and gets the rest of the queue
//   TOKEN(baton, nb)      the token
//   QUEUE(head, tail, nb) the rest of the queue, for the local root: its head, and whom to ask for
//                         its tail. If a remote next came before it, that one asks at the tail. A
//                         node that has left the queue meanwhile sends it after the token
//
// Asking and cancelling are those of a place in the queue (place_in_queue.hpp).
//
// Bound: the same as for preempt-aggregation, n + eps + 1 entries at realistic latencies. With more
// than two levels of labels a request overtakes a next that is farther away than itself, with a
// count for each nearness; a visit to a site of c clusters then has at most c (1 + eps) (n + eps +
// 1) entries.
#pragma once

#include "mutex/place_in_queue.hpp"

namespace conch {

class Preempt : public PlaceInQueue {
 public:
  struct Token {
    Baton baton;
    Preemptions nb;
    CONCH_FIELDS(Token, baton, nb)
  };
  struct Queue {
    NodeId head;
    NodeId tail;
    Preemptions nb;
    CONCH_FIELDS(Queue, head, tail, nb)
  };
  using Message = std::variant<Request, Token, Queue>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "preempt",
      .family = "token",
      .source = "[Bertier 2004, section 3.2]",
      .messages = "0 or O(log N) mean, few between clusters",
      .client_delay = "O(log N) mean",
      .sync_delay = "1",
      .minds_clusters = true,
      .has_eps = true,
  };

  Preempt(NodeId self, const Assignment& start) : PlaceInQueue(self, start) {}

  void release(const DataRef& data, Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Token& m, Out& out);
  void receive(NodeId from, const Queue& m, Out& out);

 private:
  void pass(Out& out);
  bool may_overtake(NodeId origin) const;
  void preempt(NodeId origin, Out& out);
  void follow(const Queue& m, Out& out);

 public:
  CONCH_FIELDS(Preempt, self_, requesting_, token_, wanted_, inside_, owner_, next_, nb_, baton_)
};

}  // namespace conch
