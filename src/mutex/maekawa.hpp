// Maekawa: a process enters with the votes of its voting set, and any two sets have a common
// member. Votes go to the earliest request and can be asked back, so there is no deadlock.
//
// Source: [Maekawa 1985] with the correction of [Sanders 1987].
//
// Assumes reliable FIFO channels.
//
// State: requests are (T, id) by a Lamport clock. A candidate has the `votes` of its voting set,
// the voters that `failed` it and the `inquiries` that it has not answered. A voter has the request
// it `voted` for, whether that vote is `inquired` for, and the `queue` of the others, earliest
// first.
//
//   REQUEST(stamp)      may I enter?
//   VOTE(stamp, baton)  you may; the newest baton that I have seen
//   FAILED              not now: an earlier request than yours has my vote or waits for it
//   INQUIRE             an earlier request than yours came after my vote: do you need it?
//   RELINQUISH          I do not: a voter has failed me, so I cannot enter yet
//   RELEASE(baton)      I have left
//
// A request that waits for a vote and has not been failed is the earliest at that voter. The voter
// therefore inquires for the vote, which is then given back or used. So a request that keeps its
// votes waits for later requests only, and there is no cycle. A VOTE carries the voter's clock, so
// a process that has entered asks next time behind those it overtook.
//
// A waiter that cancels asks its voters to forget it. Their answers arrive after everything that
// was in flight.
//
//   WITHDRAW            forget my request, or take your vote back
//   WITHDRAWN           done
#pragma once

#include <optional>

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "mutex/state.hpp"

namespace conch {

class Maekawa {
 public:
  struct Request {
    Stamp stamp;
    CONCH_FIELDS(Request, stamp)
  };
  struct Vote {
    Stamp stamp;
    Baton baton;
    CONCH_FIELDS(Vote, stamp, baton)
  };
  struct Failed {
    CONCH_FIELDS(Failed)
  };
  struct Inquire {
    CONCH_FIELDS(Inquire)
  };
  struct Relinquish {
    CONCH_FIELDS(Relinquish)
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
  using Message =
      std::variant<Request, Vote, Failed, Inquire, Relinquish, Release, Withdraw, Withdrawn>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "maekawa",
      .family = "voting",
      .source = "[Maekawa 1985], [Sanders 1987]",
      .messages = "2K + K to 5K, K about sqrt(N)",
      .client_delay = "2",
      .sync_delay = "2",
      .needs_fifo = true,
  };

  Maekawa(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Vote& m, Out& out);
  void receive(NodeId from, const Failed& m, Out& out);
  void receive(NodeId from, const Inquire& m, Out& out);
  void receive(NodeId from, const Relinquish& m, Out& out);
  void receive(NodeId from, const Release& m, Out& out);
  void receive(NodeId from, const Withdraw& m, Out& out);
  void receive(NodeId from, const Withdrawn& m, Out& out);

 private:
  void enter(Out& out);
  void relinquish(NodeId voter, Out& out);
  void forget_votes();
  void vote_for(const Priority& request, Out& out);
  void vote_for_earliest(Out& out);
  void inquire(Out& out);
  void observe(Stamp stamp);
  template <class M>
  void post(NodeId to, const M& message, Out& out);
  template <class M>
  void multicast(const M& message, Out& out);

  NodeId self_;
  FlatSet<NodeId> voting_set_;
  Stamp clock_;
  /// The newest baton seen, as a candidate or as a voter.
  Baton baton_;

  State state_ = State::released;
  FlatSet<NodeId> votes_;
  /// Voters that have sent FAILED or taken their vote back, and have not voted for us since.
  FlatSet<NodeId> failed_;
  FlatSet<NodeId> inquiries_;
  /// Voters that have not confirmed our withdrawal yet.
  FlatSet<NodeId> unanswered_;

  std::optional<Priority> voted_;
  bool inquired_ = false;
  FlatSet<Priority> queue_;

 public:
  CONCH_FIELDS(Maekawa, self_, voting_set_, clock_, baton_, state_, votes_, failed_, inquiries_,
               unanswered_, voted_, inquired_, queue_)
};

}  // namespace conch
