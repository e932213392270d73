// ELMP: exclusive locks for mobile processes. It has a token, a list of waiters, and a balanced
// tree of all members. Members may join or leave while the token moves.
//
// Source: [Hernane 2015, sections 3 and 4], corrected: algorithms 1 and
// 2 do not run as printed. elmp_policy.hpp has the corrections.
//
// Assumes reliable channels; they need not be FIFO.
//
// State: `parent` and `children` are the tree. The root is the last requester and hosts the last
// place of the list (elmp_line.hpp). A request climbs to the root, and the two change places.
//
// Every change of the tree, an *operation*, first locks the path from its origin up to the root. At
// a busy node it waits; the oldest goes first. A node asks only its parent for a lock, and only
// when it is locked itself, so there is no deadlock, and the operation that has locked the root is
// alone. It unlocks the root last, when the rest of its path is unlocked. Children belong to a
// position in the tree and move with it. A child's message to the former node in that position is
// recognized by its epoch; the child repeats it to its new parent.
//
//   LOCK(operation, epoch)       towards the root
//   SWAP(position of the root)   root to requester: you are the root now; and its last place
//   SWAPPED(position)            requester to old root: and this is your place
//   ADOPT(epoch)                 to a child: I am your parent now
//   ADOPTED(operation)           I know; and this is what I am waiting for
//   FREE(root, epoch)            down the locked path: unlocked; the last one's child is now the
//                                old root, which is told: FREED
//   DONE                         old root to new root: everything is unlocked
//
// A newcomer asks any member; a member takes in one at a time. The newcomer's request walks down
// from the root towards the lightest subtree.
//
//   KNOCK, DECLINE               let me in; not through me, I leave
//   WALK(operation, place)       towards the lightest child
//   WELCOME(epoch, place)        I am your parent; places up to this one are none of yours
//   ARRIVED                      to the member that was asked: I am in
//   UNLOCK                       up the locked path
//
// A leaver is replaced by a leaf from the heaviest subtree, so that the tree stays balanced. If the
// leaf waits for a path of its own, it first recalls that operation. The last member waits for a
// node that is on the roster and will knock.
//
//   PICK(operation)              towards the heaviest child; the leaf replaces the leaver
//   RECALL, RECALLED             up a path that is being locked: forget it; forgotten
//   DETACH, DETACHED             leaf to its parent: I move
//   TAKE, POSITION               leaf to leaver: I am ready; this is your place
//   REPLACE(epoch), REPLACED     to the parent: I am your child instead of the leaver
//   TAKEN                        leaf to leaver: you may go
//
// In lazy mode a newcomer goes below the member it asked, and a leaver is replaced from its own
// subtree. The nodes of the path learn how their subtrees have grown. The first of them that finds
// the newcomer too deep, a scapegoat, rebuilds its subtree; so does the root after many have left.
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
      .source = "[Hernane 2015]",
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
  /// The next in the list may be a reader that is inside, too: only the last one knows that nobody
  /// waits.
  bool may_be_wanted() const { return line_.has_next(); }

  /// Describes the first fault in tree, list, weights or height; empty if there is none. Call it
  /// only while nothing is in flight.
  static std::string disorder(const std::vector<const Elmp*>& members);

  /// The lock manager's states of the report, table 1.
  enum class Activity : std::uint8_t { idle, requesting, busy, blocked, exiting };
  Activity activity() const;

 private:
  class Inspection;
  /// In lazy mode the tree may be up to this many times as high as a balanced binary tree.
  static constexpr double alpha = 1.5;

  /// The operation that has locked this node, and the child it came from. At the origin of the
  /// operation that is the node itself.
  struct Locked {
    elmp::Operation operation;
    NodeId from;
    CONCH_FIELDS(Locked, operation, from)
  };

  /// This node's part in a change of the tree. The node stays locked until everything here is
  /// confirmed.
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
    /// The old root still waits for FREED: its path is locked.
    bool path = false;
    /// The old root still waits for SWAPPED, which brings its new place.
    bool position = false;
    /// A scapegoat's list of the nodes below it, and the growth it reports up the path afterwards.
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
  const elmp::ElmpPolicy& policy() const { return *policy_of<elmp::ElmpPolicy>(tuning_); }

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
  /// The member that this newcomer asked to let it in.
  std::optional<NodeId> contact_;

  // The position in the tree.
  std::optional<NodeId> parent_;
  std::uint64_t epoch_ = 0;
  std::vector<elmp::Child> children_;
  std::vector<elmp::Waiting> queue_;
  /// Only the root has it.
  std::optional<elmp::Ledger> ledger_;

  std::optional<Locked> lock_;
  std::optional<Change> change_;
  Stamp clock_;
  std::uint64_t operations_ = 0;
  /// Operations that were recalled before they arrived.
  std::vector<elmp::OperationId> recalled_;
  /// Our own operations that were refused, to be tried again.
  std::vector<elmp::Operation> refused_;

  std::optional<Wish> wish_;
  /// A request of ours is on its way to the root, even if it was cancelled since.
  bool asking_ = false;
  /// Newcomers that asked us; we are letting the first one in.
  std::vector<NodeId> knocking_;
  Stage stage_ = Stage::staying;

  elmp::PlaceList line_;

 public:
  CONCH_FIELDS(Elmp, self_, member_, contact_, members_, parent_, epoch_, children_, queue_,
               ledger_, lock_, change_, clock_, operations_, recalled_, refused_, wish_, asking_,
               knocking_, stage_, line_)
};

}  // namespace conch
