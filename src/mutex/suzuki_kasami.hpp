// Suzuki-Kasami: requests are broadcast; the token knows which of them it has served.
//
// Source: [Suzuki 1985].
//
// Assumes reliable channels, FIFO or not.
//
// State: RN has the largest request number heard from each member. The token carries LN, the number
// it last served of each member, a queue of members to visit, and the baton. An odd number is a
// request, and the even one after it withdraws that request; the larger number counts, in whichever
// order they arrive. A member is outstanding if its RN is odd and larger than its LN.
//
//   REQUEST(number)         takes the token if it is idle
//   WITHDRAW(number)        takes a waiter out of the queue, wherever the token is
//   TOKEN(ln, queue, baton) the token
//
// A token whose addressee has withdrawn serves the even number, so that no member that still has
// the old request in its RN sends it there again.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/contract.hpp"
#include "mutex/state.hpp"

namespace conch {

class SuzukiKasami {
 public:
  struct Request {
    std::uint64_t number = 0;
    CONCH_FIELDS(Request, number)
  };
  struct Withdraw {
    std::uint64_t number = 0;
    CONCH_FIELDS(Withdraw, number)
  };
  struct Token {
    /// Indexed by position in the members.
    std::vector<std::uint64_t> ln;
    std::deque<NodeId> queue;
    Baton baton;
    CONCH_FIELDS(Token, ln, queue, baton)
  };
  using Message = std::variant<Request, Withdraw, Token>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "suzuki-kasami",
      .family = "token",
      .source = "[Suzuki 1985]",
      .messages = "0 or N",
      .client_delay = "0 or 2",
      .sync_delay = "1",
  };

  SuzukiKasami(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Withdraw& m, Out& out);
  void receive(NodeId from, const Token& m, Out& out);

  bool holds_token() const { return token_.has_value(); }

 private:
  void enter(Out& out);
  void pass(Out& out);
  void hear(NodeId from, std::uint64_t number);
  void refresh_queue();
  bool unserved(NodeId node) const;
  std::size_t at(NodeId node) const;
  void broadcast(const Message& message, Out& out) const;

  NodeId self_;
  State state_ = State::released;
  /// Indexed by position in `members_`.
  std::vector<std::uint64_t> rn_;
  std::optional<Token> token_;
  Members members_;

 public:
  CONCH_FIELDS(SuzukiKasami, self_, state_, rn_, token_, members_)
};

}  // namespace conch
