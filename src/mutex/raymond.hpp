// Raymond: the token moves along the edges of a static tree; each node asks for its whole subtree.
//
// Source: [Raymond 1989]. The tree is a balanced binary tree of the members in the order of their
// identifiers, with all `holder` edges pointing towards the home.
//
// Assumes reliable FIFO channels.
//
// State: `holder` is the neighbour in the direction of the token, or ourselves; `queue` lists those
// that want the token from us, ourselves included; `asked` means that the holder has our request.
//
//   REQUEST       put in the queue; asks our holder unless it has been asked
//   TOKEN(baton)  the token, for the first of the queue
//
// A waiter that cancels leaves its own queue at once. A node whose queue becomes empty withdraws
// its request from its holder; it asks again, if it must, only after the answer. A holder whose
// TOKEN crosses a WITHDRAW does not answer: the token is the answer, and a node that does not need
// it keeps it.
//
//   WITHDRAW      takes the sender out of the queue
//   WITHDRAWN     done; you may ask again
#pragma once

#include <deque>

#include "core/contract.hpp"

namespace conch {

class Raymond {
 public:
  struct Request {
    CONCH_FIELDS(Request)
  };
  struct Token {
    Baton baton;
    CONCH_FIELDS(Token, baton)
  };
  struct Withdraw {
    CONCH_FIELDS(Withdraw)
  };
  struct Withdrawn {
    CONCH_FIELDS(Withdrawn)
  };
  using Message = std::variant<Request, Token, Withdraw, Withdrawn>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "raymond",
      .family = "token",
      .source = "[Raymond 1989]",
      .messages = "0..2 diameter, about 4 under load",
      .client_delay = "tree distance",
      .sync_delay = "tree distance / 2",
      .needs_fifo = true,
  };

  Raymond(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Token& m, Out& out);
  void receive(NodeId from, const Withdraw& m, Out& out);
  void receive(NodeId from, const Withdrawn& m, Out& out);

  bool holds_token() const { return holder_ == self_; }

 private:
  enum class Asked : std::uint8_t { no, yes, withdrawing };
  friend std::string_view word(Asked asked) {
    switch (asked) {
      case Asked::no: return "no";
      case Asked::yes: return "yes";
      case Asked::withdrawing: return "withdrawing";
    }
    return "?";
  }

  void assign_privilege(Out& out);
  void make_request(Out& out);
  void leave_queue(NodeId node, Out& out);

  NodeId self_;
  NodeId holder_;
  bool using_ = false;
  Asked asked_ = Asked::no;
  std::deque<NodeId> queue_;
  Baton baton_;

 public:
  CONCH_FIELDS(Raymond, self_, holder_, using_, asked_, queue_, baton_)
};

}  // namespace conch
