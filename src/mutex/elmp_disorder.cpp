// Checks ELMP's global invariants, with all members in view and nothing in flight.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/print.hpp"
#include "mutex/elmp.hpp"

namespace conch {

using namespace elmp;

namespace {

using Names = std::map<NodeId, const Elmp*>;

/// The least height of a tree of this many nodes.
std::size_t least_height(std::size_t nodes, std::size_t order) {
  std::size_t height = 0;
  for (std::size_t room = 1, layer = 1; room < nodes; ++height) room += layer *= order;
  return height;
}

}  // namespace

/// Walks the tree and the list once and reports the first fault.
class Elmp::Inspection {
 public:
  explicit Inspection(const std::vector<const Elmp*>& members) : members_(members) {
    for (const Elmp* member : members) by_name_[member->self_] = member;
  }

  std::string run() {
    if (members_.empty()) return "";
    for (const Elmp* member : members_) look_at(*member);
    if (root_ == nullptr) return wrong("there is no root");
    std::size_t height = 0;
    std::size_t nodes = walk(*root_, 0, height);
    if (nodes != members_.size())
      wrong(std::to_string(nodes) + " of " + std::to_string(members_.size()) +
            " members hang on the root");
    check_height(height);
    check_list();
    return what_;
  }

 private:
  std::string wrong(std::string what) {
    if (what_.empty()) what_ = std::move(what);
    return what_;
  }
  static std::string name(const Elmp& member) { return print(member.self_); }

  void look_at(const Elmp& member) {
    if (member.lock_ || member.change_ || !member.queue_.empty() || !member.recalled_.empty()) {
      if (member.refused_.empty()) wrong(name(member) + " is locked, or keeps somebody waiting");
    }
    if (member.children_.size() > member.tuning_.order)
      wrong(name(member) + " has " + std::to_string(member.children_.size()) + " children");
    if (member.parent_) {
      if (member.ledger_) wrong(name(member) + " has a parent and the root's ledger");
      return;
    }
    if (root_ != nullptr) wrong(name(*root_) + " and " + name(member) + " are roots");
    if (!member.ledger_) wrong(name(member) + " is a root without a ledger");
    root_ = &member;
  }

  std::size_t walk(const Elmp& member, std::size_t depth, std::size_t& height) {
    height = std::max(height, depth);
    std::size_t nodes = 1;
    if (depth > members_.size()) return nodes;  // a cycle: the node count will be wrong
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    for (const Child& child : member.children_) {
      auto found = by_name_.find(child.node);
      if (found == by_name_.end()) {
        wrong(name(member) + " has a child " + print(child.node) + " that is not a member");
        continue;
      }
      const Elmp& below = *found->second;
      if (below.parent_ != member.self_ || below.epoch_ != child.epoch)
        wrong(name(member) + " has a child " + name(below) + " that does not know it");
      std::size_t weight = walk(below, depth + 1, height);
      if (weight != child.weight)
        wrong(name(below) + " weighs " + std::to_string(weight) + ", not " +
              std::to_string(child.weight));
      least = std::min(least, child.weight);
      most = std::max(most, child.weight);
      nodes += weight;
    }
    if (member.children_.size() < member.tuning_.order) least = 0;
    if (member.tuning_.balance == Balance::order && most > least + 1)
      wrong("the children of " + name(member) + " weigh from " + std::to_string(least) + " to " +
            std::to_string(most));
    return nodes;
  }

  void check_height(std::size_t height) {
    std::size_t nodes = members_.size();
    const Tuning& tuning = root_->tuning_;
    if (tuning.balance == Balance::order && height != least_height(nodes, tuning.order))
      wrong("the tree of " + std::to_string(nodes) + " is " + std::to_string(height) +
            " high, not " + std::to_string(least_height(nodes, tuning.order)));
    double bound = Elmp::alpha * std::log2(2.0 * static_cast<double>(nodes)) + 2;
    if (tuning.balance == Balance::lazy && static_cast<double>(height) > bound)
      wrong("the tree of " + std::to_string(nodes) + " is " + std::to_string(height) + " high");
  }

  const PlaceList::Place* place(const Seat& seat) const {
    auto host = by_name_.find(seat.node);
    if (host == by_name_.end()) return nullptr;
    const auto& places = host->second->line_.places();
    auto found = std::find_if(places.begin(), places.end(), [&](const PlaceList::Place& each) {
      return each.number == seat.place;
    });
    return found == places.end() ? nullptr : &*found;
  }

  /// Checks that the list runs from the token to the last place, at the root, and has no other
  /// places.
  void check_list() {
    std::size_t places = 0;
    std::optional<Seat> seat;
    for (const Elmp* member : members_) {
      places += member->line_.places().size();
      for (const PlaceList::Place& each : member->line_.places())
        if (each.token) seat = Seat{member->self_, each.number};
    }
    std::optional<Seat> before;
    std::optional<Seat> last;
    for (; seat && places > 0; --places) {
      const PlaceList::Place* each = place(*seat);
      if (each == nullptr) {
        wrong("the list leads to " + print(*seat) + ", a place that is not");
        return;
      }
      if (each->ahead != before) wrong(print(*seat) + " does not know who is ahead");
      bool over = !each->wish && each->next;
      if (over) wrong(print(*seat) + " is over and stands between two others");
      before = last = seat;
      seat = each->next;
    }
    if (places > 0 || seat) wrong("the list does not hold every place");
    if (!last || last->node != root_->self_) wrong("the last place is not at the root");
  }

  const std::vector<const Elmp*>& members_;
  Names by_name_;
  const Elmp* root_ = nullptr;
  std::string what_;
};

std::string Elmp::disorder(const std::vector<const Elmp*>& members) {
  return Inspection(members).run();
}

}  // namespace conch
