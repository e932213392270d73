#include "mutex/elmp.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace conch {

using namespace elmp;

namespace {

constexpr TimerId retry{0};

/// Where a node stands in a balanced tree of all members, with the home at its root.
struct Spot {
  std::optional<NodeId> parent;
  std::vector<Child> children;
};

/// Everybody but the root is dealt out evenly among its children, and so on below.
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
  std::size_t root = 0;
  std::size_t below = members.size() - 1;
  while (true) {
    std::size_t first = root + 1;
    std::size_t next_root = root;
    std::size_t next_below = 0;
    spot.children.clear();
    for (std::size_t i = 0; i < start.tuning.order && i < below; ++i) {
      std::size_t weight = below / start.tuning.order + (i < below % start.tuning.order ? 1 : 0);
      spot.children.push_back({at(first), 0, weight});
      if (first <= mine && mine < first + weight) {
        next_root = first;
        next_below = weight - 1;
      }
      first += weight;
    }
    if (mine == root) return spot;
    spot.parent = at(root);
    root = next_root;
    below = next_below;
  }
}

Ledger first_ledger(const Assignment& start) { return {start.baton.fence, 1}; }

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

/// A request that has no place yet goes on to the root, which waits for no holder, and gives its
/// place back there.
void Elmp::cancel(Out& out) {
  CONCH_EXPECT(wish_ && !line_.inside(), "a waiter cancels");
  wish_.reset();
  line_.withdraw(out);
  out.withdrawn();
}

// Operations: the path to the root is locked, from below.

void Elmp::begin(Task task, std::optional<NodeId> newcomer, Out& out) {
  clock_ = Stamp{clock_.value + 1};
  queue_.push_back({{{self_, ++operations_}, task, clock_, newcomer}, self_});
  serve(out);
}

/// Lets the oldest that waits here go on.
void Elmp::serve(Out& out) {
  while (!lock_ && !queue_.empty()) {
    auto oldest = std::min_element(queue_.begin(), queue_.end(), older);
    lock_ = Locked{oldest->operation, oldest->child};
    queue_.erase(oldest);
    if (parent_) return out.send(*parent_, Lock{lock_->operation, epoch_});
    execute(out);
  }
}

void Elmp::receive(NodeId from, const Lock& m, Out& out) {
  clock_ = std::max(clock_, m.operation.stamp);
  auto known = std::find_if(children_.begin(), children_.end(), [&](const Child& each) {
    return each.node == from && each.epoch == m.epoch;
  });
  if (known == children_.end()) return;  // sent to the one who was here before; it will be repeated
  if (std::erase(recalled_, m.operation.id) > 0)
    return out.send(m.operation.id.origin, Recalled{m.operation.id});
  wait_here(m.operation, from, out);
}

void Elmp::wait_here(const Operation& operation, NodeId child, Out& out) {
  if (lock_ && tuning_.without == Without::queue) return out.send(child, Refuse{operation.id});
  queue_.push_back({operation, child});
  serve(out);
}

void Elmp::receive(NodeId, const Refuse& m, Out& out) {
  CONCH_EXPECT(locked_by(m.operation), "what was refused had locked its path");
  if (lock_->from == self_) {
    refused_.push_back(lock_->operation);
    out.arm(retry, tuning_.back_off / 2, tuning_.back_off + tuning_.back_off / 2);
  } else {
    out.send(lock_->from, m);
  }
  unlock(out);
}

void Elmp::timer(TimerId, Out& out) {
  for (const Operation& operation : std::exchange(refused_, {}))
    queue_.push_back({operation, self_});
  serve(out);
}

/// The root is locked: nobody else changes the tree now.
void Elmp::execute(Out& out) {
  const Operation operation = lock_->operation;
  switch (operation.task) {
    case Task::request:
      if (operation.id.origin != self_) return swap(out);
      asking_ = false;
      lock_.reset();
      if (wish_ && !line_.wanted()) line_.enqueue(*wish_, *ledger_, out);
      return;
    case Task::join: return seat(operation, out);
    case Task::leave: return pick(operation, out);
  }
}

bool Elmp::locked_by(const OperationId& operation) const {
  return lock_ && lock_->operation.id == operation;
}

void Elmp::unlock(Out& out) {
  lock_.reset();
  serve(out);
}

/// From the origin to the root.
void Elmp::unlock_path(Out& out) {
  if (parent_) out.send(*parent_, Unlock{lock_->operation.id});
  unlock(out);
}

void Elmp::receive(NodeId, const Unlock& m, Out& out) {
  CONCH_EXPECT(locked_by(m.operation), "a path is unlocked that was locked");
  unlock_path(out);
}

// A requester and the root change places.

/// Whoever waits here for them will be announced to their new parent.
std::vector<Child> Elmp::give_up_children() {
  std::erase_if(queue_, [&](const Waiting& waiting) { return waiting.child != self_; });
  return std::exchange(children_, {});
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
  out.send(requester, Swap{operation.id, give_up_children(),
                           *std::exchange(ledger_, std::nullopt), ++epoch_, std::move(admission)});
  parent_ = requester;
  change_ = Change{Role::old_root, operation, {}, !adjacent, true};
  if (!adjacent) out.send(lock_->from, Free{operation.id, self_, epoch_});
  line_.settle_all(out);
}

void Elmp::receive(NodeId from, const Swap& m, Out& out) {
  CONCH_EXPECT(locked_by(m.operation), "the root answers who has locked its path");
  bool adjacent = parent_ == from && tuning_.without != Without::adjacency;
  std::vector<Child> mine = give_up_children();
  if (tuning_.without == Without::handover) mine.clear();
  out.send(from, Swapped{m.operation, std::move(mine), adjacent ? self_ : *parent_});
  children_ = m.children;
  if (adjacent) {
    child(self_).epoch = m.epoch;
    child(self_).node = from;
  }
  parent_.reset();
  ledger_ = m.ledger;
  asking_ = false;
  change_ = Change{Role::new_root, lock_->operation, {from}, false, false};
  adopt_all({from}, out);
  line_.take(m.admission, wish_, *ledger_, out);
  if (tuning_.without == Without::confirmation) {
    change_.reset();
    unlock(out);
  }
}

void Elmp::adopt_all(const std::vector<NodeId>& but, Out& out) {
  for (Child& each : children_) {
    if (std::find(but.begin(), but.end(), each.node) != but.end()) continue;
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
  bool waits = lock_ && lock_->operation.id != m.operation;
  if (tuning_.without == Without::announcement) waits = false;
  out.send(from, Adopted{m.operation, waits ? std::optional(lock_->operation) : std::nullopt});
}

void Elmp::receive(NodeId from, const Adopted& m, Out& out) {
  if (m.waiting) {
    bool known = std::any_of(queue_.begin(), queue_.end(), [&](const Waiting& each) {
      return each.operation.id == m.waiting->id;
    });
    if (!known) wait_here(*m.waiting, from, out);
  }
  if (!change_) return;
  change_->unconfirmed.erase(from);
  conclude(out);
}

/// Down the path from the old root; the last one has the old root as its child now.
void Elmp::receive(NodeId, const Free& m, Out& out) {
  CONCH_EXPECT(locked_by(m.operation), "a path is unlocked that was locked");
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

void Elmp::receive(NodeId from, const Done&, Out& out) {
  if (!change_) return;  // only without confirmation
  change_->unconfirmed.erase(from);
  conclude(out);
}

/// Unlocks the node when all it was waiting for is confirmed.
void Elmp::conclude(Out& out) {
  if (!change_->unconfirmed.empty() || change_->path || change_->position) return;
  const Change change = *std::exchange(change_, std::nullopt);
  switch (change.role) {
    case Role::new_root: break;
    case Role::old_root:
      out.send(change.operation.id.origin, Done{change.operation.id});
      break;
    case Role::replacement: out.send(change.operation.id.origin, Taken{}); break;
  }
  unlock(out);
}

// The list.

void Elmp::receive(NodeId, const elmp::Token& m, Out& out) {
  line_.receive(m, out);
  depart(out);
}
void Elmp::receive(NodeId, const Clear& m, Out& out) { line_.receive(m, out); }
void Elmp::receive(NodeId from, const Splice& m, Out& out) { line_.receive(from, m, out); }
void Elmp::receive(NodeId from, const Spliced& m, Out& out) {
  line_.receive(from, m, out);
  depart(out);
}
void Elmp::receive(NodeId, const Ahead& m, Out& out) { line_.receive(m, out); }

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
