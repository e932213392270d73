// Votes of replicas for requests: what Sigma and Non-End-to-End have in common.
//
// Source: [Lin 2004] (Sigma), as [Muhammad 2005] use it, corrected;
// see docs/corrections.md.
//
// Assumes that an overlay finds the same root of a key from everywhere; that messages may be lost,
// repeated and reordered, but are dropped when they are older than half a lease; that clocks run as
// fast as one another, to a twentieth; and that a timer that is due fires before any message is
// delivered. Without a lease, it assumes that no message is lost and no node fails.
//
// State: requests are (T, id) by a Lamport clock. A replica has the `owner` of its vote, a `queue`
// of the other requests, earliest first, a `version` that orders what it says and numbers its
// votes, and the newest baton. A candidate has its view of each replica: the request it votes for,
// the version, the number of the vote, and that of the last vote that the candidate yielded.
//
//   REQUEST(ts, seen, yielded)       routed: vote for me, or queue me; versions go on from `seen`
//   RESPONSE(request, owner, version, vote, position, baton)  I vote for `owner`; to a requester or
//                                    a new owner, which releases a vote for a request that is over
//   YIELD(ts, vote)                  nobody wins: vote for the earliest of your queue
//   RELEASE(ts, baton)               I have left, or I cancel
//   RENEW(ts, vote, round, baton)    I hold your vote, and this is my fence; `held`: I am inside
//   RENEWED(ts, round)               you keep my vote for a lease from now on
//   MOVED(owner, version, queue, baton)  to a new root of the key: what the old one knew
//
// A candidate with m votes renews them with a fence above all that its voters know, and enters when
// m replicas have confirmed it. A replica whose vote has run out refuses; one that confirms stores
// the fence. The holder renews every third of a lease, and has forfeited the lock a lease after it
// sent the last round that m replicas acknowledged.
//
// Bounds: n routed requests and at most 5n messages more for an entry without contention.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/flat_set.hpp"
#include "overlay/rounds.hpp"
#include "overlay/tenure.hpp"

namespace conch::overlay {

class Voting {
 public:
  struct Request {
    Index replica = 0;
    Priority ts;
    std::uint64_t seen = 0;
    std::uint64_t yielded = 0;
    // Non-End-to-End only: entries do not intercept it (`forced`), and the last node it passed
    // (`via`).
    bool forced = false;
    NodeId via;
    CONCH_FIELDS(Request, replica, ts, seen, yielded, forced, via)
  };
  struct Response {
    Index replica = 0;
    Priority request;
    std::optional<Priority> owner;
    /// 0 if a node on the path has answered: then it says only which request is ahead.
    std::uint64_t version = 0;
    std::uint64_t vote = 0;
    std::uint32_t position = 0;
    Baton baton;
    CONCH_FIELDS(Response, replica, request, owner, version, vote, position, baton)
  };
  /// In Non-End-to-End, YIELD and RELEASE gather the requests that wait on their path.
  struct Yield {
    Index replica = 0;
    Priority ts;
    std::uint64_t vote = 0;
    std::vector<Priority> gathered;
    CONCH_FIELDS(Yield, replica, ts, vote, gathered)
  };
  struct Release {
    Index replica = 0;
    Priority ts;
    Baton baton;
    /// The replica may have voted for it.
    bool voted = true;
    std::vector<Priority> gathered;
    CONCH_FIELDS(Release, replica, ts, baton, voted, gathered)
  };
  struct Renew {
    Index replica = 0;
    Priority ts;
    std::uint64_t vote = 0;
    std::uint32_t round = 0;
    bool held = false;
    Baton baton;
    CONCH_FIELDS(Renew, replica, ts, vote, round, held, baton)
  };
  struct Renewed {
    Index replica = 0;
    Priority ts;
    std::uint32_t round = 0;
    CONCH_FIELDS(Renewed, replica, ts, round)
  };
  struct Moved {
    Index replica = 0;
    bool known = false;
    std::optional<Priority> owner;
    std::uint64_t version = 0;
    std::uint64_t vote = 0;
    std::vector<Priority> queue;
    Baton baton;
    CONCH_FIELDS(Moved, replica, known, owner, version, vote, queue, baton)
  };
  /// Non-End-to-End only: requests that waited on a broken path.
  struct Cleanup {
    Index replica = 0;
    std::vector<Priority> gathered;
    CONCH_FIELDS(Cleanup, replica, gathered)
  };
  using Message = std::variant<Request, Response, Yield, Release, Renew, Renewed, Moved, Recall,
                               Recalled, Cleanup>;
  using Out = RoutedOutbox<Message>;

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void deliver(Key key, const Message& message, Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void unreachable(NodeId node, const Message& message, Out& out);
  void moved(const std::optional<Arc>& before, const std::optional<Arc>& after, Out& out);
  void lapsed(Out&) { tenure_.lapse(); }
  void tell_time(Fence now) { tenure_.tell_time(now); }
  void suspect(NodeId, Out&) {}
  void timer(TimerId timer, Out& out);
  /// Whether a message would change nothing and get no answer, now or at any later time. For the
  /// checker, where there are no leases and every node is reachable.
  bool ignores(NodeId from, const Message& message) const;
  /// For the checker: this client will make no further request.
  void asks_no_more() { clock_ = {}; }
  /// Whether a fresh value would do as well: the node never asked, and is no replica.
  bool blank() const { return ts_ == Priority{} && served_.empty(); }

 protected:
  /// What a waiter does when its votes do not become a majority.
  enum class Habit : std::uint8_t {
    asks_again,  // Sigma
    yields,      // Non-End-to-End
  };

  Voting(NodeId self, const Assignment& start, Habit habit);

  bool waits() const { return stage_ == Stage::waiting; }
  const Priority& own() const { return ts_; }
  /// Whether a message for this replica ends here.
  bool serves(Index replica) const { return served_.contains(replica); }
  /// Asks the replicas that have not voted for us, once more.
  void ask(bool forced, Out& out);
  void take(NodeId from, const Response& m, Out& out);

  NodeId self_;
  Replication terms_;
  const ProtocolPolicy* policy_;
  Replicas replicas_;

 private:
  enum class Stage : std::uint8_t { idle, waiting, confirming, inside };
  friend std::string_view word(Stage stage) {
    switch (stage) {
      case Stage::idle: return "idle";
      case Stage::waiting: return "waiting";
      case Stage::confirming: return "confirming";
      case Stage::inside: return "inside";
    }
    return "?";
  }

  /// What a candidate knows of a replica.
  struct ReplicaView {
    bool known = false;
    std::optional<Priority> owner;
    std::uint64_t version = 0;
    std::uint64_t vote = 0;
    std::uint64_t yielded = 0;
    std::uint32_t position = 0;
    std::optional<NodeId> node;
    Baton baton;
    CONCH_FIELDS(ReplicaView, known, owner, version, vote, yielded, position, node, baton)
  };
  struct Replica {
    std::optional<Priority> owner;
    FlatSet<Priority> queue;
    std::uint64_t version = 0;
    std::uint64_t vote = 0;
    /// The last round of the owner that this replica acknowledged.
    std::uint32_t round = 0;
    Baton baton;
    CONCH_FIELDS(Replica, owner, queue, version, vote, round, baton)
  };

  // The candidate.
  void take(NodeId from, const Renewed& m, Out& out);
  bool knows_better(const Response& m) const;
  void learn(ReplicaView& view, NodeId from, const Response& m);
  void evaluate(Out& out);
  Index votes() const;
  Index needed() const;
  bool voted(Index replica) const;
  bool nobody_wins() const;
  bool leased() const { return terms_.lease > Duration::zero(); }
  void yield(Out& out);
  void lose_patience(Out& out);
  void confirm(Out& out);
  void renew(Out& out);
  void lose(Out& out);
  void await_turn(Out& out);
  void give_up(const Baton& baton, Out& out);
  void rest(Out& out);
  template <class M>
  void toward(Index replica, M message, Out& out);

  // The replica.
  Replica& serve(Index replica, Out& out);
  void serve(Replica& replica, const Request& m, Out& out);
  void serve(Replica& replica, const Yield& m, Out& out);
  void serve(Replica& replica, const Release& m, Out& out);
  void serve(Replica& replica, const Renew& m, Out& out);
  void serve(Replica& replica, const Moved& m, Out& out);
  void serve(Replica& replica, const Recall& m, Out& out);
  void serve(Replica& replica, const Cleanup& m, Out& out);
  void hear(const Recalled& m, Out& out);
  void merge(Replica& replica, const std::vector<Priority>& requests, const Priority* but);
  void vote_on(Index index, Replica& replica, Out& out);
  void answer(Index index, const Replica& replica, const Priority& request, Out& out);
  void watch(Index index, Out& out);
  void open(Index index, Out& out);

  Tenure tenure_;
  Habit habit_;
  Stamp clock_;
  /// The newest baton seen; while we hold the lock, our own.
  Baton baton_;

  Stage stage_ = Stage::idle;
  Priority ts_;
  /// One per replica while a request is alive; empty otherwise.
  std::vector<ReplicaView> views_;
  bool backing_off_ = false;
  bool patient_ = false;
  std::uint32_t yields_ = 0;
  std::uint32_t impatience_ = 0;
  Rounds rounds_;

  std::map<Index, Replica> served_;

 public:
  CONCH_FIELDS(Voting, self_, tenure_, clock_, baton_, stage_, ts_, views_, backing_off_, patient_,
               yields_, impatience_, rounds_, served_)
};

}  // namespace conch::overlay
