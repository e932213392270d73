// End-to-End: the replicas elect the first holder; after that, each holder passes the lock and the
// queue of waiters to the next one.
//
// Source: [Muhammad 2005, sections IV.A and V.A], corrected; see
// docs/corrections.md.
//
// Assumes what voting.hpp assumes.
//
// State: a replica is free, has voted for a request, is locked by a holder, or is orphaned: its
// holder is silent and it waits for a takeover. All of this belongs to a `generation`. Every node
// may have an `entry`, the last holder that it saw, and for each replica its neighbours on the path
// of the last winner. A client counts votes of one generation. The holder of the token has a `term`
// (generation, sequence), which determines its fence, and the queue.
//
//   A generation is opened by m votes, or m consents to a takeover; passed on by TOKEN; and closed
//   by the last holder's RELEASE or when the leases of m replicas have run out. The holder of its
//   last possible term closes it, too, and the waiters ask for the next generation.
//
//   REQUEST(ts, least)       routed; stopped by an entry, which ENQUEUEs it with the holder
//   RESPONSE(owner, generation, version, vote)   from a replica that is not locked
//   YIELD(ts, vote)          nobody wins: vote for the earliest
//   WITHDRAW(ts)             forget this request; also the reply to a vote for a finished request
//   WINNER(term, ts)         IAMWINNER: routed to all replicas by a new holder; makes entries
//   ENQUEUE(requests, term)  to the holder; forwarded along where the token went
//   HINT(term, holder)       to a node that sent an ENQUEUE to a past holder
//   RETRY(generation)        that generation is over: ask for the next
//   TOKEN(term, to, queue)   the lock
//   RELEASE(term)            the queue is empty: to the replicas along the paths of WINNER
//   CLEANUP(term)            T2: as RELEASE, but only removes entries
//   RENEW(term, round), RENEWED(round)   as in voting.hpp; WINNER is acknowledged, too
//
// With a lease, a new holder enters when m replicas have acknowledged its term. So votes, tokens
// and consents that are too old are refused, and a lease runs from when its renewal was sent.
//
// The first K waiters have a copy of the queue and ping the holder. When it is silent they ask to
// take over. A replica whose lease with the holder has run out collects such claims for half a
// lease, and consents to the one with the newest copy, in a new generation.
//
//   COPY(edition, queue), PING, PONG
//   TAKEOVER(edition, ts), ACCEPTED(term, ts)
//
// Bounds: n routed requests, n responses, n routed winners and n releases for an entry without
// contention; one ENQUEUE for each intercepted request and one TOKEN for an entry among many.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/flat_set.hpp"
#include "overlay/end_to_end_messages.hpp"
#include "overlay/rounds.hpp"

namespace conch::overlay {

class EndToEnd {
 public:
  using Message = e2e::Message;
  using Out = RoutedOutbox<Message>;

  static constexpr About about{
      .name = "end-to-end",
      .family = "token",
      .source = "[Muhammad 2005, section IV.A]",
      .messages = "O(log N) to 4n O(log N)",
      .client_delay = "O(log N) + 1",
      .sync_delay = "1",
  };

  static constexpr bool intercepts = true;

  EndToEnd(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  Passage forward(Key key, Message& message, NodeId next, Out& out);
  void deliver(Key key, const Message& message, Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void unreachable(NodeId node, const Message& message, Out& out);
  void moved(const std::optional<Arc>& before, const std::optional<Arc>& after, Out& out);
  void lapsed(Out&) { tenure_.lapse(); }
  void tell_time(Fence now) { tenure_.tell_time(now); }
  void suspect(NodeId node, Out& out);
  void timer(TimerId timer, Out& out);
  /// Whether a message would change nothing and get no answer, now or at any later time. For the
  /// checker, where there are no leases and every node is reachable.
  bool ignores(NodeId from, const Message& message) const;
  /// For the checker: this client will make no further request.
  void asks_no_more() {
    clock_ = {};
    if (stage_ == Stage::idle) generation_ = 1;
  }
  /// Whether a fresh value would do as well, except for the time: the node never asked, is no
  /// replica, and is on no path.
  bool blank() const {
    return ts_ == Priority{} && last_ == e2e::Term{} && !entry_ && ways_.empty() && served_.empty();
  }

 private:
  enum class Stage : std::uint8_t { idle, waiting, claiming, inside };
  friend std::string_view word(Stage stage) {
    switch (stage) {
      case Stage::idle: return "idle";
      case Stage::waiting: return "waiting";
      case Stage::claiming: return "claiming";
      case Stage::inside: return "inside";
    }
    return "?";
  }
  enum class Mode : std::uint8_t { free, voted, locked, orphaned };
  friend std::string_view word(Mode mode) {
    switch (mode) {
      case Mode::free: return "free";
      case Mode::voted: return "voted";
      case Mode::locked: return "locked";
      case Mode::orphaned: return "orphaned";
    }
    return "?";
  }

  /// What a client knows of a replica.
  struct ReplicaView {
    bool known = false;
    std::uint64_t generation = 0;
    std::optional<Priority> owner;
    std::uint64_t version = 0;
    std::uint64_t vote = 0;
    std::uint64_t yielded = 0;
    std::optional<NodeId> node;
    CONCH_FIELDS(ReplicaView, known, generation, owner, version, vote, yielded, node)
  };
  struct Held {
    e2e::Term term;
    FlatSet<Priority> queue;
    /// Counts changes of the queue.
    std::uint32_t update = 0;
    FlatSet<Index> refused;
    CONCH_FIELDS(Held, term, queue, update, refused)
  };
  struct Place {
    NodeId node;
    e2e::Term term;
    CONCH_FIELDS(Place, node, term)
  };
  struct Way {
    std::optional<NodeId> next;
    std::optional<NodeId> previous;
    CONCH_FIELDS(Way, next, previous)
  };
  struct Copied {
    e2e::Edition edition;
    NodeId holder;
    std::vector<Priority> queue;
    FlatSet<Index> consents;
    /// The generation of the consents.
    std::uint64_t generation = 0;
    CONCH_FIELDS(Copied, edition, holder, queue, consents, generation)
  };
  struct Claim {
    e2e::Edition edition;
    Priority ts;
    CONCH_FIELDS(Claim, edition, ts)
  };
  struct Replica {
    std::uint64_t generation = 1;
    /// No generation from this one on has been used, as far as others or the clock tell; the
    /// replica does not vote in an earlier one.
    std::uint64_t unused = 1;
    Mode mode = Mode::free;
    /// The request voted for, or the holder's request.
    Priority owner;
    e2e::Term term;
    std::uint64_t version = 0;
    std::uint64_t vote = 0;
    FlatSet<Priority> waiting;
    /// Requests for a later generation: their senders know that this one is over.
    FlatSet<Priority> later;
    DataRef data;
    std::optional<Claim> claim;
    bool used() const { return mode == Mode::locked || mode == Mode::orphaned; }
    std::uint64_t next() const { return std::max(generation + used(), unused); }
    CONCH_FIELDS(Replica, generation, unused, mode, owner, term, version, vote, waiting, later,
                 data, claim)
  };

  bool leased() const { return terms_.lease > Duration::zero(); }
  void observe(const Priority& ts) { clock_ = std::max(clock_, ts.stamp); }

  // The client: end_to_end.cpp.
  void ask(bool forced, Out& out);
  void await_turn(Out& out);
  void take(NodeId from, const e2e::Response& m, Out& out);
  void take(NodeId from, const e2e::Renewed& m, Out& out);
  void take(NodeId from, const e2e::Enqueue& m, Out& out);
  void take(NodeId from, const e2e::Retry& m, Out& out);
  void take(NodeId from, const e2e::Hint& m, Out& out);
  void take(NodeId from, const e2e::Token& m, Out& out);
  void take(NodeId from, const e2e::Copy& m, Out& out);
  void take(NodeId from, const e2e::Ping& m, Out& out);
  void take(NodeId from, const e2e::Pong& m, Out& out);
  void take(NodeId from, const e2e::Accepted& m, Out& out);
  void take(NodeId from, const Recalled& m, Out& out);
  bool gives_back(const e2e::Response& m) const;
  bool has_won(std::uint64_t generation) const;
  bool knows_better(const e2e::Response& m) const;
  bool ignores(const e2e::Response& m) const;
  bool ignores(const e2e::Token& m) const;
  bool voted(Index replica) const;
  Index votes() const;
  Index needed() const;
  bool nobody_wins() const;
  void evaluate(Out& out);
  void yield(Out& out);
  void withdraw(Out& out);
  void rest(Out& out);

  // The holder: end_to_end_token.cpp.
  void hold(e2e::Term term, FlatSet<Priority> queue, Out& out);
  void claim(bool announce, Out& out);
  void renew(Out& out);
  void enter(Out& out);
  void let_go(Out& out);
  void pass_through(Out& out);
  void hand_on(Out& out);
  void close(Out& out);
  void drop(Out& out);
  void lose(Out& out);
  void queue_up(const std::vector<Priority>& requests, Out& out);
  void copy_queue(Out& out);
  void reclaim(const e2e::Token& m, Out& out);
  void take_over(Out& out);

  // The nodes on a path: end_to_end_ways.cpp.
  Passage pass(const e2e::Request& m, NodeId next, Out& out);
  Passage pass(e2e::Winner& m, NodeId next, Out& out);
  Passage pass(const e2e::Release& m, NodeId next, Out& out);
  Passage pass(const e2e::Cleanup& m, NodeId next, Out& out);
  void note(e2e::Term term, NodeId holder);
  template <class M>
  void along(Index replica, const M& message, Out& out);

  // The replica: end_to_end_replica.cpp.
  Replica& serve(Index index, Out& out);
  void serve(Replica& replica, const e2e::Request& m, Out& out);
  void serve(Replica& replica, const e2e::Yield& m, Out& out);
  void serve(Replica& replica, const e2e::Withdraw& m, Out& out);
  void serve(Replica& replica, const e2e::Winner& m, Out& out);
  void serve(Replica& replica, const e2e::Renew& m, Out& out);
  void serve(Replica& replica, const e2e::Release& m, Out& out);
  void serve(Replica& replica, const e2e::Cleanup& m, Out& out);
  bool ignores(const Replica& replica, const e2e::Winner& m) const;
  bool ignores(const Replica& replica, const e2e::Release& m) const;
  void serve(Replica& replica, const e2e::Takeover& m, Out& out);
  void serve(Replica& replica, const e2e::Moved& m, Out& out);
  void serve(Replica& replica, const Recall& m, Out& out);
  void vote(Index index, Replica& replica, Out& out);
  void advance(Index index, Replica& replica, std::uint64_t generation, Out& out);
  bool yields_to(const Replica& replica, e2e::Term term, const Priority& ts) const;
  void tell_holder(const Replica& replica, std::vector<Priority> requests, Out& out);
  void lock(Index index, Replica& replica, e2e::Term term, const Priority& ts, Out& out);
  void consent(Index index, Replica& replica, const Claim& claim, Out& out);
  void answer(Index index, const Replica& replica, const Priority& request, Out& out);
  void watch(Index index, Duration time, Out& out);
  void lease_ends(Index index, Out& out);
  void turn(Replica& replica, std::uint64_t generation);
  void open(Index index, Out& out);

  NodeId self_;
  Replication terms_;
  const ProtocolPolicy* policy_;
  Replicas replicas_;
  Tenure tenure_;
  Stamp clock_;
  DataRef data_;

  Stage stage_ = Stage::idle;
  Priority ts_;
  /// The newest generation that we know of.
  std::uint64_t generation_ = 1;
  std::uint64_t retried_ = 0;
  /// One per replica while a request is alive; empty otherwise.
  std::vector<ReplicaView> views_;
  bool backing_off_ = false;
  bool patient_ = false;
  std::uint32_t yields_ = 0;

  std::optional<Held> token_;
  Rounds rounds_;
  /// The last term that we had, the last generation that we closed, and where the token went.
  e2e::Term last_;
  std::uint64_t closed_ = 0;
  std::optional<Place> went_;
  /// Requests queued here before the token arrived.
  FlatSet<Priority> early_;
  std::optional<Copied> copy_;

  std::optional<Place> entry_;
  std::map<Index, Way> ways_;

  std::map<Index, Replica> served_;

 public:
  CONCH_FIELDS(EndToEnd, self_, tenure_, clock_, data_, stage_, ts_, generation_, retried_, views_,
               backing_off_, patient_, yields_, token_, rounds_, last_, closed_, went_, early_,
               copy_, entry_, ways_, served_)
};

}  // namespace conch::overlay
