// Non-End-to-End: replicas vote as in Sigma, and requests wait where they meet another one's path.
//
// Source: [Muhammad 2005, sections IV.B and V.B], corrected; see
// docs/corrections.md. GRANTREQ is RESPONSE here.
//
// Assumes what voting.hpp assumes.
//
// State, besides that of votes: every node that a request has passed, its requester included, has
// an `entry` for each replica: that request (`hint`), a partial queue of the requests that came
// after it, and the neighbours on its path.
//
//   REQUEST(ts)    at an entry that it does not pass by force: joins the partial queue, and its
//                  requester is told of the hint (version 0, which is no vote)
//   RELEASE(ts)    gathers the partial queues on its way and deletes the entries; stops early if it
//                  finds its request waiting in one and the replica cannot have voted for it
//   YIELD(ts)      gathers, too, and leaves the entries
//   CLEANUP        gathers and deletes, but releases nothing: on the path from a dead node to the
//                  replica
//
// A waiter whose votes do not become a majority yields, and every third time sends its requests by
// force. Entries are soft state: such requests bring back what is lost with one.
//
// A node that passes a gathered queue on keeps it for a lease, and sends it again if it suspects
// the next node on the path: the temporary token holder of section V.B.
#pragma once

#include <map>

#include "overlay/voting.hpp"

namespace conch::overlay {

class NonEndToEnd : public Voting {
 public:
  static constexpr About about{
      .name = "non-end-to-end",
      .family = "voting",
      .source = "[Muhammad 2005, section IV.B]",
      .messages = "2n O(log N) + 3n",
      .client_delay = "O(log N) + 3",
      .sync_delay = "O(log N) + 3",
  };

  static constexpr bool intercepts = true;

  NonEndToEnd(NodeId self, const Assignment& start) : Voting(self, start, Habit::yields) {}

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  Passage forward(Key key, Message& message, NodeId next, Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void unreachable(NodeId node, const Message& message, Out& out);
  void moved(const std::optional<Arc>& before, const std::optional<Arc>& after, Out& out);
  void suspect(NodeId node, Out& out);
  void timer(TimerId timer, Out& out);
  bool blank() const { return entries_.empty() && kept_.empty() && Voting::blank(); }

 private:
  struct Entry {
    Priority hint;
    FlatSet<Priority> queue;
    std::optional<NodeId> next;
    std::optional<NodeId> previous;
    CONCH_FIELDS(Entry, hint, queue, next, previous)
  };
  /// A gathered queue that was passed on, and the node that got it.
  struct Kept {
    std::vector<Priority> gathered;
    NodeId next;
    CONCH_FIELDS(Kept, gathered, next)
  };

  template <class Call>
  void act(Out& out, Call&& call);
  bool sets_out(Message& message, Out& out);
  template <class M>
  Passage gather(M& m, std::optional<NodeId> next, Out& out);
  Passage pass(Request& m, NodeId next, Out& out);

  Voting& voting() { return *this; }
  const Voting& voting() const { return *this; }

  std::map<Index, Entry> entries_;
  std::map<Index, Kept> kept_;

 public:
  CONCH_FIELDS(NonEndToEnd, voting(), entries_, kept_)
};

}  // namespace conch::overlay
