// The bully: a process asks those with larger identifiers whether they are up; if nobody answers,
// it is the coordinator and tells those with smaller ones.
//
// Source: [Garcia-Molina 1982]; [Coulouris 2011, section 15.3 and fig. 15.8]. `bully-polite`
// is the answer to exercise 11.8: a process that restarts looks for a standing coordinator first.
//
// Assumes reliable channels, FIFO or not, and a bound D on the time that a message takes, handling
// included; T and T' follow from it (`timeouts_for`). A process that crashes may come back, without
// its memory. A process that has elected a coordinator notices its crash, but not before D has
// passed: then none of its messages is in flight any more. Each process knows all the others.
//
// State: the `stance` in an election, its `round`, the `elected` coordinator, whether we have
// `retired`, and the `retirees`, which do not stand but must hear of the winner.
//
//   ELECTION(round)     to all above: are you up? The receiver answers, and begins an election
//                       unless one is running or the coordinator of this round is announced
//   ANSWER              yes. We wait T' for the coordinator, and begin again if none is announced
//   COORDINATOR(round)  it is me; to all below, and to retirees
//   RETIRE              the coordinator retires: elect another
//   DECLINE             I am up, but have retired; does not count as an answer
//   STATUS              polite: I have restarted; to all below: who is the coordinator?
//   STANDING(coordinator, round)  this one. A process that knows none does not reply
//
// The bully promises E1: the coordinator has the largest identifier of those that are up and have
// not retired. The polite variant promises that all agree on a process that is up.
//
// Bounds: in a round each process asks those above it once, and one announces itself: N (N - 1)
// messages and N - 1 announcements.
//
// Our decisions where the text leaves something open:
//
// - *Rounds*. As printed, an ELECTION that comes after the COORDINATOR begins another election.
//   Then the second process may begin two, the third four, and so on: 2^(N - 1) in all. So each
//   election has a round, one more than the last that its beginner knows. A process that knows the
//   coordinator of that round only answers. A restarted process knows no round and sends 0. A
//   sender with round 0, or with an old round, is also told the coordinator (STANDING). If the
//   sender is that coordinator, it has forgotten this, and a new round begins.
// - *Listening*. As printed, a process that restarts begins an election at once, and E1 breaks. A
//   has asked B, above it, while B was down. B restarts and announces itself; then T is over and A
//   announces itself, too. C, below both, may hear B first and A last: it believes A for ever,
//   while A believes B, and no process can tell which of the two is newer. So B first listens for
//   T': it answers and takes note, but begins nothing. Elections that began without B are announced
//   within T + D, which is less. If a coordinator is announced meanwhile, B accepts it.
// - The polite variant listens before it asks, for the same reason: a decision made without it may
//   not have reached those that it asks. And a winner below it that has not heard from it does not
//   tell it.
// - A polite process asks all below at once, and waits T once, not for each. If it is told that it
//   is the coordinator itself, that was its former life: it does not believe it. Whoever took it
//   for the coordinator and is asked by it knows as much, and listens as if it had restarted:
//   others may have elected another meanwhile. The lowest process has none to ask, so it begins an
//   election; so does one that gets no reply.
// - A process that retires asks the others to elect, declines to stand, and is told the winner. If
//   it hears of none within T', it goes on as if it had restarted. A restart ends a retirement.
// - A COORDINATOR from a process that has crashed since is believed: the crash will be noticed.
#pragma once

#include "core/flat_set.hpp"
#include "election/elector.hpp"

namespace conch {

/// What a process is doing in an election.
enum class Stance : std::uint8_t {
  bystander,
  listening,  // restarted: decisions made without us are in flight
  asking,     // polite: who is the coordinator?
  standing,   // waits for answers
  waiting,    // has an answer, or has retired: waits for the coordinator
};
std::string_view word(Stance stance);

class Bully {
 public:
  struct Election {
    std::uint32_t round = 0;
    CONCH_FIELDS(Election, round)
  };
  struct Answer {
    CONCH_FIELDS(Answer)
  };
  struct Coordinator {
    std::uint32_t round = 0;
    CONCH_FIELDS(Coordinator, round)
  };
  struct Retire {
    CONCH_FIELDS(Retire)
  };
  struct Decline {
    CONCH_FIELDS(Decline)
  };
  struct Status {
    CONCH_FIELDS(Status)
  };
  struct Standing {
    NodeId coordinator;
    std::uint32_t round = 0;
    CONCH_FIELDS(Standing, coordinator, round)
  };
  using Message = std::variant<Election, Answer, Coordinator, Retire, Decline, Status, Standing>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "bully",
      .family = "election",
      .source = "[Garcia-Molina 1982]; [Coulouris 2011, section 15.3, fig. 15.8]",
      .messages = "N-2..O(N^2)",
      .client_delay = "1, or T + 1 and more",
      .sync_delay = "",
  };
  static constexpr TimerId answer_timer{0};
  static constexpr TimerId announcement_timer{1};

  Bully(NodeId self, const Assignment& start);

  void elect(Out& out);
  void retire(Out& out);
  void restart(Out& out);
  void timer(TimerId timer, Out& out);

  void receive(NodeId from, const Election& m, Out& out);
  void receive(NodeId from, const Answer& m, Out& out);
  void receive(NodeId from, const Coordinator& m, Out& out);
  void receive(NodeId from, const Retire& m, Out& out);
  void receive(NodeId from, const Decline& m, Out& out);
  void receive(NodeId from, const Status& m, Out& out);
  void receive(NodeId from, const Standing& m, Out& out);

  std::optional<NodeId> elected() const { return elected_; }
  bool participant() const { return stance_ != Stance::bystander; }
  bool retired() const { return retired_; }

 protected:
  bool polite() const { return manners_ == Manners::polite; }
  void begin(Out& out);
  void begin_anew(Out& out);
  void listen(Out& out);
  void ask(Out& out);
  void announce(Out& out);
  void accept(NodeId coordinator, Out& out);
  void take(Stance stance, Out& out);
  /// Sends to the members that `which` selects, except ourselves.
  template <class M, class Which>
  void tell(const M& message, Which&& which, Out& out);

  NodeId self_;
  Members members_;
  Manners manners_;
  Timeouts timeouts_;
  Stance stance_ = Stance::bystander;
  /// The last round that we know of; 0 after a restart.
  std::uint32_t round_ = 1;
  std::optional<NodeId> elected_;
  bool retired_ = false;
  FlatSet<NodeId> retirees_;

 public:
  CONCH_FIELDS(Bully, self_, stance_, round_, elected_, retired_, retirees_)
};

}  // namespace conch
