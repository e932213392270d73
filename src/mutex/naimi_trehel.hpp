// Naimi-Trehel: a token, a distributed queue (`next`) and a tree of probable owners.
//
// Source: [Naimi 1987], as in [Bertier 2004, fig. 1], corrected: an idle
// holder that gives the token away points its owner at the requester, too.
//
// Assumes reliable channels. Nothing but `leave` needs them to be FIFO.
//
// State: `owner` is the node to ask, empty at the tail of the queue; `next` gets the token from
// us. An owner is always a node whose last request is later than one's own, so there are no cycles.
//
//   REQUEST(origin)  forwarded along owners to the tail, which makes origin its next
//   TOKEN(baton)     the token
//
// A waiter that cancels does not know who is ahead of it, and its request may still be in flight.
// So it sends SEEK to all members. The one that is, or becomes, its predecessor answers AHEAD and
// then takes it out.
//
//   SEEK(number)     tell me when I am your next; number counts our cancels
//   NOTED            I will
//   AHEAD            you are my next
//   SPLICE(next)     take me out; my next is now yours
//   SPLICED(done)    done, or not: you are not my next any more
//   FOUND(number)    look no further
//
// A newcomer points at its contact. A leaver first gives an idle token a new home, then tells all
// members to point at its owner instead (which stays until the leaver's farewell), and then says
// farewell. With FIFO channels in both directions nothing can reach it after the last answer.
//
//   JOIN, WELCOME        may I point at you?
//   OFFER, DECLINE       ask for the token, I leave; I cannot, I leave too
//   REDIRECT(to)         point at `to` instead of me
//   REDIRECTED           done
//   FAREWELL, FORGOTTEN  send me nothing any more
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/contract.hpp"
#include "core/flat_set.hpp"

namespace conch {

class NaimiTrehel {
 public:
  struct Request {
    NodeId origin;
    CONCH_FIELDS(Request, origin)
  };
  struct Token {
    Baton baton;
    CONCH_FIELDS(Token, baton)
  };
  struct Seek {
    std::uint64_t number = 0;
    CONCH_FIELDS(Seek, number)
  };
  struct Noted {
    CONCH_FIELDS(Noted)
  };
  struct Ahead {
    CONCH_FIELDS(Ahead)
  };
  struct Splice {
    std::optional<NodeId> next;
    CONCH_FIELDS(Splice, next)
  };
  struct Spliced {
    bool done = false;
    CONCH_FIELDS(Spliced, done)
  };
  struct Found {
    std::uint64_t number = 0;
    CONCH_FIELDS(Found, number)
  };
  struct Join {
    CONCH_FIELDS(Join)
  };
  struct Welcome {
    CONCH_FIELDS(Welcome)
  };
  struct Offer {
    CONCH_FIELDS(Offer)
  };
  struct Decline {
    CONCH_FIELDS(Decline)
  };
  struct Redirect {
    NodeId to;
    CONCH_FIELDS(Redirect, to)
  };
  struct Redirected {
    CONCH_FIELDS(Redirected)
  };
  struct Farewell {
    CONCH_FIELDS(Farewell)
  };
  struct Forgotten {
    CONCH_FIELDS(Forgotten)
  };
  using Message = std::variant<Request, Token, Seek, Noted, Ahead, Splice, Spliced, Found, Join,
                               Welcome, Offer, Decline, Redirect, Redirected, Farewell, Forgotten>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "naimi-trehel",
      .family = "token",
      .source = "[Naimi 1987]",
      .messages = "0 or O(log N) mean",
      .client_delay = "O(log N) mean",
      .sync_delay = "1",
      .leave_needs_fifo = true,
  };

  NaimiTrehel(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void join(NodeId contact, Out& out);
  void leave(Out& out);
  void roster(const Members& members, Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Token& m, Out& out);
  void receive(NodeId from, const Seek& m, Out& out);
  void receive(NodeId from, const Noted& m, Out& out);
  void receive(NodeId from, const Ahead& m, Out& out);
  void receive(NodeId from, const Splice& m, Out& out);
  void receive(NodeId from, const Spliced& m, Out& out);
  void receive(NodeId from, const Found& m, Out& out);
  void receive(NodeId from, const Join& m, Out& out);
  void receive(NodeId from, const Welcome& m, Out& out);
  void receive(NodeId from, const Offer& m, Out& out);
  void receive(NodeId from, const Decline& m, Out& out);
  void receive(NodeId from, const Redirect& m, Out& out);
  void receive(NodeId from, const Redirected& m, Out& out);
  void receive(NodeId from, const Farewell& m, Out& out);
  void receive(NodeId from, const Forgotten& m, Out& out);

  bool holds_token() const { return token_; }

 protected:
  enum class Place : std::uint8_t { none, queued, inside };
  friend std::string_view word(Place place) {
    switch (place) {
      case Place::none: return "none";
      case Place::queued: return "queued";
      case Place::inside: return "inside";
    }
    return "?";
  }

  /// The withdrawal of a cancelled request from the queue.
  struct Withdrawal {
    FlatSet<NodeId> unanswered;
    /// Nodes that said they are ahead of us and that we have not asked yet. `splicing` is the one
    /// that we have asked to take us out.
    FlatSet<NodeId> ahead;
    std::optional<NodeId> splicing;
    /// Requests that reached us as the tail meanwhile. They go to the new tail afterwards.
    std::vector<NodeId> deferred;
    CONCH_FIELDS(Withdrawal, unanswered, ahead, splicing, deferred)
  };
  /// A splice that waits until we know whether we are out of the queue ourselves.
  struct HeldSplice {
    NodeId from;
    Splice splice;
    CONCH_FIELDS(HeldSplice, from, splice)
  };

  enum class Stage : std::uint8_t { arranging, redirecting, parting, gone };
  friend std::string_view word(Stage stage) {
    switch (stage) {
      case Stage::arranging: return "arranging";
      case Stage::redirecting: return "redirecting";
      case Stage::parting: return "parting";
      case Stage::gone: return "gone";
    }
    return "?";
  }

  struct Departure {
    Stage stage = Stage::arranging;
    FlatSet<NodeId> unanswered;
    /// A node began to lean on us while we redirected the others, so they must be redirected again.
    bool leaned_on = false;
    std::optional<NodeId> offered;
    FlatSet<NodeId> declined;
    CONCH_FIELDS(Departure, stage, unanswered, leaned_on, offered, declined)
  };

  void claim(Out& out);
  void enter(Out& out);
  void pass(Out& out);
  void follow(std::optional<NodeId> next, Out& out);
  void announce(Out& out);
  void withdraw(Out& out);
  void splice_out(Out& out);
  void join_another(NodeId than, Out& out);
  void conclude(Out& out);
  void proceed(Out& out);
  void offer(Out& out);
  void adopt(Out& out);
  void redirect(Out& out);
  void part(Out& out);
  FlatSet<NodeId> others() const;
  bool splicing() const { return withdrawal_ && withdrawal_->splicing; }

  NodeId self_;
  bool member_ = true;
  bool token_ = false;
  /// The local process wants to enter or is inside. A queued place without this wish was taken to
  /// accept the token of a leaver.
  bool wanted_ = false;
  /// A leaver has offered its token, and we have not asked for it yet.
  bool offered_ = false;
  Place place_ = Place::none;
  std::optional<NodeId> owner_;
  std::optional<NodeId> next_;
  /// The member that we asked to welcome us.
  std::optional<NodeId> contact_;
  Baton baton_;
  Members members_;
  std::uint64_t withdrawals_ = 0;
  std::optional<Withdrawal> withdrawal_;
  /// Nodes that have cancelled and look for the one ahead of them, with the number of the cancel.
  std::map<NodeId, std::uint64_t> seekers_;
  std::optional<HeldSplice> held_splice_;
  std::optional<Departure> departure_;
  /// Leavers that have pointed the others at us. We stay until their farewell.
  FlatSet<NodeId> leaners_;
  /// Leavers whose farewell we have answered and that are still on the roster.
  FlatSet<NodeId> forgotten_;

 public:
  CONCH_FIELDS(NaimiTrehel, self_, member_, token_, wanted_, offered_, place_, owner_, next_,
               contact_, baton_, members_, withdrawals_, withdrawal_, seekers_, held_splice_,
               departure_, leaners_, forgotten_)
};

}  // namespace conch
