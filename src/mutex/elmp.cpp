#include "mutex/elmp.hpp"

#include <algorithm>
#include <utility>

#include "mutex/elmp_shares.hpp"

namespace conch {

using namespace elmp;

namespace {

constexpr TimerId retry{0};

/// A node's position in a balanced tree of all members. The home is the root.
struct Spot {
  std::optional<NodeId> parent;
  std::vector<Child> children;
};

/// Descends from the root to our own position.
Spot spot_of(NodeId self, const Assignment& start) {
  const Members& members = start.members;
  auto position = [&](NodeId node) {
    return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), node) -
                                    members.begin());
  };
  std::size_t home = position(start.home);
  auto at = [&](std::size_t rank) {  // the home first, then the others in order
    return rank == 0 ? start.home : members[rank <= home ? rank - 1 : rank];
  };
  std::size_t mine = self == start.home ? 0 : position(self) + (self < start.home ? 1 : 0);
  Spot spot;
  Share part{0, members.size()};
  while (true) {
    spot.children.clear();
    Share mine_below;
    for (const Share& share : shares(part, start.tuning.order)) {
      spot.children.push_back({at(share.first), 0, share.weight});
      if (share.first <= mine && mine < share.first + share.weight) mine_below = share;
    }
    if (mine == part.first) return spot;
    spot.parent = at(part.first);
    part = mine_below;
  }
}

Ledger first_ledger(const Assignment& start) { return {start.baton.fence, 1, 0}; }

bool older(const Waiting& a, const Waiting& b) {
  return std::pair(a.operation.stamp, a.operation.id.origin) <
         std::pair(b.operation.stamp, b.operation.id.origin);
}

}  // namespace

Elmp::Elmp(NodeId self, const Assignment& start)
    : self_(self),
      tuning_(start.tuning),
      members_(start.members),
      line_(self, start, first_ledger(start)) {
  CONCH_EXPECT(2 <= tuning_.order && tuning_.order <= 8, "a tree of order 2 to 8");
  if (!members_.contains(self)) return;
  Spot spot = spot_of(self, start);
  parent_ = spot.parent;
  children_ = std::move(spot.children);
  if (!parent_) ledger_ = first_ledger(start);
  for (Child& each : children_) each.weight = policy().weight(each.weight);
}

// The process.

void Elmp::request(const Wish& wish, Out& out) {
  CONCH_EXPECT(member_ && !wish_ && stage_ == Stage::staying, "a member that stays asks once");
  wish_ = wish;
  if (ledger_) return line_.enqueue(wish, *ledger_, out);
  if (!std::exchange(asking_, true)) begin(Task::request, {}, out);
}

void Elmp::release(const DataRef& data, Out& out) {
  wish_.reset();
  line_.release(data, out);
}

/// Our wish, unless it has a place already: we may have become the root in another way while the
/// request was on its way, and have taken the last place at once.
std::optional<Wish> Elmp::unserved_wish() const { return line_.wanted() ? std::nullopt : wish_; }

/// A request without a place still travels to the root, where it gives its place back; that waits
/// for no holder.
void Elmp::cancel(Out& out) {
  CONCH_EXPECT(wish_ && !line_.inside(), "a waiter cancels");
  wish_.reset();
  line_.withdraw(out);
  out.withdrawn();
  if (!asking_ || refused_.empty()) return;
  refused_.clear();  // only requests are here: nobody joins or leaves in this mode
  asking_ = false;
  out.disarm(retry);
}

// Operations: the path to the root is locked, from below.

void Elmp::begin(Task task, std::optional<NodeId> newcomer, Out& out) {
  clock_ = Stamp{clock_.value + 1};
  queue_.push_back({{{self_, ++operations_}, task, clock_, newcomer}, self_});
  serve(out);
}

/// Serves the oldest operation that waits here.
void Elmp::serve(Out& out) {
  while (!lock_ && !queue_.empty()) {
    auto oldest = std::min_element(queue_.begin(), queue_.end(), older);
    lock_ = Locked{oldest->operation, oldest->child};
    queue_.erase(oldest);
    if (parent_ && policy().locks_path(lock_->operation))
      return out.send(*parent_, Lock{lock_->operation, epoch_});
    execute(out);
  }
}

void Elmp::receive(NodeId from, const Lock& m, Out& out) {
  clock_ = std::max(clock_, m.operation.stamp);
  auto known = std::find_if(children_.begin(), children_.end(), [&](const Child& each) {
    return each.node == from && each.epoch == m.epoch;
  });
  if (known == children_.end()) return;  // sent to our predecessor; it will be repeated
  if (std::erase(recalled_, m.operation.id) > 0)
    return out.send(m.operation.id.origin, Recalled{m.operation.id});
  wait_here(m.operation, from, out);
}

void Elmp::wait_here(const Operation& operation, NodeId from, Out& out) {
  if (lock_ && !tuning_.queues)
    return out.send(policy().refused(from, operation.id.origin),
                    Refuse{operation.id, child(from).epoch});
  queue_.push_back({operation, from});
  serve(out);
}

void Elmp::receive(NodeId, const Refuse& m, Out& out) {
  if (m.epoch != epoch_) return;  // a former parent refused it; we have asked another since
  CONCH_EXPECT(locked_by(m.operation), "a refused operation had locked its path");
  if (lock_->from == self_) {
    try_later(lock_->operation, out);
  } else {
    out.send(lock_->from, Refuse{m.operation, child(lock_->from).epoch});
  }
  unlock(out);
}

void Elmp::try_later(const Operation& operation, Out& out) {
  if (operation.task == Task::request && !wish_) {  // the request was cancelled
    asking_ = false;
    return;
  }
  refused_.push_back(operation);
  policy().await_retry(retry, tuning_.back_off, out);
}

void Elmp::timer(TimerId, Out& out) {
  for (const Operation& operation : std::exchange(refused_, {}))
    queue_.push_back({operation, self_});
  serve(out);
}

/// With the root locked, no other operation changes the tree.
void Elmp::execute(Out& out) {
  const Operation operation = lock_->operation;
  CONCH_EXPECT(ledger_ || !policy().locks_path(operation), "the root has the ledger");
  switch (operation.task) {
    case Task::request:
      if (operation.id.origin != self_) return swap(out);
      asking_ = false;
      lock_.reset();
      if (auto wish = unserved_wish()) line_.enqueue(*wish, *ledger_, out);
      return;
    case Task::join:
      if (lazy() && operation.id.origin != self_)
        return out.send(operation.id.origin, Walk{operation, 0, ledger_->place});
      return seat({operation, 0, ledger_->place}, out);
    case Task::leave: {
      if (lazy()) ++ledger_->departures;
      if (policy().replaces_from_below(lazy()) && operation.id.origin != self_)
        return out.send(operation.id.origin, Pick{operation});
      return pick(operation, out);
    }
  }
}

bool Elmp::locked_by(const OperationId& operation) const {
  return lock_ && lock_->operation.id == operation;
}

void Elmp::unlock(Out& out) {
  lock_.reset();
  serve(out);
}

/// Unlocks the path from here up; the root comes last.
void Elmp::unlock_path(const Growth& growth, Out& out) {
  CONCH_EXPECT(lock_ || !parent_, "only a locked path is unlocked");
  if (out_of_shape(growth)) return rebuild(growth, out);
  Growth above = growth;
  if (growth.nodes != 0) above.child = self_;
  if (growth.depth > 0) ++above.depth;
  if (parent_) out.send(*parent_, Unlock{lock_->operation.id, above});
  unlock(out);
}

void Elmp::receive(NodeId, const Unlock& m, Out& out) {
  CONCH_EXPECT(locked_by(m.operation), "only a locked path is unlocked");
  if (m.growth.child) child(*m.growth.child).weight += static_cast<std::uint64_t>(m.growth.nodes);
  unlock_path(m.growth, out);
}

// A requester and the root change places.

/// The operations that waited here for the children are announced again to their new parent.
std::vector<Child> Elmp::give_up_children() {
  stop_waiting_for_children();
  return std::exchange(children_, {});
}

void Elmp::stop_waiting_for_children() {
  std::erase_if(queue_, [&](const Waiting& waiting) { return waiting.child != self_; });
}

NodeId Elmp::parent() const {
  CONCH_EXPECT(parent_, "only the root has no parent");
  return *parent_;
}

Child& Elmp::child(NodeId node) {
  auto found = std::find_if(children_.begin(), children_.end(),
                            [&](const Child& each) { return each.node == node; });
  CONCH_EXPECT(found != children_.end(), "a parent knows its children");
  return *found;
}

void Elmp::swap(Out& out) {
  const Operation operation = lock_->operation;
  NodeId requester = operation.id.origin;
  bool adjacent = lock_->from == requester;
  Admission admission = line_.admit(requester, *ledger_);
  out.send(requester, Swap{operation.id, give_up_children(), *std::exchange(ledger_, std::nullopt),
                           ++epoch_, std::move(admission)});
  parent_ = requester;
  change_ = Change{Role::old_root, operation, {}, !adjacent, true, {}, {}};
  if (!adjacent) out.send(lock_->from, Free{operation.id, self_, epoch_});
  line_.settle_all(out);
}

void Elmp::receive(NodeId from, const Swap& m, Out& out) {
  CONCH_EXPECT(locked_by(m.operation), "the root sends SWAP to a node that has locked its path");
  bool adjacent = policy().is_adjacent(parent(), from);
  std::vector<Child> mine = policy().handed_over(give_up_children());
  out.send(from, Swapped{m.operation, std::move(mine), adjacent ? self_ : parent()});
  children_ = m.children;
  if (adjacent) {
    child(self_).epoch = m.epoch;
    child(self_).node = from;
  }
  parent_.reset();
  ledger_ = m.ledger;
  asking_ = false;
  change_ = Change{Role::new_root, lock_->operation, {from}, false, false, {}, {}};
  adopt_all(from, out);
  change_->unconfirmed = policy().awaited(std::move(change_->unconfirmed));
  line_.take(m.admission, unserved_wish(), *ledger_, out);
  conclude(out);
}

void Elmp::adopt_all(std::optional<NodeId> but, Out& out) {
  for (Child& each : children_) {
    if (each.node == but) continue;
    change_->unconfirmed.insert(each.node);
    out.send(each.node, Adopt{change_->operation.id, ++each.epoch});
  }
}

void Elmp::receive(NodeId, const Swapped& m, Out& out) {
  CONCH_EXPECT(change_ && change_->position, "the old root gets its new place once");
  change_->position = false;
  children_ = m.children;
  parent_ = m.parent;
  adopt_all({}, out);
  conclude(out);
}

void Elmp::receive(NodeId from, const Adopt& m, Out& out) {
  parent_ = from;
  epoch_ = m.epoch;
  std::optional<Operation> waiting;
  if (lock_ && lock_->operation.id != m.operation) waiting = lock_->operation;
  out.send(from, Adopted{m.operation, policy().announced(waiting)});
}

void Elmp::receive(NodeId from, const Adopted& m, Out& out) {
  if (m.waiting) {
    bool known = std::any_of(queue_.begin(), queue_.end(), [&](const Waiting& each) {
      return each.operation.id == m.waiting->id;
    });
    if (!known) wait_here(*m.waiting, from, out);
  }
  confirm(from, out);
}

/// FREE travels down the path from the old root. The last node's child is now the old root.
void Elmp::receive(NodeId, const Free& m, Out& out) {
  CONCH_EXPECT(locked_by(m.operation), "only a locked path is unlocked");
  if (lock_->from == m.operation.origin) {
    Child& moved = child(m.operation.origin);
    moved.node = m.root;
    moved.epoch = m.epoch;
    out.send(m.root, Freed{m.operation});
  } else {
    out.send(lock_->from, m);
  }
  unlock(out);
}

void Elmp::receive(NodeId, const Freed&, Out& out) {
  CONCH_EXPECT(change_ && change_->path, "the old root waits for its path");
  change_->path = false;
  conclude(out);
}

void Elmp::receive(NodeId from, const Done&, Out& out) { confirm(from, out); }

void Elmp::confirm(NodeId from, Out& out) {
  if (!change_) return;
  change_->unconfirmed.erase(from);
  conclude(out);
}

/// Unlocks the node once everything it waits for is confirmed.
void Elmp::conclude(Out& out) {
  CONCH_EXPECT(change_, "a confirmation belongs to a change");
  if (!change_->unconfirmed.empty() || change_->path || change_->position) return;
  const Change change = *std::exchange(change_, std::nullopt);
  switch (change.role) {
    case Role::new_root: break;
    case Role::old_root: out.send(change.operation.id.origin, Done{change.operation.id}); break;
    case Role::replacement: out.send(change.operation.id.origin, Taken{}); break;
    case Role::scapegoat:
    case Role::rebuilt: break;
  }
  parent_ ? unlock(out) : unlock_path({}, out);
}

// The list.

void Elmp::receive(NodeId from, const elmp::Token& m, Out& out) {
  line_.receive(from, m, out);
  depart(out);
}
/// Before a newcomer is welcomed, CLEAR and AHEAD can only be meant for its former life: ignore
/// them.
void Elmp::receive(NodeId from, const Clear& m, Out& out) {
  if (member_) line_.receive(from, m, out);
}
void Elmp::receive(NodeId from, const Splice& m, Out& out) {
  line_.receive(from, m, out);
  depart(out);
}
void Elmp::receive(NodeId from, const Spliced& m, Out& out) {
  line_.receive(from, m, out);
  depart(out);
}
void Elmp::receive(NodeId from, const Ahead& m, Out& out) {
  if (!member_) return;
  line_.receive(from, m, out);
  depart(out);
}

Elmp::Activity Elmp::activity() const {
  if (change_) return Activity::blocked;
  if (!lock_) return Activity::idle;
  if (lock_->from != self_) return Activity::busy;
  switch (lock_->operation.task) {
    case Task::request: return Activity::requesting;
    case Task::join: return Activity::busy;
    case Task::leave: return Activity::exiting;
  }
  return Activity::idle;
}

}  // namespace conch
