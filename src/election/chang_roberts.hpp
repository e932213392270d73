// A ring-based election: identifiers go round, larger ones replace smaller ones, and the one that
// comes back to its owner has won.
//
// Source: [Chang 1979]; [Coulouris 2011, section 15.3 and fig. 15.7].
//
// Assumes reliable FIFO channels and that nobody crashes; no bound on anything. A process knows its
// neighbour and nobody else. The text does not say FIFO, but E2 needs it: an ELECTION that
// overtakes the ELECTED of an earlier election is ended by a participant that would have been none,
// and whoever sent it waits for ever (tests/scenarios/chang_roberts_overtaken.txt).
//
// State: `participant` in an election, who was `elected`, and whether we have `retired`.
//
//   ELECTION(candidate)   larger than ours: forwarded. Smaller: we put ourselves in, or, if we take
//                         part already, end it here. Ours: we are the coordinator
//   ELECTED(coordinator)  goes round once
//
// A coordinator that retires begins an election with no candidate, which every identifier is larger
// than, and from then on only forwards. What the text leaves open, and was decided:
//
// - Elections may overlap: a second one begins while ELECTED of the first goes round, and whoever
//   hears that is no participant any more. It then stands again, the largest identifier goes round
//   once more and wins again: more messages, the same result.
// - An ELECTION without a candidate that comes back to who has retired has found nobody: it stands
//   again.
// - A coordinator takes no notice when its own ELECTED has come round, whatever has begun since.
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
