// A group of algorithm instances for unit tests. The test decides what happens next: who asks,
// releases or cancels, who joins and leaves, and which message arrives. Every step checks all
// promises of a lock.
#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/contract.hpp"
#include "core/extent.hpp"
#include "core/measure.hpp"
#include "core/print.hpp"
#include "core/testing/dice.hpp"

namespace conch {

/// For GoogleTest's messages.
inline void PrintTo(NodeId node, std::ostream* out) { *out << print(node); }

}  // namespace conch

namespace conch::testing {

enum class Channels : std::uint8_t { fifo, unordered };

enum class Doing : std::uint8_t { nothing, waiting, inside, withdrawing, joining, leaving, away };

template <Exclusive A>
class Group {
 public:
  struct InFlight {
    NodeId from;
    NodeId to;
    typename A::Message message;
    CONCH_FIELDS(InFlight, from, to, message)
  };
  struct Entry {
    NodeId node;
    Baton baton;
    CONCH_FIELDS(Entry, node, baton)
  };

  /// Members 0 .. count-1; member 0 is the home.
  explicit Group(std::size_t count, Tuning tuning = {})
      : Group(Assignment::fresh(Members::first(count), NodeId{0}, tuning)) {}
  explicit Group(const Assignment& start)
      : start_(start),
        members_(start.members),
        handed_out_(start.baton.fence),
        writers_(start.baton.fence),
        left_(start.baton.data),
        newest_(start.baton.data) {
    for (NodeId node : start.members) {
      values_.emplace(node, A(node, start));
      doing_[node] = Doing::nothing;
    }
    remembered_at_start_ = remembered(values_);
    if constexpr (Starting<A>) {
      for (NodeId node : members_) call(node, [](A& value, auto& out) { value.start(out); });
    }
    check_tokens();
  }

  void request(NodeId node) {
    doing_.at(node) = Doing::waiting;
    wish_[node] = Wish{};
    call(node, [](A& value, auto& out) { value.request(out); });
  }
  void request(NodeId node, const Wish& wish) requires Shared<A> {
    doing_.at(node) = Doing::waiting;
    wish_[node] = wish;
    call(node, [&](A& value, auto& out) { value.request(wish, out); });
  }
  /// A writer leaves a new version of the data behind.
  void release(NodeId node) {
    doing_.at(node) = Doing::nothing;
    const Wish& wish = wish_.at(node);
    if (wish.mode == Mode::write) {
      ++newest_.version;
      left_.set(wish.range, newest_);
    }
    call(node, [&](A& value, auto& out) { value.release(newest_, out); });
  }
  void cancel(NodeId node) {
    doing_.at(node) = Doing::withdrawing;
    call(node, [](A& value, auto& out) { value.cancel(out); });
  }

  /// Puts the node on the roster; then it asks the contact to welcome it.
  void join(NodeId node, NodeId contact) requires Dynamic<A> {
    doing_[node] = Doing::joining;
    members_ = members_.with(node);
    Assignment start = start_;
    start.members = members_;
    start.home = contact;
    values_.insert_or_assign(node, A(node, start));
    publish_roster();
    call(node, [&](A& value, auto& out) { value.join(contact, out); });
  }
  void leave(NodeId node) requires Dynamic<A> {
    doing_.at(node) = Doing::leaving;
    call(node, [](A& value, auto& out) { value.leave(out); });
  }
  /// A node that left may come back once no message to or from its former life is in flight.
  bool may_join(NodeId node) const {
    return std::none_of(in_flight_.begin(), in_flight_.end(),
                        [&](const InFlight& sent) { return sent.from == node || sent.to == node; });
  }

  void deliver(std::size_t position) {
    InFlight chosen = in_flight_.at(position);
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(position));
    if (!values_.contains(chosen.to)) return;  // it has left: see `depart`
    call(chosen.to,
         [&](A& value, auto& out) { conch::deliver(value, chosen.from, chosen.message, out); });
  }
  void deliver_oldest() { deliver(0); }
  /// Delivers the oldest message of one channel.
  void deliver(NodeId from, NodeId to) {
    auto oldest = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& sent) {
      return sent.from == from && sent.to == to;
    });
    CONCH_EXPECT(oldest != in_flight_.end(), "there is a message on the channel");
    deliver(static_cast<std::size_t>(oldest - in_flight_.begin()));
  }
  void settle() {
    while (!in_flight_.empty()) deliver_oldest();
  }
  /// Fires the timer that was armed first, or the one at `position`.
  void fire(std::size_t position = 0) requires Timed<A> {
    auto [node, timer] = armed_.at(position);
    armed_.erase(armed_.begin() + static_cast<std::ptrdiff_t>(position));
    call(node, [which = timer](A& value, auto& out) { value.timer(which, out); });
  }

  void deliver_random(Dice& dice, Channels channels) {
    std::size_t position = dice.below(in_flight_.size());
    if (channels == Channels::unordered) return deliver(position);
    deliver(in_flight_[position].from, in_flight_[position].to);
  }

  /// The roster, and all nodes that were ever on it.
  const Members& members() const { return members_; }
  std::vector<NodeId> nodes() const {
    std::vector<NodeId> nodes;
    for (const auto& [node, doing] : doing_) nodes.push_back(node);
    return nodes;
  }
  A& at(NodeId node) { return values_.at(node); }
  Doing doing(NodeId node) const { return doing_.at(node); }
  bool anybody(Doing doing) const {
    return std::any_of(doing_.begin(), doing_.end(),
                       [&](const auto& each) { return each.second == doing; });
  }
  std::vector<const A*> values() const {
    std::vector<const A*> all;
    for (const auto& [node, value] : values_) all.push_back(&value);
    return all;
  }
  const std::vector<InFlight>& in_flight() const { return in_flight_; }
  std::size_t timers() const { return armed_.size(); }
  const std::vector<Entry>& entries() const { return entries_; }
  /// The nodes that entered, in order.
  std::vector<NodeId> entered() const {
    std::vector<NodeId> nodes;
    for (const Entry& entry : entries_) nodes.push_back(entry.node);
    return nodes;
  }
  std::size_t sent() const { return sent_; }
  /// Number of sent messages of one type.
  template <class M>
  std::size_t sent_of() const {
    typename A::Message example{std::in_place_type<M>};
    return example.index() < sent_of_kind_.size() ? sent_of_kind_[example.index()] : 0;
  }
  std::size_t withdrawals() const { return withdrawals_; }
  std::size_t departures() const { return departures_; }
  /// At each entry, the number of other nodes inside, summed over the run.
  std::size_t joint_entries() const { return joint_entries_; }

  /// The first promise that was broken; empty if none was.
  const std::string& failure() const { return failure_; }
  /// Checks a group with nothing in flight: every waiter has a holder to wait for, and the
  /// structure is whole.
  void check_still() {
    if (!armed_.empty()) return;
    if (anybody(Doing::withdrawing)) fail("a cancel waits and nothing is on its way");
    if (anybody(Doing::waiting) && !anybody(Doing::inside)) fail("deadlock");
    if (anybody(Doing::joining)) fail("a newcomer waits and nothing is on its way");
    if (anybody(Doing::leaving)) fail("a leaver waits and nothing is on its way");
    for (NodeId node : members_)
      if (doing(node) == Doing::waiting && !anybody_in_the_way(node)) fail("it waits for nobody");
    if constexpr (Structured<A>)
      if (std::string wrong = A::disorder(values()); !wrong.empty()) fail("disorder: " + wrong);
  }
  /// Checks a group with nothing in flight and no requests.
  void check_quiescent() {
    if (remembered(values_) > remembered_at_start_) fail("more is remembered than at the start");
  }
  std::string states() const {
    std::string text;
    for (const auto& [node, value] : values_) text += "  " + print_fields(value) + "\n";
    for (const InFlight& message : in_flight_) text += "  " + print(message) + "\n";
    return text;
  }

 private:
  template <class Call>
  void call(NodeId node, Call&& run) {
    OutboxOf<A> out;
    run(values_.at(node), out);
    sent_ += out.sends().size();
    for (auto& send : out.sends()) {
      if (send.to == node) fail("a node sends to itself");
      if (!members_.contains(send.to) && !may_be_late(send.message))
        fail(print(send.message) + " is sent to " + print(send.to) + ", which is no member");
      sent_of_kind_.resize(std::variant_size_v<typename A::Message>);
      ++sent_of_kind_[send.message.index()];
      in_flight_.push_back({node, send.to, std::move(send.message)});
    }
    for (const Effect& effect : out.effects()) take_effect(node, effect);
    check_tokens();
  }

  void take_effect(NodeId node, const Effect& effect) {
    if (const auto* entered = std::get_if<Entered>(&effect)) {
      enter(node, *entered);
    } else if (std::holds_alternative<Withdrawn>(effect)) {
      if (doing(node) != Doing::withdrawing) fail("withdrawn without a cancel");
      doing_.at(node) = Doing::nothing;
      ++withdrawals_;
    } else if (const auto* armed = std::get_if<Armed>(&effect)) {
      disarm(node, armed->timer);
      armed_.emplace_back(node, armed->timer);
    } else if (const auto* disarmed = std::get_if<Disarmed>(&effect)) {
      disarm(node, disarmed->timer);
    } else if (std::holds_alternative<Joined>(effect)) {
      if (doing(node) != Doing::joining) fail("somebody joins who was not outside");
      doing_.at(node) = Doing::nothing;
    } else if (std::holds_alternative<Left>(effect)) {
      if (doing(node) != Doing::leaving) fail("somebody leaves who did not want to");
      depart(node);
    }
  }
  /// Messages still in flight to a node that has left must be useless.
  void depart(NodeId node) {
    for (const InFlight& sent : in_flight_)
      if (sent.to == node && !may_be_late(sent.message))
        fail(print(sent.message) + " is on its way to " + print(node) + ", which has left");
    doing_.at(node) = Doing::away;
    members_ = members_.without(node);
    values_.erase(node);
    std::erase_if(armed_, [&](const auto& armed) { return armed.first == node; });
    ++departures_;
    publish_roster();
  }
  void publish_roster() {
    if constexpr (Dynamic<A>) {
      Members members = members_;
      for (NodeId node : members) {
        if (members_ != members) return;  // another one left: a newer roster is out
        call(node, [&](A& value, auto& out) { value.roster(members, out); });
      }
    }
  }
  void disarm(NodeId node, TimerId timer) { std::erase(armed_, std::pair(node, timer)); }
  bool anybody_in_the_way(NodeId node) const {
    return std::any_of(doing_.begin(), doing_.end(), [&](const auto& each) {
      bool there = each.second == Doing::waiting || each.second == Doing::inside;
      return each.first != node && there && wish_.at(each.first).conflicts(wish_.at(node));
    });
  }

  void enter(NodeId node, const Entered& entered) {
    const Wish& wish = wish_.at(node);
    if (doing(node) != Doing::waiting) fail("somebody enters who does not wait");
    for (const auto& [other, what] : doing_) {
      if (what != Doing::inside) continue;
      if (wish.conflicts(wish_.at(other))) fail("ME1: two are inside");
      ++joint_entries_;
    }
    check_fence(wish, entered.baton.fence);
    check_data(wish, entered);
    doing_.at(node) = Doing::inside;
    entries_.push_back({node, entered.baton});
  }
  /// A writer's fence is larger than every fence given for the same data before. A reader's fence
  /// is that of the last writer of what it reads.
  void check_fence(const Wish& wish, Fence fence) {
    auto raised = [&](Fence before) { return std::max(before, fence); };
    if (wish.mode == Mode::write) {
      bool old = handed_out_.any(wish.range, [&](Fence before) { return before >= fence; });
      if (old) fail("a fence does not increase");
      writers_.update(wish.range, raised);
    } else {
      Fence last;
      writers_.visit(wish.range, [&](const Range&, Fence each) { last = std::max(last, each); });
      if (fence != last) fail("a reader's fence is not that of the last writer before it");
    }
    handed_out_.update(wish.range, raised);
  }
  void check_data(const Wish& wish, const Entered& entered) {
    if (entered.parts.empty()) {
      if (left_.any(wish.range, [&](const DataRef& data) { return data != entered.baton.data; }))
        fail("the data are not those of the last holder");
      return;
    }
    std::uint64_t position = wish.range.begin;
    for (const Part& part : entered.parts) {
      if (part.range.begin != position || !part.range.valid()) fail("the parts have a gap");
      position = part.range.end;
      if (left_.any(part.range, [&](const DataRef& data) { return data != part.baton.data; }))
        fail("the data of a part are not those of its last writer");
    }
    if (position != wish.range.end) fail("the parts end too early or too late");
  }
  void check_tokens() {
    if constexpr (TokenBased<A>) {
      auto tokens = std::count_if(values_.begin(), values_.end(),
                                  [](const auto& each) { return each.second.holds_token(); });
      tokens += std::count_if(in_flight_.begin(), in_flight_.end(), [](const InFlight& sent) {
        return std::holds_alternative<typename A::Token>(sent.message);
      });
      if (tokens != 1) fail(std::to_string(tokens) + " tokens");
    }
  }
  void fail(std::string what) {
    if (failure_.empty()) failure_ = std::move(what);
  }

  Assignment start_;
  Members members_;
  std::map<NodeId, A> values_;
  std::map<NodeId, Doing> doing_;
  std::vector<InFlight> in_flight_;
  std::vector<std::pair<NodeId, TimerId>> armed_;
  std::vector<Entry> entries_;
  std::map<NodeId, Wish> wish_;
  /// The largest fences by range: of all entries, and of writers only.
  Extent<Fence> handed_out_;
  Extent<Fence> writers_;
  /// The data that the last writers left.
  Extent<DataRef> left_;
  DataRef newest_;
  std::size_t remembered_at_start_ = 0;
  std::size_t sent_ = 0;
  std::vector<std::size_t> sent_of_kind_;
  std::size_t withdrawals_ = 0;
  std::size_t departures_ = 0;
  std::size_t joint_entries_ = 0;
  std::string failure_;
};

}  // namespace conch::testing
