// Lamport: a queue of requests at every process, ordered by logical clocks.
//
// Source: [Lamport 1978], its five rules for the mutual exclusion example.
//
// Assumes reliable FIFO channels.
//
// State: `queue` has every request that we know of and that is not over; `heard` is the last stamp
// of every other member. We enter when our request is the first in the queue and every member has
// sent a later stamp: channels are FIFO, so an earlier request would have arrived before that.
//
//   REQUEST(stamp)         put in the queue and answered
//   REPLY(stamp)           I know of your request; mine from now on are later
//   RELEASE(stamp, baton)  takes the sender's request out of the queue
//
// A waiter that cancels takes its request out of all queues. A REPLY that is still in flight only
// tells its sender's clock, so the next request may use it, too.
//
//   WITHDRAW(stamp)        as RELEASE, from a process that has not entered
#pragma once

#include <map>
#include <vector>

#include "core/contract.hpp"

namespace conch {

class Lamport {
 public:
  struct Request {
    Stamp stamp;
    CONCH_FIELDS(Request, stamp)
  };
  struct Reply {
    Stamp stamp;
    CONCH_FIELDS(Reply, stamp)
  };
  struct Release {
    Stamp stamp;
    Baton baton;
    CONCH_FIELDS(Release, stamp, baton)
  };
  struct Withdraw {
    Stamp stamp;
    CONCH_FIELDS(Withdraw, stamp)
  };
  using Message = std::variant<Request, Reply, Release, Withdraw>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "lamport",
      .family = "permission",
      .source = "[Lamport 1978]",
      .messages = "3(N-1)",
      .client_delay = "2",
      .sync_delay = "1",
      .promises_order = true,
      .needs_fifo = true,
  };

  Lamport(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Reply& m, Out& out);
  void receive(NodeId from, const Release& m, Out& out);
  void receive(NodeId from, const Withdraw& m, Out& out);

  Stamp stamp() const { return clock_; }
  void observe(Stamp stamp);

 private:
  Stamp tick();
  void hear(NodeId from, Stamp stamp);
  void broadcast(const Message& message, Out& out) const;
  void enter_if_first(Out& out);
  bool waiting() const { return queue_.contains(self_) && !inside_; }
  bool precedes(const Priority& ours, NodeId other) const;

  NodeId self_;
  bool inside_ = false;
  Stamp clock_;
  std::map<NodeId, Stamp> queue_;
  /// Indexed by position in `members_`.
  std::vector<Stamp> heard_;
  Baton baton_;
  Members members_;

 public:
  CONCH_FIELDS(Lamport, self_, inside_, clock_, queue_, heard_, baton_, members_)
};

}  // namespace conch
