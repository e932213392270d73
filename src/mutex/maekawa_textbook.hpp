// Maekawa's voting as the textbook prints it. It can deadlock; `maekawa` is the corrected form.
//
// Source: [Coulouris 2011, fig. 15.6], with fences and a cancel added.
//
// Assumes reliable channels; the cancel needs them to be FIFO. Deadlock: three processes whose
// voting sets meet pairwise can each collect one vote and wait for the next for ever.
//
// State: a candidate has its `state` and the `replies` of its voting set. A voter has the process
// it `voted` for and the `queue` of requests that must wait, in order of arrival.
//
//   REQUEST         may I enter? queued while we have voted
//   REPLY(baton)    you have my vote; the newest baton that I have seen
//   RELEASE(baton)  you have it back
//
// A waiter that cancels asks its voters to forget it. Their answers arrive after every vote that
// was in flight.
//
//   WITHDRAW        forget my request, or take your vote back
//   WITHDRAWN       done
#pragma once

#include <deque>
#include <optional>

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "mutex/state.hpp"

namespace conch {

class MaekawaTextbook {
 public:
  struct Request {
    CONCH_FIELDS(Request)
  };
  struct Reply {
    Baton baton;
    CONCH_FIELDS(Reply, baton)
  };
  struct Release {
    Baton baton;
    CONCH_FIELDS(Release, baton)
  };
  struct Withdraw {
    CONCH_FIELDS(Withdraw)
  };
  struct Withdrawn {
    CONCH_FIELDS(Withdrawn)
  };
  using Message = std::variant<Request, Reply, Release, Withdraw, Withdrawn>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "maekawa-textbook",
      .family = "voting",
      .source = "[Maekawa 1985]; [Coulouris 2011, fig. 15.6]",
      .messages = "2K + K, K about sqrt(N)",
      .client_delay = "2",
      .sync_delay = "2",
      .needs_fifo = true,
      .caught_by = "ME2",
  };

  MaekawaTextbook(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Reply& m, Out& out);
  void receive(NodeId from, const Release& m, Out& out);
  void receive(NodeId from, const Withdraw& m, Out& out);
  void receive(NodeId from, const Withdrawn& m, Out& out);

 private:
  void vote_for(NodeId candidate, Out& out);
  void vote_for_next(Out& out);
  template <class M>
  void post(NodeId to, const M& message, Out& out);
  template <class M>
  void multicast(const M& message, Out& out);

  NodeId self_;
  FlatSet<NodeId> voting_set_;
  State state_ = State::released;
  FlatSet<NodeId> replies_;
  FlatSet<NodeId> unanswered_;
  std::optional<NodeId> voted_;
  std::deque<NodeId> queue_;
  /// The newest baton seen, as a candidate or as a voter.
  Baton baton_;

 public:
  CONCH_FIELDS(MaekawaTextbook, self_, voting_set_, state_, replies_, unanswered_, voted_, queue_,
               baton_)
};

}  // namespace conch
