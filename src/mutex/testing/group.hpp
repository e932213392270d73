// A group of algorithm values for unit tests. The test decides what happens next: who asks, leaves
// or cancels, and which message arrives. Whatever a lock promises is checked at every step.
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

enum class Doing : std::uint8_t { nothing, waiting, inside, withdrawing };

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

  /// The members 0 .. count-1, with the first as the home.
  explicit Group(std::size_t count, Tuning tuning = {})
      : Group(Assignment::fresh(Members::first(count), NodeId{0}, tuning)) {}
  explicit Group(const Assignment& start)
      : members_(start.members),
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

  void deliver(std::size_t position) {
    InFlight chosen = in_flight_.at(position);
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(position));
    call(chosen.to,
         [&](A& value, auto& out) { conch::deliver(value, chosen.from, chosen.message, out); });
  }
  void deliver_oldest() { deliver(0); }
  /// The oldest message of one channel.
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
  /// The timer that was armed first, or another one, has run out.
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

  const Members& members() const { return members_; }
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
  /// Who has entered, in order.
  std::vector<NodeId> entered() const {
    std::vector<NodeId> nodes;
    for (const Entry& entry : entries_) nodes.push_back(entry.node);
    return nodes;
  }
  std::size_t sent() const { return sent_; }
  /// Messages of one type.
  template <class M>
  std::size_t sent_of() const {
    typename A::Message example{std::in_place_type<M>};
    return example.index() < sent_of_kind_.size() ? sent_of_kind_[example.index()] : 0;
  }
  std::size_t withdrawals() const { return withdrawals_; }
  /// Entries while somebody else was inside.
  std::size_t joint_entries() const { return joint_entries_; }

  /// What was promised and not kept, first of all; empty if nothing.
  const std::string& failure() const { return failure_; }
  /// Nothing is on its way: whoever waits must have somebody to wait for, and a structure is whole.
  void check_still() {
    if (!armed_.empty()) return;
    if (anybody(Doing::withdrawing)) fail("a cancel waits and nothing is on its way");
    if (anybody(Doing::waiting) && !anybody(Doing::inside)) fail("deadlock");
    for (NodeId node : members_)
      if (doing(node) == Doing::waiting && !anybody_in_the_way(node)) fail("it waits for nobody");
    if constexpr (Structured<A>)
      if (std::string wrong = A::disorder(values()); !wrong.empty()) fail("disorder: " + wrong);
  }
  /// Nothing is on its way and nobody wants anything.
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
      if (!members_.contains(send.to)) fail("a node sends to a stranger");
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
  /// A writer's is larger than all that anybody got who could have seen the same data, a reader's
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

  Members members_;
  std::map<NodeId, A> values_;
  std::map<NodeId, Doing> doing_;
  std::vector<InFlight> in_flight_;
  std::vector<std::pair<NodeId, TimerId>> armed_;
  std::vector<Entry> entries_;
  std::map<NodeId, Wish> wish_;
  /// The largest fences by range: of all entries, and of the writers among them.
  Extent<Fence> handed_out_;
  Extent<Fence> writers_;
  /// What the last writers left.
  Extent<DataRef> left_;
  DataRef newest_;
  std::size_t remembered_at_start_ = 0;
  std::size_t sent_ = 0;
  std::vector<std::size_t> sent_of_kind_;
  std::size_t withdrawals_ = 0;
  std::size_t joint_entries_ = 0;
  std::string failure_;
};

/// What the requests of a random run are for.
struct Sharing {
  /// How many of a hundred only read.
  std::uint64_t readers = 0;
  /// The data have so many blocks, and a request is for a run of them.
  std::uint64_t blocks = 1;

  bool any() const { return readers > 0 || blocks > 1; }
  Wish draw(Dice& dice) const {
    Wish wish;
    if (dice.percent(readers)) wish.mode = Mode::read;
    std::uint64_t first = dice.below(blocks);
    std::uint64_t last = first + dice.below(blocks - first);
    bool everything = first == 0 && last + 1 == blocks;
    if (!everything) wish.range = {10 * first, 10 * (last + 1)};
    return wish;
  }
};

/// Some layout: from one cluster of all to each in one of its own, every third in sites.
inline Clusters random_clusters(std::uint64_t seed, const std::vector<NodeId>& nodes) {
  Dice dice(seed ^ 0xc1a5);
  std::size_t clusters = 1 + dice.below(nodes.size());
  std::size_t sites = dice.below(3) == 0 ? 1 + dice.below(3) : 0;
  std::map<NodeId, std::string> labels;
  for (NodeId node : nodes) {
    std::size_t cluster = dice.below(clusters);
    std::string site = sites == 0 ? "" : std::to_string(cluster % sites) + "/";
    labels[node] = site + std::to_string(cluster);
  }
  return Clusters(labels);
}

/// A random run to completion: requests, releases, cancels and deliveries, as eager as the seed has
/// it.
template <Exclusive A>
class RandomRun {
 public:
  RandomRun(std::uint64_t seed, std::size_t nodes, Channels channels, Tuning tuning = {},
            Sharing sharing = {})
      : seed_(seed),
        dice_(seed),
        channels_(channels),
        sharing_(sharing),
        wishes_(6 * nodes),
        delivery_chance_(20 + dice_.below(75)),
        release_chance_(5 + dice_.below(90)),
        cancel_chance_(dice_.below(3) == 0 ? 0 : dice_.below(40)),
        group_(start(nodes, tuning)) {}

  /// What went wrong, with the seed that repeats it; empty if nothing did.
  std::string run() {
    std::size_t patience = 200'000;
    while (group_.failure().empty() && !complete()) {
      if (patience-- == 0) return report("it does not come to an end");
      step();
      if (group_.in_flight().empty()) group_.check_still();
    }
    if (group_.failure().empty()) group_.check_quiescent();
    return group_.failure().empty() ? "" : report(group_.failure());
  }

  const Group<A>& group() const { return group_; }

 private:
  /// Identifiers are neither positions nor contiguous, and anybody may be the home.
  Assignment start(std::size_t nodes, Tuning tuning) {
    std::vector<NodeId> ids;
    for (std::size_t i = 0; i < nodes; ++i) ids.push_back(NodeId{10 * i + dice_.below(10)});
    Assignment start = Assignment::fresh(Members(ids), dice_.one_of(ids), tuning);
    start.clusters = random_clusters(seed_, ids);
    return start;
  }

  /// The token of a restless algorithm is always on its way.
  bool complete() const {
    bool still = group_.in_flight().empty() || A::about.restless;
    return wishes_ == 0 && still && group_.timers() == 0 && !group_.anybody(Doing::waiting) &&
           !group_.anybody(Doing::inside) && !group_.anybody(Doing::withdrawing);
  }

  void step() {
    if (!group_.in_flight().empty() && dice_.percent(delivery_chance_))
      return group_.deliver_random(dice_, channels_);
    if constexpr (Timed<A>)
      if (group_.timers() > 0 && dice_.percent(30))
        return group_.fire(dice_.below(group_.timers()));
    NodeId node = dice_.one_of(group_.members().nodes());
    switch (group_.doing(node)) {
      case Doing::nothing:
        if (wishes_ == 0) return;
        --wishes_;
        return request(node);
      case Doing::waiting:
        if (dice_.percent(cancel_chance_)) group_.cancel(node);
        return;
      case Doing::inside:
        if (dice_.percent(release_chance_)) group_.release(node);
        return;
      case Doing::withdrawing: return;
    }
  }

  void request(NodeId node) {
    if constexpr (Shared<A>)
      if (sharing_.any()) return group_.request(node, sharing_.draw(dice_));
    group_.request(node);
  }

  std::string report(const std::string& what) const {
    return std::string(A::about.name) + ", seed " + std::to_string(seed_) + ", " +
           std::to_string(group_.members().size()) + " nodes" +
           (channels_ == Channels::fifo ? ", FIFO: " : ": ") + what + "\n" + group_.states();
  }

  std::uint64_t seed_;
  Dice dice_;
  Channels channels_;
  Sharing sharing_;
  std::size_t wishes_;
  std::size_t delivery_chance_;
  std::size_t release_chance_;
  std::size_t cancel_chance_;
  Group<A> group_;
};

template <Exclusive A>
std::string random_run(std::uint64_t seed, std::size_t nodes, Channels channels,
                       Tuning tuning = {}) {
  return RandomRun<A>(seed, nodes, channels, tuning).run();
}

/// Runs every seed below `seeds` with a group of this size. Returns the first failure; runs in
/// which nobody ever entered or, in company, withdrew or shared are one, too.
template <Exclusive A>
std::string random_runs(std::uint64_t seeds, std::size_t nodes, Channels channels,
                        Tuning tuning = {}, Sharing sharing = {}) {
  std::size_t entries = 0;
  std::size_t withdrawals = 0;
  std::size_t joint_entries = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RandomRun<A> run(seed, nodes, channels, tuning, sharing);
    if (std::string failure = run.run(); !failure.empty()) return failure;
    entries += run.group().entries().size();
    withdrawals += run.group().withdrawals();
    joint_entries += run.group().joint_entries();
  }
  if (entries == 0) return "nobody ever entered";
  if (withdrawals == 0 && nodes > 1) return "nobody ever withdrew";
  if (joint_entries == 0 && nodes > 1 && sharing.any()) return "no two were ever inside together";
  return "";
}

}  // namespace conch::testing
