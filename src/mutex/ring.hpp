// The token ring: the token moves to the successor for ever, and a process that wants to enter
// keeps it for the length of its visit.
//
// Source: Coulouris et al. 2011, figure 15.3. Assumes reliable channels, FIFO or not. It sends
// messages when nobody wants anything; ring_idle_hold.hpp is the form one would run.
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
      .source = "notes fig. 15.3",
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

 protected:  // a specimen changes one rule
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

/// A ring whose processes let the token pass by: it goes round for ever and nobody enters.
class RingPassesBy : public Ring {
 public:
  static constexpr About about{
      .name = "ring@passes-by",
      .family = "token",
      .source = "notes fig. 15.3, without \"but retains it\"",
      .messages = Ring::about.messages,
      .client_delay = Ring::about.client_delay,
      .sync_delay = Ring::about.sync_delay,
      .use = Use::specimen,
      .caught_by = "ME2",
      .restless = true,
  };

  using Ring::Ring;
  void receive(NodeId from, const Token& m, Out& out);
};

}  // namespace conch
