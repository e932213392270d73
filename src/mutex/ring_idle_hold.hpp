// The token ring with an idle hold: the token stays where it was last used until a process asks.
//
// Source: [Coulouris 2011, fig. 15.3], with the idle-hold option. A requester
// sends one wake-up round the ring. The token then carries the set of nodes it still has to visit,
// and rests when the set is empty. If the requester has cancelled or was served on the way, its
// wake-up costs one more journey of the token and leaves nothing behind.
//
// Assumes reliable channels, FIFO or not.
//
//   WAKE(origin)          to the successor, until it meets the token
//   TOKEN(baton, asked)   to the successor, until `asked` is empty
#pragma once

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "mutex/state.hpp"

namespace conch {

class RingIdleHold {
 public:
  struct Wake {
    NodeId origin;
    CONCH_FIELDS(Wake, origin)
  };
  struct Token {
    Baton baton;
    FlatSet<NodeId> asked;
    CONCH_FIELDS(Token, baton, asked)
  };
  using Message = std::variant<Wake, Token>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "ring-idle-hold",
      .family = "token",
      .source = "[Coulouris 2011, fig. 15.3], resting when idle",
      .messages = "0..2N, none when idle",
      .client_delay = "0, or N",
      .sync_delay = "1..N",
  };

  RingIdleHold(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void receive(NodeId from, const Wake& m, Out& out);
  void receive(NodeId from, const Token& m, Out& out);

  bool holds_token() const { return token_; }

 private:
  void enter(Out& out);
  void move_on(Out& out);

  NodeId self_;
  NodeId successor_;
  State state_ = State::released;
  bool token_ = false;
  Baton baton_;
  /// With the token: nodes that have asked and were not visited since.
  FlatSet<NodeId> asked_;

 public:
  CONCH_FIELDS(RingIdleHold, self_, successor_, state_, token_, baton_, asked_)
};

}  // namespace conch
