// ELMP: exclusive locks for mobile processes. A token, a list of those who wait, and a balanced
// tree of all members, in which any of them may join or leave while the token moves.
//
// Source: Hernane, Gustedt, Benyettou 2015 (RR-8690), sections 3 and 4, corrected: algorithms 1 and
// 2 do not run as printed. tuning.hpp lists the corrections; each has a specimen without it.
//
// Assumes reliable channels; they need not be FIFO.
//
// State: `parent` and `children` are the tree. The root is whoever asked last and hosts the last
// place of the list (elmp_line.hpp). A request climbs to the root, and the two change places.
//
// Whoever changes the tree, an *operation*, first locks its path to the root, from below. At a busy
// node it waits; the oldest goes first. Locks are only ever asked of the parent of a locked node,
// so nobody waits in a circle, and who has locked the root is alone. It unlocks the root last, when
// nothing else of its path is locked. Children belong to the position in the tree, and move with
// it. What a child sent to the one who was there before is recognized by its epoch; the child says
// it again to its new parent.
//
//   LOCK(operation, epoch)       towards the root
//   SWAP(position of the root)   root to requester: you are the root now; and its last place
//   SWAPPED(position)            requester to old root: and this is your place
//   ADOPT(epoch)                 to a child: I am your parent now
//   ADOPTED(operation)           I know; and this is what I am waiting for
//   FREE(root, epoch)            down the locked path: unlocked; the last one's child is now the
//                                old root, who is told: FREED
//   DONE                         old root to new root: everything is unlocked
//
// A newcomer asks any member, which takes one in at a time. From the root down, it goes where the
// fewest are.
//
//   KNOCK, DECLINE               let me in; not through me, I leave
//   WALK(operation, place)       towards the lightest child
//   WELCOME(epoch, place)        I am your parent; places up to this one are none of yours
//   ARRIVED                      to the one who was asked: I am in
//   UNLOCK                       up the locked path
//
// A leaver is replaced by a leaf, taken where the most are, so that the tree stays balanced. If the
// leaf is waiting for a path of its own, it takes that back first. The last member waits for
// whoever is on the roster and will knock.
//
//   PICK(operation)              towards the heaviest child; the leaf replaces the leaver
//   RECALL, RECALLED             up a path that is being locked: forget it; forgotten
//   DETACH, DETACHED             leaf to its parent: I move
//   TAKE, POSITION               leaf to leaver: I am ready; this is your place
//   REPLACE(epoch), REPLACED     to the parent: I am your child instead of the leaver
//   TAKEN                        leaf to leaver: you may go
//
// In lazy mode a newcomer goes below the one it asked, and a leaver is replaced from its own
// subtree. The path learns how its subtrees have grown, and the first on it that finds the newcomer
// too deep, a scapegoat, rebuilds what is below it; so does the root after many have left.
//
//   COLLECT, REPORT(nodes)       to all below: stop, and tell me who you are
//   ASSIGN(nodes), ASSIGNED      these are below you now; they know
//
// Without its queue (`elmp-trylock`, the report's own rule) a busy node refuses and the requester
// tries again after a while: REFUSE, down the path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "mutex/elmp_line.hpp"
#include "mutex/elmp_messages.hpp"

namespace conch {

class Elmp {
 public:
  using Message = elmp::Message;
  using Token = elmp::Token;
  using Out = elmp::Out;

  static constexpr About about{
      .name = "elmp",
      .family = "token",
      .source = "Hernane, Gustedt, Benyettou 2015",
      .messages = "0 or 2 log N + 6",
      .client_delay = "O(log N)",
      .sync_delay = "1",
  };

  Elmp(NodeId self, const Assignment& start);

  void request(Out& out) { request(Wish{}, out); }
  void request(const Wish& wish, Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);

  void join(NodeId contact, Out& out);
  void leave(Out& out);
  void roster(const Members& members, Out& out);
  void timer(TimerId timer, Out& out);

  void receive(NodeId from, const elmp::Lock& m, Out& out);
  void receive(NodeId from, const elmp::Swap& m, Out& out);
  void receive(NodeId from, const elmp::Swapped& m, Out& out);
  void receive(NodeId from, const elmp::Adopt& m, Out& out);
  void receive(NodeId from, const elmp::Adopted& m, Out& out);
  void receive(NodeId from, const elmp::Free& m, Out& out);
  void receive(NodeId from, const elmp::Freed& m, Out& out);
  void receive(NodeId from, const elmp::Done& m, Out& out);
  void receive(NodeId from, const elmp::Unlock& m, Out& out);
  void receive(NodeId from, const elmp::Refuse& m, Out& out);

  void receive(NodeId from, const elmp::Knock& m, Out& out);
  void receive(NodeId from, const elmp::Decline& m, Out& out);
  void receive(NodeId from, const elmp::Walk& m, Out& out);
  void receive(NodeId from, const elmp::Welcome& m, Out& out);
  void receive(NodeId from, const elmp::Arrived& m, Out& out);

  void receive(NodeId from, const elmp::Pick& m, Out& out);
  void receive(NodeId from, const elmp::Recall& m, Out& out);
  void receive(NodeId from, const elmp::Recalled& m, Out& out);
  void receive(NodeId from, const elmp::Detach& m, Out& out);
  void receive(NodeId from, const elmp::Detached& m, Out& out);
  void receive(NodeId from, const elmp::Take& m, Out& out);
  void receive(NodeId from, const elmp::Position& m, Out& out);
  void receive(NodeId from, const elmp::Replace& m, Out& out);
  void receive(NodeId from, const elmp::Replaced& m, Out& out);
  void receive(NodeId from, const elmp::Taken& m, Out& out);

  void receive(NodeId from, const elmp::Collect& m, Out& out);
  void receive(NodeId from, const elmp::Report& m, Out& out);
  void receive(NodeId from, const elmp::Assign& m, Out& out);
  void receive(NodeId from, const elmp::Assigned& m, Out& out);

  void receive(NodeId from, const elmp::Token& m, Out& out);
  void receive(NodeId from, const elmp::Clear& m, Out& out);
  void receive(NodeId from, const elmp::Splice& m, Out& out);
  void receive(NodeId from, const elmp::Spliced& m, Out& out);
  void receive(NodeId from, const elmp::Ahead& m, Out& out);

  bool holds_token() const { return line_.holds_token(); }
  /// Whoever is behind a reader may be one, too: only the last in the line knows that nobody waits.
  bool may_be_wanted() const { return line_.has_next(); }

  /// What is wrong with tree, list, weights or height while nothing is on its way; or nothing.
  static std::string disorder(const std::vector<const Elmp*>& members);

  /// The lock manager's states of the report, table 1.
  enum class Activity : std::uint8_t { idle, requesting, busy, blocked, exiting };
  Activity activity() const;

 private:
  class Inspection;
  /// In lazy mode a tree may be so many times as high as a balanced binary one.
  static constexpr double alpha = 1.5;

  /// The operation that has locked this node, and the child it came from; the node itself at its
  /// origin.
  struct Locked {
    elmp::Operation operation;
    NodeId from;
    CONCH_FIELDS(Locked, operation, from)
  };

  /// Part of a change of the tree: what must be confirmed before the node is unlocked.
  enum class Role : std::uint8_t { new_root, old_root, replacement, scapegoat, rebuilt };
  friend std::string_view word(Role role) {
    switch (role) {
      case Role::new_root: return "new_root";
      case Role::old_root: return "old_root";
      case Role::replacement: return "replacement";
      case Role::scapegoat: return "scapegoat";
      case Role::rebuilt: return "rebuilt";
    }
    return "?";
  }
  struct Change {
    Role role = Role::new_root;
    elmp::Operation operation;
    FlatSet<NodeId> unconfirmed;
    /// Of the old root: its path is not free yet.
    bool path = false;
    /// It does not have its new place yet.
    bool position = false;
    /// Of a scapegoat: who is below, and what the path above it is to learn.
    std::vector<elmp::Collected> below;
    elmp::Growth growth;
    CONCH_FIELDS(Change, role, operation, unconfirmed, path, position, below, growth)
  };

  enum class Stage : std::uint8_t { staying, leaving, lingering, out, gone };
  friend std::string_view word(Stage stage) {
    switch (stage) {
      case Stage::staying: return "staying";
      case Stage::leaving: return "leaving";
      case Stage::lingering: return "lingering";
      case Stage::out: return "out";
      case Stage::gone: return "gone";
    }
    return "?";
  }

  std::optional<Wish> unserved_wish() const;

  // Operations.
  void begin(elmp::Task task, std::optional<NodeId> newcomer, Out& out);
  void serve(Out& out);
  void execute(Out& out);
  void wait_here(const elmp::Operation& operation, NodeId from, Out& out);
  void try_later(const elmp::Operation& operation, Out& out);
  void unlock(Out& out);
  void unlock_path(const elmp::Growth& growth, Out& out);
  bool locked_by(const elmp::OperationId& operation) const;
  /// The report's own rule, for those that compare with it.
  bool refuses() const {
    return tuning_.without == Without::queue || tuning_.without == Without::retry ||
           tuning_.without == Without::track_back;
  }

  // Changing places.
  void swap(Out& out);
  void adopt_all(std::optional<NodeId> but, Out& out);
  void confirm(NodeId from, Out& out);
  void conclude(Out& out);

  // Joining and leaving.
  void knock(NodeId than, Out& out);
  void welcome_next(Out& out);
  void seat(const elmp::Walk& walk, Out& out);
  void pick(const elmp::Operation& operation, Out& out);
  void replace(const elmp::Operation& operation, Out& out);
  void last_leaves(Out& out);
  void out_of_tree(std::optional<NodeId> replacement, Out& out);
  void depart(Out& out);
  bool alone() const { return ledger_ && children_.empty(); }
  bool others_on_roster() const { return members_.size() > 1; }

  // Rebuilding, in lazy mode.
  bool lazy() const { return tuning_.balance == Balance::lazy; }
  std::uint64_t weight() const;
  bool out_of_shape(const elmp::Growth& growth) const;
  void rebuild(const elmp::Growth& growth, Out& out);
  void collect(Out& out);
  void report(Out& out);
  void deal_out(const std::vector<elmp::Collected>& nodes, Out& out);
  void dealt_out(Out& out);

  NodeId parent() const;
  elmp::Child& child(NodeId node);
  std::vector<elmp::Child> give_up_children();
  void stop_waiting_for_children();
  void decline_all_but_first(Out& out);

  NodeId self_;
  Tuning tuning_;
  Members members_;
  bool member_ = true;
  /// Whom we asked to let us in.
  std::optional<NodeId> contact_;

  // The position in the tree.
  std::optional<NodeId> parent_;
  std::uint64_t epoch_ = 0;
  std::vector<elmp::Child> children_;
  std::vector<elmp::Waiting> queue_;
  /// At the root.
  std::optional<elmp::Ledger> ledger_;

  std::optional<Locked> lock_;
  std::optional<Change> change_;
  Stamp clock_;
  std::uint64_t operations_ = 0;
  /// Operations that were recalled before they came.
  std::vector<elmp::OperationId> recalled_;
  /// Those of ours that were refused.
  std::vector<elmp::Operation> refused_;

  std::optional<Wish> wish_;
  /// A request of ours is on its way to the root, perhaps one that we do not want any more.
  bool asking_ = false;
  /// Newcomers that asked us; the first is being let in.
  std::vector<NodeId> knocking_;
  Stage stage_ = Stage::staying;

  elmp::Line line_;

 public:
  CONCH_FIELDS(Elmp, self_, member_, contact_, members_, parent_, epoch_, children_, queue_,
               ledger_, lock_, change_, clock_, operations_, recalled_, refused_, wish_, asking_,
               knocking_, stage_, line_)
};

}  // namespace conch
