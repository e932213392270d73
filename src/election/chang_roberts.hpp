// A ring-based election: identifiers go round, larger ones replace smaller ones, and the one that
// comes back to its owner has won.
//
// Source: [Chang 1979]; [Coulouris 2011, section 15.3 and fig. 15.7].
//
// Assumes reliable FIFO channels and no crashes; no bound on time. A process knows only its
// neighbour. The text does not say FIFO, but E2 needs it: if an ELECTION overtakes the ELECTED of
// an earlier election, its receiver still takes part in that one and drops it, so its sender waits
// for ever (tests/scenarios/chang_roberts_overtaken.txt).
//
// State: whether we are a `participant` in an election, the `elected` coordinator, and whether we
// have `retired`.
//
//   ELECTION(candidate)   larger than us: we forward it. Smaller: we put ourselves in, or, if we
//                         take part already, drop it. Ourselves: we are the coordinator
//   ELECTED(coordinator)  goes round once
//
// A coordinator that retires begins an election without a candidate, which counts as smaller than
// every identifier, and from then on only forwards. Our decisions where the text leaves something
// open:
//
// - Elections may overlap: a second one begins while the ELECTED of the first goes round. A process
//   that gets this ELECTED is no participant any more and stands again. So the largest identifier
//   goes round once more and wins again: more messages, the same result.
// - An ELECTION without a candidate that comes back to the retired process has found no other, so
//   that process stands again.
// - A coordinator ignores its own ELECTED when it has come round, whatever has begun since.
#pragma once

#include "election/elector.hpp"

namespace conch {

class ChangRoberts {
 public:
  struct Election {
    std::optional<NodeId> candidate;
    CONCH_FIELDS(Election, candidate)
  };
  struct Elected {
    NodeId coordinator;
    CONCH_FIELDS(Elected, coordinator)
  };
  using Message = std::variant<Election, Elected>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "chang-roberts",
      .family = "election",
      .source = "[Chang 1979]; [Coulouris 2011, section 15.3, fig. 15.7]",
      .messages = "2N..3N-1",
      .client_delay = "2N..3N-1",
      .sync_delay = "",
      .needs_fifo = true,
  };

  ChangRoberts(NodeId self, const Assignment& start);

  void elect(Out& out);
  void retire(Out& out);

  void receive(NodeId from, const Election& m, Out& out);
  void receive(NodeId from, const Elected& m, Out& out);

  std::optional<NodeId> elected() const { return elected_; }
  bool participant() const { return participant_; }
  bool retired() const { return retired_; }

 protected:
  void begin(Out& out);
  void take_part();
  void forward(const Election& m, Out& out);
  void win(Out& out);

  NodeId self_;
  NodeId neighbour_;
  bool participant_ = false;
  std::optional<NodeId> elected_;
  bool retired_ = false;

 public:
  CONCH_FIELDS(ChangRoberts, self_, neighbour_, participant_, elected_, retired_)
};

}  // namespace conch
