// A node's membership in a ring of keys: how it joins, maintains its neighbours and leaves. Pastry
// and Chord share this code; they differ in their tables and in the root of a key.
//
// Source: the join, the probes and the repair are those of MSPastry [Castro 2004],
// which are also Chord's stabilisation [Stoica 2001]: a probe notifies, its answer names the
// neighbours.
//
// Assumes nothing about channels: messages may be late, lost, duplicated or reordered. The world
// reports which nodes it believes dead; it should watch the `neighbours` and report those it cannot
// reach. It may be wrong.
//
// State: the `phase`, the `leaves` and the `table`; the nodes `asked` that have not answered;
// `suspects`, which are not asked on hearsay; `contacts` through which to join, and to greet.
//
//   JOIN(newcomer, ...)  towards the newcomer's place; each node on the way adds rows of its table
//   WELCOME(leaves, contacts)  from the root of that place
//   PROBE(leaves, round)   here are my leaves, send me yours; makes the sender a neighbour
//   ANSWER(leaves, round)  the same in return, and the round of the probe
//   FAREWELL(leaves)     I leave; these remain. The sender only forwards from now on
//   PARTED               acknowledges FAREWELL: you are no longer my neighbour
//   SEEK(origin, key)    towards the key, whose root answers FOUND: fills a slot of the table
//
// No node becomes a neighbour by hearsay: a node that others name is asked first. So dead nodes are
// not passed around, and a neighbour knows that it is one.
//
// When a root moves, the old one stops before the new one starts:
// - A newcomer is the root of no key until it has `joined`, that is, until every leaf it learned of
//   has answered. The old root of its keys stopped acting for them in the call that gave that
//   answer. In between, messages for them wait at the newcomer (Router).
// - A leaver stops in the call of `leave`, and its neighbours start when they hear of it.
// - A crashed node's keys pass to its neighbours when they are told to suspect it.
// So as long as no node is suspected wrongly, and messages between neighbours are not lost, a key
// never has two roots. It may have none for a while. A ring that falls apart has two roots for each
// key; nodes that remember suspects in the other part keep asking them, and the two parts merge
// again, as they do by a `join` across.
//
// With leases enabled, a root has a lease on its keys. In each exchange it probes the next node on
// either side. When both have answered, its lease runs from when it sent the probes: a node that
// answers has it as a neighbour, and so does not act for its keys. A node that was stopped, or that
// its neighbours gave up, stops acting for any key when the lease runs out, and resumes when both
// have answered again. So two nodes act for one key for less than a lease, unless the ring falls
// apart.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/flat_set.hpp"
#include "overlay/leaf_set.hpp"
#include "overlay/protocol_policy.hpp"
#include "overlay/ring_ids.hpp"

namespace conch::overlay {

/// Latency from this node to another, in worlds that know all of them.
using Latency = std::function<Duration(NodeId)>;

struct Upkeep {
  /// Interval of the regular exchange with the leaves. Zero disables it, for worlds that lose no
  /// message between live nodes and report unreachable ones.
  Duration exchange = Duration::zero();
  /// Repeats a question after this long without an answer.
  Duration retry = std::chrono::seconds(1);
  /// How long a node acts for its keys after it probed its neighbours; zero means for ever.
  Duration lease = Duration::zero();
  CONCH_FIELDS(Upkeep, exchange, retry, lease)
};
/// Settings for a ring. If its locks have leases, messages may be lost, and the ring should notice
/// a dead node within a lease. Without leases there is no regular exchange.
constexpr Upkeep upkeep_for(Duration lease) {
  using std::chrono::milliseconds;
  if (lease == Duration::zero()) return {};
  return {std::clamp<Duration>(lease / 4, milliseconds(100), milliseconds(5000)),
          std::clamp<Duration>(lease / 8, milliseconds(50), milliseconds(1000)), lease};
}

enum class RingPhase : std::uint8_t { member, joining, leaving, gone };
constexpr std::string_view word(RingPhase phase) {
  switch (phase) {
    case RingPhase::member: return "member";
    case RingPhase::joining: return "joining";
    case RingPhase::leaving: return "leaving";
    case RingPhase::gone: return "gone";
  }
  return "?";
}

template <class Table>
class RingMember {
 public:
  using Nodes = std::vector<NodeId>;
  // A message may arrive after the node that it concerns has gone, so each type allows it.
  struct Join {
    NodeId newcomer;
    unsigned hops = 0;
    /// The first row of the table that no node has added yet.
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
  /// Fires a lease after a round of probes was sent; successive rounds alternate between the two.
  static constexpr TimerId lease_timers[] = {TimerId{2}, TimerId{3}};

  /// A ring of one node.
  explicit RingMember(NodeId self, Upkeep upkeep = {})
      : self_(self), upkeep_(upkeep), leaves_(self) {}
  /// One of many members, sorted by id, that start as if all had joined long ago.
  RingMember(const RingIds& members, std::size_t place, Upkeep upkeep = {},
             const Latency& latency = {})
      : self_(members[place]),
        upkeep_(upkeep),
        leaves_(members.ids(), place),
        table_(members, place, latency) {}
  /// A member from the start, or an outsider that may join.
  RingMember(NodeId self, const Assignment& start)
      : RingMember(self, upkeep_for(start.tuning.replication.lease)) {
    upkeep_.lease = policy_of<ProtocolPolicy>(start.tuning)->root_lease(upkeep_.lease);
    if (std::optional<std::size_t> place = start.members.index_of(self))
      *this = RingMember(start.members.nodes(), *place, upkeep_);
  }

  /// This node after others have joined and left, at once; it keeps what it knows of those still
  /// there. It is at `place` of the sorted members.
  RingMember among(const RingIds& members, std::size_t place) const {
    RingMember changed(members, place, upkeep_);
    changed.table_.keep(self_, table_, members.ids());
    return changed;
  }

  /// Starts the regular exchange, if enabled. The world calls it once, first.
  void start(Out& out);
  /// Joins through this contact. May be called again with another contact if that one does not
  /// help.
  void join(NodeId contact, Out& out);
  void leave(Out& out);
  void suspect(NodeId node, Out& out);
  void timer(TimerId timer, Out& out);
  /// Records a latency that the world measured to a live node.
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
  bool stays() const { return phase_ == RingPhase::member || phase_ == RingPhase::joining; }

  NodeId self() const { return self_; }
  RingPhase phase() const { return phase_; }
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
  /// Asks the node. False if a question to it was already open, perhaps from before the event that
  /// we ask about.
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
  RingPhase phase_ = RingPhase::member;
  bool welcomed_ = false;
  /// A leaf was lost, and the node that knows the next one has not been asked since.
  bool torn_ = false;
  /// Counts the exchanges, to choose the next node to ask.
  std::uint32_t turn_ = 0;
  LeafSet leaves_;
  Table table_;
  std::vector<Asked> asked_;
  std::vector<Suspect> suspects_;
  Nodes contacts_;
  /// The lease on its keys: the number of the last round of probes, whether it is still open, and
  /// the nodes that have answered it.
  bool has_lease_ = true;
  std::uint32_t round_ = 0;
  bool round_open_ = false;
  FlatSet<NodeId> answered_;

 public:
  CONCH_FIELDS(RingMember, self_, phase_, welcomed_, torn_, turn_, leaves_, table_, asked_,
               suspects_, contacts_, has_lease_, round_, round_open_, answered_)
};

}  // namespace conch::overlay
