// The bully: a process asks those with larger identifiers whether they are up; if nobody answers,
// it is the coordinator and tells those with smaller ones.
//
// Source: [Garcia-Molina 1982]; [Coulouris 2011, section 15.3 and fig. 15.8]. `bully-polite`
// is the answer to exercise 11.8: a process that restarts looks for a standing coordinator first.
//
// Assumes reliable channels, FIFO or not, and a bound D on the time of a message, its handling
// included, from which T and T' follow (`timeouts_for`). Processes crash and come back remembering
// nothing. A crash of the coordinator is noticed D after it or later, when nothing of it is on its
// way any more, by whoever has elected it. Each process knows all the others.
//
// State: the `stance` in an election, its `round`, who was `elected`, whether we have `retired`,
// and the `retirees` above us that must hear from us though they do not stand.
//
//   ELECTION(round)     to all above: are you up? answered, and an election begun, unless one is
//                       running or the coordinator of this round has been announced
//   ANSWER              yes. We wait T' for the coordinator, and begin again if none is announced
//   COORDINATOR(round)  it is me; to all below, and retirees
//   RETIRE              the coordinator retires: elect somebody else
//   DECLINE             yes, but I have retired: no answer
//   STATUS              polite: I have restarted; to all below: who is the coordinator?
//   STANDING(coordinator, round)  this one. Who is in an election says nothing
//
// The bully promises E1: the largest identifier of those that are up and have not retired. The
// polite one promises that all agree on one that is up.
//
// Bounds: in a round each process asks those above it once, and one is announced: N (N - 1)
// messages and N - 1 announcements.
//
// What the text leaves open, and was decided:
//
// - *Rounds*. As printed, an ELECTION that comes after the COORDINATOR begins another election.
//   Then the second process may begin two, the third four, and so on: 2^(N - 1) in all. So an
//   election has a round, the next one of whoever begins it, and an ELECTION of a round that has
//   been decided here is only answered. Who has restarted knows no round and says 0; it is told who
//   stands, and so is anybody whose round is older than the last. If that is the one that asks, it
//   has forgotten it: this begins a new round.
// - *Listening*. As printed, a process that restarts begins an election at once, and E1 breaks: A
//   has asked B, above it, while that was down; B restarts and announces itself; T is over and A
//   announces itself, too. C, below both, may hear B first and A last, and believes A for ever,
//   while A believes B. Nobody can tell which of the two is newer. So B listens for T' first: it
//   answers and hears, but begins nothing. By then all is heard of those who have not heard from
//   it: T + D. If a coordinator is announced meanwhile, that is all.
// - For the same reason the polite one listens before it asks: what was decided without it may not
//   have reached those whom it asks; and a winner below it, which has not heard from it, does not
//   tell it, either.
// - The polite ask all below at once: T, not a T for each. Who is told that it is the coordinator
//   itself, which died with its memory, does not believe it. The lowest has nobody to ask: it
//   begins an election, as does who gets no answer.
// - Who retires asks the others to elect, declines to stand, and is told of the winner. If it hears
//   of none within T', it comes back as if it had restarted. A restart ends a retirement.
// - A COORDINATOR of one that has crashed since is believed, for the crash will be noticed.
#pragma once

#include "core/flat_set.hpp"
#include "election/elector.hpp"

namespace conch {

/// What a process is doing in an election.
enum class Stance : std::uint8_t {
  bystander,
  listening,  // restarted: what was decided without us is on its way
  asking,     // polite: who is the coordinator?
  standing,   // waits for answers
  waiting,    // has one, or has retired, and waits for the coordinator
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
  void ask(Out& out);
  void announce(Out& out);
  void accept(NodeId coordinator, Out& out);
  void take(Stance stance, Out& out);
  /// To those in a part of the members, except ourselves.
  template <class M, class Which>
  void tell(const M& message, Which&& which, Out& out);

  NodeId self_;
  Members members_;
  Manners manners_;
  Timeouts timeouts_;
  Stance stance_ = Stance::bystander;
  /// The last that we know of; 0 after a restart.
  std::uint32_t round_ = 1;
  std::optional<NodeId> elected_;
  bool retired_ = false;
  FlatSet<NodeId> retirees_;

 public:
  CONCH_FIELDS(Bully, self_, stance_, round_, elected_, retired_, retirees_)
};

}  // namespace conch
