// A group of electors for unit tests. The test decides what happens next.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/print.hpp"
#include "election/elector.hpp"

namespace conch {

/// For GoogleTest's messages.
inline void PrintTo(NodeId node, std::ostream* out) { *out << print(node); }

}  // namespace conch

namespace conch::testing {

template <Elector A>
class Electorate {
 public:
  struct InFlight {
    NodeId from;
    NodeId to;
    typename A::Message message;
    CONCH_FIELDS(InFlight, from, to, message)
  };

  /// Takes the members in the order of the ring.
  explicit Electorate(std::vector<NodeId> ids, Tuning tuning = {})
      : start_(Assignment::fresh(Members(ids), ids[0], tuning)) {
    start_.ring = ids;
    for (NodeId node : ids) values_.emplace(node, A(node, start_));
  }
  /// The members 1 .. count, numbered as in the notes.
  static std::vector<NodeId> up_to(std::uint64_t count) {
    std::vector<NodeId> ids;
    for (std::uint64_t i = 1; i <= count; ++i) ids.push_back(NodeId{i});
    return ids;
  }

  void elect(std::uint64_t node) {
    call(node, [](A& a, auto& out) { a.elect(out); });
  }
  void retire(std::uint64_t node) {
    call(node, [](A& a, auto& out) { a.retire(out); });
  }
  void crash(std::uint64_t node) {
    values_.erase(NodeId{node});
    std::erase_if(armed_, [&](const auto& each) { return each.first == NodeId{node}; });
    std::erase_if(in_flight_, [&](const InFlight& each) { return each.to == NodeId{node}; });
  }
  void restart(std::uint64_t node) requires Restarting<A> {
    values_.emplace(NodeId{node}, A(NodeId{node}, start_));
    call(node, [](A& a, auto& out) { a.restart(out); });
  }
  bool armed(std::uint64_t node, TimerId timer) const {
    return armed_.contains({NodeId{node}, timer});
  }
  void timer(std::uint64_t node, TimerId timer) requires Timed<A> {
    armed_.erase({NodeId{node}, timer});
    call(node, [&](A& a, auto& out) { a.timer(timer, out); });
  }

  /// Delivers the oldest message, or the oldest from one member to another.
  void deliver() { deliver_at(in_flight_.begin()); }
  void deliver(std::uint64_t from, std::uint64_t to) {
    deliver_at(std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& each) {
      return each.from == NodeId{from} && each.to == NodeId{to};
    }));
  }
  void settle() {
    while (!in_flight_.empty()) deliver();
  }

  const A& at(std::uint64_t node) const { return values_.at(NodeId{node}); }
  const std::deque<InFlight>& in_flight() const { return in_flight_; }
  std::size_t sent() const { return sent_; }
  template <class M>
  std::size_t sent() const {
    auto found = by_type_.find(typename A::Message(M{}).index());
    return found == by_type_.end() ? 0 : found->second;
  }
  /// The coordinator, if all members have elected the same and none takes part any more.
  std::optional<NodeId> coordinator() const {
    std::set<std::optional<NodeId>> all;
    for (const auto& [node, value] : values_)
      all.insert(value.participant() ? std::nullopt : value.elected());
    return all.size() == 1 ? *all.begin() : std::nullopt;
  }

 private:
  template <class Call>
  void call(std::uint64_t node, Call&& function) {
    Outbox<typename A::Message> out;
    function(values_.at(NodeId{node}), out);
    for (auto& send : out.sends()) {
      ++sent_;
      ++by_type_[send.message.index()];
      if (values_.contains(send.to)) in_flight_.push_back({NodeId{node}, send.to, send.message});
    }
    for (const Effect& effect : out.effects()) {
      if (const auto* armed = std::get_if<Armed>(&effect))
        armed_.insert({NodeId{node}, armed->timer});
      if (const auto* disarmed = std::get_if<Disarmed>(&effect))
        armed_.erase({NodeId{node}, disarmed->timer});
    }
  }
  void deliver_at(typename std::deque<InFlight>::iterator place) {
    CONCH_EXPECT(place != in_flight_.end(), "such a message is in flight");
    InFlight each = *place;
    in_flight_.erase(place);
    call(each.to.value, [&](A& a, auto& out) { conch::deliver(a, each.from, each.message, out); });
  }

  Assignment start_;
  std::map<NodeId, A> values_;
  std::deque<InFlight> in_flight_;
  std::set<std::pair<NodeId, TimerId>> armed_;
  std::size_t sent_ = 0;
  std::map<std::size_t, std::size_t> by_type_;
};

}  // namespace conch::testing
