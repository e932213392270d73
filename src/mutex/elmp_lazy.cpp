// ELMP in lazy mode: rebuilds a subtree that has become too high.
#include <cmath>
#include <utility>

#include "mutex/elmp.hpp"
#include "mutex/elmp_shares.hpp"

namespace conch {

using namespace elmp;

std::uint64_t Elmp::weight() const {
  std::uint64_t sum = 1;
  for (const Child& each : children_) sum += each.weight;
  return sum;
}

/// Whether a newcomer is too deep for so few nodes, or so many have left that the whole tree may be
/// too high for the rest.
bool Elmp::out_of_shape(const Growth& growth) const {
  if (!lazy()) return false;
  double bound = alpha * std::log2(static_cast<double>(weight()));
  return static_cast<double>(growth.depth) > bound ||
         (ledger_ && 2 * ledger_->departures > weight());
}

void Elmp::rebuild(const Growth& growth, Out& out) {
  CONCH_EXPECT(lock_, "only a locked path is rebuilt");
  change_ = Change{Role::scapegoat, lock_->operation, {}, false, true, {}, growth};
  collect(out);
}

void Elmp::collect(Out& out) {
  for (const Child& each : children_) {
    change_->unconfirmed.insert(each.node);
    out.send(each.node, Collect{change_->operation});
  }
  report(out);
}

/// Drops the operations of others that wait here: they came from below and begin again there.
void Elmp::receive(NodeId from, const Collect& m, Out& out) {
  if (lock_ && lock_->from == self_) queue_.push_back({lock_->operation, self_});
  lock_ = Locked{m.operation, from};
  change_ = Change{Role::rebuilt, m.operation, {}, false, true, {}, {}};
  collect(out);
}

void Elmp::receive(NodeId from, const Report& m, Out& out) {
  CONCH_EXPECT(change_, "only a node that collects gets reports");
  change_->unconfirmed.erase(from);
  change_->below.insert(change_->below.end(), m.nodes.begin(), m.nodes.end());
  report(out);
}

void Elmp::report(Out& out) {
  if (!change_->unconfirmed.empty()) return;
  std::vector<Collected> nodes = std::exchange(change_->below, {});
  if (change_->role == Role::scapegoat) return deal_out(nodes, out);
  nodes.push_back({self_, epoch_});
  out.send(parent(), Report{std::move(nodes)});
}

/// Deals the nodes out evenly among the children, each of which deals out its part in turn.
void Elmp::deal_out(const std::vector<Collected>& nodes, Out& out) {
  stop_waiting_for_children();
  change_->position = false;
  children_.clear();
  for (const Share& share : shares({0, nodes.size() + 1}, tuning_.order)) {
    auto first = nodes.begin() + static_cast<std::ptrdiff_t>(share.first - 1);
    auto last = first + static_cast<std::ptrdiff_t>(share.weight);
    children_.push_back({first->node, first->epoch + 1, share.weight});
    change_->unconfirmed.insert(first->node);
    out.send(first->node, Assign{first->epoch + 1, {first + 1, last}});
  }
  dealt_out(out);
}

/// Our new parent already knows us, so we may go on. The tree stays as it is until all are placed.
void Elmp::receive(NodeId from, const Assign& m, Out& out) {
  CONCH_EXPECT(change_ && change_->position, "a collected node is placed once");
  parent_ = from;
  epoch_ = m.epoch;
  deal_out(m.below, out);
  unlock(out);
}

void Elmp::receive(NodeId from, const Assigned&, Out& out) {
  CONCH_EXPECT(change_, "only a node that deals is answered");
  change_->unconfirmed.erase(from);
  dealt_out(out);
}

/// Once every node below has a position, unlocks the path above. This subtree is not too high any
/// more.
void Elmp::dealt_out(Out& out) {
  if (!change_->unconfirmed.empty()) return;
  Change change = *std::exchange(change_, std::nullopt);
  if (change.role == Role::rebuilt) return out.send(parent(), Assigned{});
  if (ledger_) ledger_->departures = 0;
  change.growth.depth = 0;
  unlock_path(change.growth, out);
}

}  // namespace conch
