// Lock managers for tests of handles: a plain queue that is obviously right, and the algorithms of
// the contract with fixed members.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/contract.hpp"
#include "core/testing/dice.hpp"
#include "dho/handle.hpp"

namespace conch::dho::testing {

/// The effects that a lock manager has for each node.
using Due = std::vector<std::pair<NodeId, Effect>>;

/// A single global queue: readers share, everything else is first come, first served.
class PlainLock {
 public:
  static constexpr bool is_shared = true;

  explicit PlainLock(const Members&) {}

  /// Returns what is wrong with the order; empty if nothing is. `data` are what a release leaves.
  std::string carry_out(NodeId node, const Order& order, const DataRef& data) {
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
      queue_.push_back({node, ask->mode});
    } else if (std::holds_alternative<Cancel>(order)) {
      if (!queued || place->inside || place->cancelled) return "one cancels who does not wait";
      place->cancelled = true;
    } else if (std::holds_alternative<Release>(order)) {
      if (!queued || !place->inside) return "one releases who does not hold";
      if (place->mode == Mode::write) data_ = data;
      queue_.erase(place);
    }
    return "";
  }

  /// Takes one possible step; false if there is none.
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
    Mode mode = Mode::write;
    bool inside = false;
    bool cancelled = false;
  };

  bool is_ready(std::size_t index) const {
    const Place& place = queue_[index];
    if (place.inside) return false;
    if (place.cancelled) return true;
    bool reads = place.mode == Mode::read;
    return std::all_of(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(index),
                       [&](const Place& each) { return reads && each.mode == Mode::read; });
  }
  void serve(std::size_t index) {
    Place& place = queue_[index];
    if (place.cancelled) {
      due_.emplace_back(place.node, Withdrawn{});
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
      return;
    }
    place.inside = true;
    if (place.mode == Mode::write) fence_ = fence_.next();
    due_.emplace_back(place.node, Entered{Baton{fence_, data_}, {}});
  }

  std::vector<Place> queue_;
  DataRef data_;
  Fence fence_{Epoch{}, 0};
  /// Joins and departures, which take their time.
  Due slow_;
  Due due_;
};

/// An algorithm of the contract on channels that are not FIFO. Its members are fixed; handles join
/// and leave on top of them.
template <Exclusive A>
class Algorithmic {
 public:
  static constexpr bool is_shared = Shared<A>;

  explicit Algorithmic(const Members& members) {
    for (NodeId node : members)
      values_.emplace(node, A(node, Assignment::fresh(members, members[0])));
  }

  std::string carry_out(NodeId node, const Order& order, const DataRef& data) {
    OutboxOf<A> out;
    A& value = values_.at(node);
    if (std::holds_alternative<Join>(order)) slow_.emplace_back(node, Joined{});
    if (std::holds_alternative<Leave>(order)) slow_.emplace_back(node, Left{});
    if (std::holds_alternative<Cancel>(order)) value.cancel(out);
    if (std::holds_alternative<Release>(order)) value.release(data, out);
    if (const auto* ask = std::get_if<Ask>(&order)) {
      if constexpr (is_shared) {
        value.request(Wish{ask->mode, {}}, out);
      } else {
        value.request(out);
      }
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
