// ELMP: joining and leaving.
#include <algorithm>
#include <utility>

#include "mutex/elmp.hpp"

namespace conch {

using namespace elmp;

namespace {

bool lighter(const Child& a, const Child& b) { return a.weight < b.weight; }

}  // namespace

// Joining.

void Elmp::join(NodeId contact, Out& out) {
  member_ = false;
  parent_.reset();
  ledger_.reset();
  children_.clear();
  contact_ = contact;
  out.send(contact, Knock{});
}

/// Asks the next node on the roster. If there is none, waits for a newcomer.
void Elmp::knock(NodeId than, Out& out) {
  contact_.reset();
  if (!others_on_roster()) return;
  NodeId next = members_.after(than);
  contact_ = next == self_ ? members_.after(self_) : next;
  out.send(*contact_, Knock{});
}

void Elmp::receive(NodeId from, const Knock&, Out& out) {
  bool stays = stage_ == Stage::staying || stage_ == Stage::lingering;
  if (!member_ || !stays) return out.send(from, Decline{});
  knocking_.push_back(from);
  if (knocking_.size() == 1) welcome_next(out);
}

void Elmp::welcome_next(Out& out) {
  if (!knocking_.empty()) begin(Task::join, knocking_.front(), out);
}

void Elmp::receive(NodeId from, const Decline&, Out& out) {
  if (contact_ == from) knock(from, out);
}

/// Walks to the lightest subtree, so that the tree stays balanced.
void Elmp::seat(const Walk& walk, Out& out) {
  const Operation& operation = walk.operation;
  CONCH_EXPECT(operation.newcomer, "a newcomer is to be seated");
  if (policy().has_room(children_.size(), tuning_.order)) {
    children_.push_back({*operation.newcomer, 1, 1});
    return out.send(*operation.newcomer, Welcome{operation.id, 1, walk.depth + 1, walk.place});
  }
  Child& lightest = *std::min_element(children_.begin(), children_.end(), lighter);
  ++lightest.weight;
  out.send(lightest.node, Walk{operation, walk.depth + 1, walk.place});
}

void Elmp::receive(NodeId, const Walk& m, Out& out) { seat(m, out); }

void Elmp::receive(NodeId from, const Welcome& m, Out& out) {
  CONCH_EXPECT(!member_, "only a newcomer is welcomed");
  member_ = true;
  contact_.reset();
  parent_ = from;
  epoch_ = m.epoch;
  line_.begin_after(m.place);
  out.send(m.operation.origin, Arrived{m.operation, m.depth});
  out.joined();
}

void Elmp::receive(NodeId from, const Arrived& m, Out& out) {
  bool expected = locked_by(m.operation) && !knocking_.empty() && knocking_.front() == from;
  CONCH_EXPECT(expected, "one newcomer is let in at a time");
  knocking_.erase(knocking_.begin());
  unlock_path(lazy() ? Growth{{}, 1, m.depth} : Growth{}, out);
  welcome_next(out);
  if (stage_ != Stage::lingering) return;
  stage_ = Stage::leaving;
  decline_all_but_first(out);
  begin(Task::leave, {}, out);
}

void Elmp::roster(const Members& members, Out& out) {
  members_ = members;
  if (!member_ && (!contact_ || !members.contains(*contact_))) knock(self_, out);
  depart(out);
}

// Leaving.

void Elmp::leave(Out& out) {
  CONCH_EXPECT(member_ && !wish_ && stage_ == Stage::staying, "a member leaves once, idle");
  stage_ = Stage::leaving;
  decline_all_but_first(out);
  begin(Task::leave, {}, out);
}

/// The first newcomer is being let in: that began before we decided to leave.
void Elmp::decline_all_but_first(Out& out) {
  for (; knocking_.size() > 1; knocking_.pop_back()) out.send(knocking_.back(), Decline{});
}

/// Takes the replacement from the heaviest subtree, so that the tree stays balanced.
void Elmp::pick(const Operation& operation, Out& out) {
  if (children_.empty()) return replace(operation, out);
  Child* heaviest = &*std::max_element(children_.begin(), children_.end(), lighter);
  if (locked_by(operation.id) && lock_->from != self_) {  // prefer the leaver, if it is a leaf
    Child& towards_leaver = child(lock_->from);
    if (towards_leaver.weight == heaviest->weight) heaviest = &towards_leaver;
  }
  --heaviest->weight;
  out.send(heaviest->node, Pick{operation});
}

void Elmp::receive(NodeId, const Pick& m, Out& out) { pick(m.operation, out); }

/// We are the leaf that replaces the leaver. Recalls our own operation, if one is in flight; it
/// begins again from the new position.
void Elmp::replace(const Operation& operation, Out& out) {
  if (alone()) return last_leaves(out);
  if (operation.id.origin == self_) return out.send(parent(), Detach{});
  std::optional<Locked> own = std::exchange(lock_, Locked{operation, self_});
  change_ = Change{Role::replacement, operation, {}, false, true, {}, {}};
  if (policy().takes_back(own.has_value())) {
    CONCH_EXPECT(own->from == self_, "a leaf is only locked for itself");
    queue_.push_back({own->operation, self_});
    return out.send(parent(), Recall{own->operation.id});
  }
  out.send(parent(), Detach{});
}

void Elmp::receive(NodeId, const Recall& m, Out& out) {
  if (locked_by(m.operation)) {
    out.send(parent(), m);
    return unlock(out);
  }
  auto waiting = std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& each) {
    return each.operation.id == m.operation;
  });
  if (waiting == queue_.end()) return recalled_.push_back(m.operation);  // it is still in flight
  queue_.erase(waiting);
  out.send(m.operation.origin, Recalled{m.operation});
}

void Elmp::receive(NodeId, const Recalled&, Out& out) { out.send(parent(), Detach{}); }

void Elmp::receive(NodeId from, const Detach&, Out& out) {
  std::erase_if(children_, [&](const Child& each) { return each.node == from; });
  out.send(from, Detached{});
}

void Elmp::receive(NodeId, const Detached&, Out& out) {
  if (change_) return out.send(change_->operation.id.origin, Take{});
  CONCH_EXPECT(lock_, "a detached node was leaving");
  out_of_tree({}, out);
}

void Elmp::receive(NodeId from, const Take&, Out& out) {
  Position position{give_up_children(), parent_, ledger_, {}};
  if (ledger_) {
    position.admission = line_.admit(from, *position.ledger);
    ledger_.reset();
  }
  out.send(from, std::move(position));
  line_.settle_all(out);
}

void Elmp::receive(NodeId from, const Position& m, Out& out) {
  CONCH_EXPECT(change_ && change_->position, "a replacement gets its new place once");
  bool is_root = !m.parent;
  CONCH_EXPECT(m.ledger.has_value() == is_root && m.admission.has_value() == is_root,
               "the root has the ledger and the last place");
  change_->position = false;
  children_ = m.children;
  parent_ = m.parent;
  ledger_ = m.ledger;
  ++epoch_;
  if (policy().adopts_children()) adopt_all({}, out);
  if (parent_) {
    change_->unconfirmed.insert(*parent_);
    out.send(*parent_, Replace{from, epoch_});
  }
  if (m.admission) line_.take(*m.admission, {}, *ledger_, out);
  conclude(out);
}

void Elmp::receive(NodeId from, const Replace& m, Out& out) {
  Child& replaced = child(m.leaver);
  replaced.node = from;
  replaced.epoch = m.epoch;
  out.send(from, Replaced{});
}

void Elmp::receive(NodeId from, const Replaced&, Out& out) { confirm(from, out); }

void Elmp::receive(NodeId from, const Taken&, Out& out) {
  CONCH_EXPECT(lock_, "a replaced node was leaving");
  out_of_tree(from, out);
}

void Elmp::out_of_tree(std::optional<NodeId> replacement, Out& out) {
  Growth growth = lazy() ? Growth{replacement, -1, 0} : Growth{};
  if (parent_) out.send(*parent_, Unlock{lock_->operation.id, growth});
  lock_.reset();
  stage_ = Stage::out;
  depart(out);
}

/// The last member has no replacement in the tree. If others are on the roster, one of them will
/// knock; if not, the token ends here.
void Elmp::last_leaves(Out& out) {
  lock_.reset();
  stage_ = Stage::lingering;
  depart(out);
}

/// Leaves once none of our places is in the list, or once the list ends with us.
void Elmp::depart(Out& out) {
  bool out_of_list = policy().is_out_of_list(line_.empty());
  bool last = policy().is_last(others_on_roster()) && line_.idle();
  if (!(stage_ == Stage::out && out_of_list) && !(stage_ == Stage::lingering && last)) return;
  stage_ = Stage::gone;
  out.left();
}

}  // namespace conch
