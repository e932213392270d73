// A node's place in a ring of keys: how it comes in, keeps its neighbours, and goes. What Pastry
// and Chord have in common; they differ in their tables and in whose a key is.
//
// Source: the join, the probes and the repair are those of MSPastry (Castro, Costa, Rowstron 2004),
// which are also Chord's stabilisation (Stoica et al. 2001): a probe notifies, its answer names the
// neighbours.
//
// Assumes nothing about channels: messages may be late, lost, doubled, or overtake one another. The
// world says whom it believes dead; it should watch the `neighbours` and report whom it cannot
// reach. It may be wrong.
//
// State: the `phase`, the `leaves` and the `table`; who was `asked` and has not answered;
// `suspects`, who are not asked because of hearsay; `contacts` to come in by, and to greet.
//
//   JOIN(newcomer, ...)  towards the newcomer's place; who passes it on adds rows of its table
//   WELCOME(leaves, contacts)  from the root of that place
//   PROBE(leaves, round)   here I am, and whom do you know? From then on the sender is a neighbour
//   ANSWER(leaves, round)  the same in return, and the round of the probe
//   FAREWELL(leaves)     I go; these remain. Not acting for any key any more, but passing on
//   PARTED               you are no neighbour of mine any more
//   SEEK(origin, key)    towards the key, whose root says FOUND: somebody for a place in the table
//
// Nobody becomes a neighbour by hearsay: whom others name is asked first. So the dead are not
// passed round, and a neighbour knows that it is one.
//
// When a root moves, there is a defined moment, or rather two with a gap between:
// - A newcomer is the root of no key until it has `joined`: when every leaf it learned of has
//   answered. Whose keys it takes has stopped acting for them before that, in the call that gave
//   the answer. In between, messages for them wait at the newcomer (Router).
// - A leaver stops in the call of `leave`, and its neighbours begin when they hear of it.
// - A crashed node's keys pass to its neighbours when they are told to suspect it.
// So a key never has two roots, as long as nobody is suspected wrongly, and messages between
// neighbours are not lost. It may have none for a while. A ring that falls apart has two roots for
// each key; whoever remembers suspects of the other part goes on asking them, and the two grow
// together again, as they do by a `join` across.
//
// A root has a lease on its keys, where there are leases at all. In each exchange it probes the
// next node on either side, and its lease runs from when it sent probes that both have answered:
// whoever answers has it for a neighbour, and so does not act for its keys. A node that was
// stopped, or whom its neighbours gave up, stops acting for any key when the lease runs out, and
// begins anew when both have answered again. So two nodes act for one key for less than a lease,
// unless the ring falls apart.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/flat_set.hpp"
#include "overlay/leaf_set.hpp"

namespace conch::overlay {

/// How long it is from this node to another, where a world knows it for all.
using Latency = std::function<Duration(NodeId)>;

struct Upkeep {
  /// How often leaves are asked whom they know, whatever happens; never if zero: for worlds that
  /// lose no message between two that live, and report whom none reaches.
  Duration exchange = Duration::zero();
  /// After so long without an answer a question is asked again.
  Duration retry = std::chrono::seconds(1);
  /// How long a node acts for its keys after its neighbours were asked; for ever if zero.
  Duration lease = Duration::zero();
  CONCH_FIELDS(Upkeep, exchange, retry, lease)
};
/// Of a ring whose locks have leases, so that messages may be lost: it should notice within a lease
/// who is gone. Without leases there is no regular exchange.
constexpr Upkeep upkeep_for(Duration lease) {
  using std::chrono::milliseconds;
  if (lease == Duration::zero()) return {};
  return {std::clamp<Duration>(lease / 4, milliseconds(100), milliseconds(5000)),
          std::clamp<Duration>(lease / 8, milliseconds(50), milliseconds(1000)), lease};
}

enum class Phase : std::uint8_t { member, joining, leaving, gone };
constexpr std::string_view word(Phase phase) {
  switch (phase) {
    case Phase::member: return "member";
    case Phase::joining: return "joining";
    case Phase::leaving: return "leaving";
    case Phase::gone: return "gone";
  }
  return "?";
}

template <class Table>
class RingMember {
 public:
  using Nodes = std::vector<NodeId>;
  // Whom they concern may be gone when they come: all of them say nothing then.
  struct Join {
    NodeId newcomer;
    unsigned hops = 0;
    /// The first row of the table that nobody has added yet.
    unsigned row = 0;
    Nodes contacts;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Join, newcomer, hops, row, contacts)
  };
  struct Welcome {
    Nodes leaves;
    Nodes contacts;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Welcome, leaves, contacts)
  };
  struct Probe {
    Nodes leaves;
    std::uint32_t round = 0;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Probe, leaves, round)
  };
  struct Answer {
    Nodes leaves;
    std::uint32_t round = 0;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Answer, leaves, round)
  };
  struct Farewell {
    Nodes leaves;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Farewell, leaves)
  };
  struct Parted {
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Parted)
  };
  struct Seek {
    NodeId origin;
    Key key;
    unsigned hops = 0;
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Seek, origin, key, hops)
  };
  struct Found {
    static constexpr bool may_come_late = true;
    CONCH_FIELDS(Found)
  };
  using Message = std::variant<Join, Welcome, Probe, Answer, Farewell, Parted, Seek, Found>;
  using Out = Outbox<Message>;

  static constexpr TimerId exchange_timer{0};
  static constexpr TimerId retry_timer{1};
  /// A lease after a round of probes was sent; the rounds take turns.
  static constexpr TimerId lease_timers[] = {TimerId{2}, TimerId{3}};

  /// Alone.
  explicit RingMember(NodeId self, Upkeep upkeep = {})
      : self_(self), upkeep_(upkeep), leaves_(self) {}
  /// One of many, sorted, at once: as if all had joined long ago.
  RingMember(std::span<const NodeId> members, std::size_t place, Upkeep upkeep = {},
             const Latency& latency = {})
      : self_(members[place]),
        upkeep_(upkeep),
        leaves_(members, place),
        table_(members, place, latency) {}
  /// A member at once, or an outsider who may join.
  RingMember(NodeId self, const Assignment& start)
      : RingMember(self, upkeep_for(start.tuning.replication.lease)) {
    if (start.tuning.without == Without::root_lease) upkeep_.lease = Duration::zero();
    if (std::optional<std::size_t> place = start.members.index_of(self))
      *this = RingMember(start.members.nodes(), *place, upkeep_);
  }

  /// This node when others have come and gone, at once: what it knows of those who are still there
  /// stays. It is at `place` of the members, sorted.
  RingMember among(std::span<const NodeId> members, std::size_t place) const {
    RingMember changed(members, place, upkeep_);
    changed.table_.keep(self_, table_, members);
    return changed;
  }

  /// Begins the regular exchange, where there is one. The world calls it once, first.
  void start(Out& out);
  /// Through this contact; again, through another, if that one does not help.
  void join(NodeId contact, Out& out);
  void leave(Out& out);
  void suspect(NodeId node, Out& out);
  void timer(TimerId timer, Out& out);
  /// What the world has measured. A node that was heard of so is known to be there.
  void learn(NodeId node, Duration latency) { table_.learn(self_, node, latency); }

  void receive(NodeId from, const Join& m, Out& out);
  void receive(NodeId from, const Welcome& m, Out& out);
  void receive(NodeId from, const Probe& m, Out& out);
  void receive(NodeId from, const Answer& m, Out& out);
  void receive(NodeId from, const Farewell& m, Out& out);
  void receive(NodeId from, const Parted& m, Out& out);
  void receive(NodeId from, const Seek& m, Out& out);
  void receive(NodeId from, const Found& m, Out& out);

  std::optional<NodeId> next_hop(Key key) const { return hop(key, std::nullopt); }
  std::optional<Arc> domain() const;
  bool root_of(Key key) const {
    std::optional<Arc> mine = domain();
    return mine && mine->contains(key);
  }
  Nodes neighbours() const { return leaves_.nodes(); }
  bool stays() const { return phase_ == Phase::member || phase_ == Phase::joining; }

  NodeId self() const { return self_; }
  Phase phase() const { return phase_; }
  const LeafSet& leaves() const { return leaves_; }
  const Table& table() const { return table_; }

 private:
  struct Asked {
    NodeId node;
    unsigned times = 1;
    CONCH_FIELDS(Asked, node, times)
  };
  struct Suspect {
    NodeId node;
    unsigned probes = 0;
    CONCH_FIELDS(Suspect, node, probes)
  };
  static constexpr unsigned asks_max = 3;
  static constexpr std::size_t suspects_max = 16;
  static constexpr unsigned probes_max = 32;

  std::optional<NodeId> hop(Key key, std::optional<NodeId> except) const {
    return Table::hop(self_, stays(), key, leaves_, table_, except);
  }
  void hear(NodeId node, Out& out);
  void consider(const Nodes& candidates, Out& out);
  /// Whether it was not asked already, perhaps before what we want to know has happened.
  bool ask(NodeId node, Out& out);
  bool forget_question(NodeId node);
  void probe(NodeId node, Out& out) { out.send(node, Probe{leaves_.nodes(), round_}); }
  void lose(NodeId node, Out& out);
  void mend(Out& out);
  FlatSet<NodeId> next_on_either_side() const;
  void begin_round(Out& out);
  void continue_round(Out& out);
  void lease_ends(TimerId timer);
  void seek(Key key, Out& out);
  void knock(Out& out);
  void settle(Out& out);
  void exchange(Out& out);
  void ask_again(Out& out);
  void say_farewell(Out& out);
  void remember_suspect(NodeId node);
  bool suspected(NodeId node) const;
  void arm(TimerId timer, Duration about, Out& out) const {
    out.arm(timer, about * 3 / 4, about * 5 / 4);
  }

  NodeId self_;
  Upkeep upkeep_;
  Phase phase_ = Phase::member;
  bool welcomed_ = false;
  /// A leaf was lost, and who knows the next one has not been asked since.
  bool torn_ = false;
  /// Counts the exchanges: whose turn it is.
  std::uint32_t turn_ = 0;
  LeafSet leaves_;
  Table table_;
  std::vector<Asked> asked_;
  std::vector<Suspect> suspects_;
  Nodes contacts_;
  /// The lease on its keys: the number of the last round of probes, whether it is still open, and
  /// who has answered it.
  bool has_lease_ = true;
  std::uint32_t round_ = 0;
  bool round_open_ = false;
  FlatSet<NodeId> answered_;

 public:
  CONCH_FIELDS(RingMember, self_, phase_, welcomed_, torn_, turn_, leaves_, table_, asked_,
               suspects_, contacts_, has_lease_, round_, round_open_, answered_)
};

}  // namespace conch::overlay
