// Lock managers for tests of handles: one that is plainly right, and the algorithms of the contract
// with members that are fixed.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/contract.hpp"
#include "core/testing/dice.hpp"
#include "dho/lock_manager.hpp"

namespace conch::dho::testing {

/// What a lock manager has to say, and to whom.
using Due = std::vector<std::pair<NodeId, Effect>>;

/// One queue that everybody sees: readers together, ranges apart, otherwise first come first in.
class PlainLock {
 public:
  static constexpr bool is_shared = true;

  explicit PlainLock(const Members&) {}

  /// What is wrong with the order, or nothing.
  std::string carry_out(NodeId node, const Order& order) {
    auto place = std::find_if(queue_.begin(), queue_.end(),
                              [&](const Place& each) { return each.node == node; });
    bool queued = place != queue_.end();
    if (std::holds_alternative<Join>(order)) {
      slow_.emplace_back(node, Joined{});
    } else if (std::holds_alternative<Leave>(order)) {
      if (queued) return "one leaves who waits or holds";
      slow_.emplace_back(node, Left{});
    } else if (const auto* ask = std::get_if<Ask>(&order)) {
      if (queued) return "one asks twice";
      queue_.push_back({node, ask->wish});
    } else if (std::holds_alternative<Cancel>(order)) {
      if (!queued || place->inside || place->cancelled) return "one cancels who does not wait";
      place->cancelled = true;
    } else if (const auto* release = std::get_if<Release>(&order)) {
      if (!queued || !place->inside) return "one releases who does not hold";
      if (place->wish.mode == Mode::write) write(place->wish.range, release->data);
      queue_.erase(place);
    }
    return "";
  }

  /// Does one thing that it can do; false if there is none.
  bool step(Dice& dice) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < queue_.size(); ++i)
      if (is_ready(i)) ready.push_back(i);
    std::size_t choices = ready.size() + slow_.size();
    if (choices == 0) return false;
    std::size_t choice = dice.below(choices);
    if (choice < ready.size()) {
      serve(ready[choice]);
    } else {
      auto chosen = slow_.begin() + static_cast<std::ptrdiff_t>(choice - ready.size());
      due_.push_back(std::move(*chosen));
      slow_.erase(chosen);
    }
    return true;
  }
  Due take_due() { return std::exchange(due_, {}); }

 private:
  struct Place {
    NodeId node;
    Wish wish;
    bool inside = false;
    bool cancelled = false;
  };

  bool is_ready(std::size_t index) const {
    const Place& place = queue_[index];
    if (place.inside) return false;
    if (place.cancelled) return true;
    return std::none_of(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(index),
                        [&](const Place& earlier) { return earlier.wish.conflicts(place.wish); });
  }
  void serve(std::size_t index) {
    Place& place = queue_[index];
    if (place.cancelled) {
      due_.emplace_back(place.node, Withdrawn{});
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
      return;
    }
    place.inside = true;
    if (place.wish.mode == Mode::write) fence_ = fence_.next();
    Entered entered{Baton{fence_, parts_.front().baton.data}, {}};
    for (const Part& part : parts_)
      if (part.range.overlaps(place.wish.range))
        entered.parts.push_back({intersection(part.range, place.wish.range), part.baton});
    due_.emplace_back(place.node, std::move(entered));
  }
  void write(const Range& range, const DataRef& data) {
    std::vector<Part> parts{{range, Baton{fence_, data}}};
    for (const Part& part : parts_) {
      Range before{part.range.begin, std::min(part.range.end, range.begin)};
      Range after{std::max(part.range.begin, range.end), part.range.end};
      if (before.begin < before.end) parts.push_back({before, part.baton});
      if (after.begin < after.end) parts.push_back({after, part.baton});
    }
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.range.begin < b.range.begin; });
    parts_ = std::move(parts);
  }

  std::vector<Place> queue_;
  std::vector<Part> parts_{Part{}};
  Fence fence_{Epoch{}, 0};
  /// Comings and goings that take their time.
  Due slow_;
  Due due_;
};

/// An algorithm of the contract, with channels that are not FIFO. Its members stay; handles come
/// and go on them.
template <Exclusive A>
class Algorithmic {
 public:
  static constexpr bool is_shared = Shared<A>;

  explicit Algorithmic(const Members& members) {
    for (NodeId node : members)
      values_.emplace(node, A(node, Assignment::fresh(members, members[0])));
  }

  std::string carry_out(NodeId node, const Order& order) {
    OutboxOf<A> out;
    if (std::holds_alternative<Join>(order)) {
      slow_.emplace_back(node, Joined{});
    } else if (std::holds_alternative<Leave>(order)) {
      slow_.emplace_back(node, Left{});
    } else {
      dho::carry_out(order, values_.at(node), node, out);
    }
    absorb(node, out);
    return "";
  }
  bool step(Dice& dice) {
    std::size_t choices = in_flight_.size() + slow_.size();
    if (choices == 0) return false;
    std::size_t choice = dice.below(choices);
    if (choice < in_flight_.size()) {
      deliver_at(choice);
    } else {
      auto chosen = slow_.begin() + static_cast<std::ptrdiff_t>(choice - in_flight_.size());
      due_.push_back(std::move(*chosen));
      slow_.erase(chosen);
    }
    return true;
  }
  Due take_due() { return std::exchange(due_, {}); }

 private:
  struct InFlight {
    NodeId from;
    NodeId to;
    typename A::Message message;
  };

  void deliver_at(std::size_t index) {
    InFlight chosen = in_flight_[index];
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(index));
    OutboxOf<A> out;
    conch::deliver(values_.at(chosen.to), chosen.from, chosen.message, out);
    absorb(chosen.to, out);
  }
  void absorb(NodeId node, OutboxOf<A>& out) {
    for (auto& send : out.sends()) in_flight_.push_back({node, send.to, std::move(send.message)});
    for (const Effect& effect : out.effects()) due_.emplace_back(node, effect);
  }

  std::map<NodeId, A> values_;
  std::vector<InFlight> in_flight_;
  Due slow_;
  Due due_;
};

}  // namespace conch::dho::testing
