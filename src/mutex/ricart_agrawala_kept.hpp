// Ricart-Agrawala with kept permissions: a process asks only those that it has answered since.
//
// Source: [Carvalho 1983], the answer to [Coulouris 2011, exercise 15.7]. Any two processes
// share one permission, and one of the two has it. A process needs all its permissions to enter,
// and keeps them until another one asks. ME2 holds because it gives a permission to an earlier
// request than its own, and then asks for it again. ME3 is lost.
//
// Assumes reliable channels; they need not be FIFO.
//
//   REQUEST(clock)              give me our permission
//   REPLY(clock, newest)        here it is; deferred while we are first
//   CANCEL(clock, to)           keep it: forget the request of stamp `to`
//   CANCELLED(clock, granted)   forgotten; or granted before, and the reply is on its way
#pragma once

#include <map>
#include <vector>

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "mutex/state.hpp"

namespace conch {

class RicartAgrawalaKept {
 public:
  struct Request {
    Stamp clock;
    CONCH_FIELDS(Request, clock)
  };
  struct Reply {
    Stamp clock;
    Baton newest;
    CONCH_FIELDS(Reply, clock, newest)
  };
  struct Cancel {
    Stamp clock;
    Stamp to;
    CONCH_FIELDS(Cancel, clock, to)
  };
  struct Cancelled {
    Stamp clock;
    bool granted = false;
    CONCH_FIELDS(Cancelled, clock, granted)
  };
  using Message = std::variant<Request, Reply, Cancel, Cancelled>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "ricart-agrawala-kept",
      .family = "permission",
      .source = "[Carvalho 1983]; [Coulouris 2011, exercise 15.7]",
      .messages = "0..2(N-1)",
      .client_delay = "0..2",
      .sync_delay = "1",
  };

  RicartAgrawalaKept(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Reply& m, Out& out);
  void receive(NodeId from, const Cancel& m, Out& out);
  void receive(NodeId from, const Cancelled& m, Out& out);

 private:
  void observe(Stamp clock) { clock_ = std::max(clock_, clock); }
  bool are_first(NodeId other, Stamp clock) const;
  void give(NodeId node, Stamp request, Out& out);
  void give_to_deferred(Out& out);
  void pair_up(NodeId node);
  void enter_if_all_permit(Out& out);
  void conclude_cancel(Out& out);
  std::size_t index(NodeId node) const { return *members_.index_of(node); }

  NodeId self_;
  Members members_;
  State state_ = State::released;
  Stamp clock_;
  Stamp stamp_;
  /// Members whose shared permission is here.
  FlatSet<NodeId> permitted_;
  std::map<NodeId, Stamp> deferred_;
  /// While cancelling: members whose CANCELLED we wait for, and those that have sent only one of
  /// REPLY and CANCELLED(granted).
  FlatSet<NodeId> unanswered_;
  FlatSet<NodeId> unpaired_;
  /// For each member, the newest of its requests that it cancelled, and that we granted.
  std::vector<Stamp> forgotten_;
  std::vector<Stamp> granted_;
  Baton newest_;

 public:
  CONCH_FIELDS(RicartAgrawalaKept, self_, members_, state_, clock_, stamp_, permitted_, deferred_,
               unanswered_, unpaired_, forgotten_, granted_, newest_)
};

}  // namespace conch
