// The token ring: the token moves from node to node for ever, and a process that wants to enter
// keeps it for the length of its visit.
//
// Source: [Coulouris 2011, fig. 15.3]. Assumes reliable channels, FIFO or not. It sends
// messages even when nobody wants to enter; use ring_idle_hold.hpp in practice.
//
//   TOKEN(baton)  to the successor
#pragma once

#include "core/contract.hpp"
#include "mutex/state.hpp"

namespace conch {

class Ring {
 public:
  struct Token {
    Baton baton;
    CONCH_FIELDS(Token, baton)
  };
  using Message = std::variant<Token>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "ring",
      .family = "token",
      .source = "[Coulouris 2011, fig. 15.3]",
      .messages = "0..N, and N per idle turn",
      .client_delay = "0..N",
      .sync_delay = "1..N",
      .restless = true,
  };

  Ring(NodeId self, const Assignment& start);

  void start(Out& out);
  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Token& m, Out& out);

  bool holds_token() const { return token_; }

 protected:
  void enter(Out& out);
  void pass(Out& out);

  NodeId self_;
  NodeId successor_;
  State state_ = State::released;
  bool token_ = false;
  Baton baton_;

 public:
  CONCH_FIELDS(Ring, self_, successor_, state_, token_, baton_)
};

}  // namespace conch
