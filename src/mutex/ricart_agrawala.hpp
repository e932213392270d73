// Ricart-Agrawala: a process asks all others, and enters when all have replied.
//
// Source: [Ricart 1981], as in [Coulouris 2011, fig. 15.4]. A request is (T, id) by a
// Lamport clock; on equal T the smaller id wins. Every message carries the clock, for ME3. A
// receipt sets the clock to the larger of the two, as in the paper of 1981; by the notes' rules LC1
// and LC2 it would count as an event and add one. Only requests are compared, so both rules give
// the same order.
//
// Assumes reliable channels; they need not be FIFO. Promises ME3. Given a reliable failure detector
// it tolerates crashes, "by taking [a crashed process] to grant all requests implicitly"; a write
// that no other process has learnt of is lost with its writer.
//
//   REQUEST(clock)            may I enter? the clock is the request's T
//   REPLY(clock, to, newest)  you may, as far as I am concerned; deferred while we are first
//   CANCEL(clock, to)         forget the request of stamp `to`, should it still be on its way, too
//   CANCELLED(clock, to)      forgotten
#pragma once

#include <map>
#include <vector>

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "mutex/state.hpp"

namespace conch {

class RicartAgrawala {
 public:
  struct Request {
    Stamp clock;
    CONCH_FIELDS(Request, clock)
  };
  struct Reply {
    Stamp clock;
    Stamp to;
    Baton newest;
    CONCH_FIELDS(Reply, clock, to, newest)
  };
  struct Cancel {
    Stamp clock;
    Stamp to;
    CONCH_FIELDS(Cancel, clock, to)
  };
  struct Cancelled {
    Stamp clock;
    Stamp to;
    CONCH_FIELDS(Cancelled, clock, to)
  };
  using Message = std::variant<Request, Reply, Cancel, Cancelled>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "ricart-agrawala",
      .family = "permission",
      .source = "[Ricart 1981]; [Coulouris 2011, fig. 15.4]",
      .messages = "2(N-1) + 0",
      .client_delay = "2",
      .sync_delay = "1",
      .promises_order = true,
  };

  RicartAgrawala(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);
  void suspect(NodeId node, Out& out);

  Stamp stamp() const { return clock_; }
  void observe(Stamp stamp) { clock_ = std::max(clock_, stamp); }

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Reply& m, Out& out);
  void receive(NodeId from, const Cancel& m, Out& out);
  void receive(NodeId from, const Cancelled& m, Out& out);

 private:
  void enter_if_all_replied(Out& out);
  void conclude_cancel(Out& out);
  Fence next_fence() const;
  void reply_to_deferred(Out& out);
  Stamp& forgotten(NodeId node) { return forgotten_[*members_.index_of(node)]; }

  NodeId self_;
  Members members_;
  State state_ = State::released;
  Stamp clock_;
  /// The T of our own request.
  Stamp stamp_;
  /// Members whose REPLY or CANCELLED we wait for.
  FlatSet<NodeId> awaiting_;
  /// Members that have crashed; we do not wait for them.
  FlatSet<NodeId> crashed_;
  std::map<NodeId, Stamp> deferred_;
  /// For each member, the newest of its requests that it cancelled.
  std::vector<Stamp> forgotten_;
  /// The fence that the lock started with.
  Fence first_;
  Baton newest_;

 public:
  CONCH_FIELDS(RicartAgrawala, self_, members_, state_, clock_, stamp_, awaiting_, crashed_,
               deferred_, forgotten_, first_, newest_)
};

}  // namespace conch
