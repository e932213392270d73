// A seeded world of overlay nodes with letters to deliver: random latencies, so that messages
// overtake one another, crashes that are noticed a while later, and no real time.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/print.hpp"
#include "core/testing/dice.hpp"
#include "overlay/ring_member.hpp"
#include "overlay/routed.hpp"
#include "overlay/testing/postman.hpp"

namespace conch {
inline void PrintTo(NodeId node, std::ostream* out) { *out << print(node); }
}  // namespace conch

namespace conch::overlay::testing {

using namespace std::chrono_literals;

inline std::vector<NodeId> scattered(std::size_t count, Dice& dice) {
  std::vector<NodeId> nodes(count);
  for (NodeId& node : nodes) node = NodeId{dice.number()};
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// The root of the key, found by asking every node: the oracle of the overlay's rule.
template <class O>
NodeId root_among(const std::vector<NodeId>& sorted, Key key) {
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (O(sorted, i).root_of(key)) return sorted[i];
  return sorted.front();
}

struct Weather {
  Duration latency_min = 1ms;
  Duration latency_max = 40ms;
  /// Applies to messages between live nodes.
  std::uint64_t loss_percent = 0;
  /// A crash is noticed after so long.
  Duration detection = 300ms;
  /// The sender to a dead node learns of it after this long.
  Duration refusal = 50ms;
};

template <class O>
class RingWorld {
 public:
  using Value = Routed<Postman, O>;
  struct Arrival {
    NodeId at;
    Time when;
    unsigned seen;
  };

  explicit RingWorld(std::uint64_t seed, Upkeep upkeep = {.exchange = 500ms, .retry = 300ms},
                     Weather weather = {})
      : dice_(seed), upkeep_(upkeep), weather_(weather) {
    sweep();
  }

  // Events.
  void found(std::vector<NodeId> members) {
    std::sort(members.begin(), members.end());
    for (std::size_t i = 0; i < members.size(); ++i) bear(members[i], O(members, i, upkeep_));
  }
  void join(NodeId node, NodeId contact) {
    bear(node, O(node, upkeep_));
    contacts_[node] = contact;
    call_join(node, contact);
  }
  /// For a node that is already in a ring, perhaps another one.
  void call_join(NodeId node, NodeId contact) {
    call(node, [&](Value& value, auto& out) { value.join(contact, out); });
  }
  void crash(NodeId node) {
    lives_.erase(node);
    died_[node] = now_;
  }
  void leave(NodeId node) {
    call(node, [](Value& value, auto& out) { value.leave(out); });
  }
  void suspect(NodeId by, NodeId whom) {
    call(by, [&](Value& value, auto& out) { value.suspect(whom, out); });
  }
  std::uint64_t post(NodeId from, Key key) {
    std::uint64_t number = ++letters_;
    call(from, [&](Value& value, auto& out) {
      value.receive(from, typename Value::Direct{Postman::Order{key, number}}, out);
    });
    return number;
  }
  /// From now on no message is lost.
  void calm() { weather_.loss_percent = 0; }
  void at(Duration after, std::function<void()> action) { push(after, std::move(action)); }
  /// `watch` is called after every event.
  void run(Duration duration, const std::function<void()>& watch = {}) {
    Time end = now_ + duration;
    while (!events_.empty() && events_.top().when <= end) {
      Event event = events_.top();
      events_.pop();
      now_ = event.when;
      event.action();
      if (watch) watch();
    }
    now_ = end;
  }

  // Queries.
  Dice& dice() { return dice_; }
  bool lives(NodeId node) const { return lives_.contains(node); }
  const O& at(NodeId node) const { return lives_.at(node).value.overlay(); }
  std::vector<NodeId> living() const {
    std::vector<NodeId> nodes;
    for (const auto& [node, life] : lives_) nodes.push_back(node);
    return nodes;
  }
  NodeId anybody() { return dice_.one_of(living()); }
  NodeId any_member() {
    std::vector<NodeId> nodes;
    for (const auto& [node, life] : lives_)
      if (life.value.overlay().phase() == RingPhase::member) nodes.push_back(node);
    return nodes.empty() ? anybody() : dice_.one_of(nodes);
  }
  /// How many nodes act for the key.
  std::size_t roots(Key key) const {
    return static_cast<std::size_t>(
        std::count_if(lives_.begin(), lives_.end(),
                      [&](const auto& each) { return each.second.value.overlay().root_of(key); }));
  }
  const std::map<std::uint64_t, std::vector<Arrival>>& arrivals() const { return arrivals_; }
  std::uint64_t letters() const { return letters_; }
  std::size_t rerouted() const { return rerouted_; }
  /// Letters that were refused when the node that had passed them on was gone.
  std::size_t lost_with_their_senders() const { return lost_with_their_senders_; }
  std::size_t relayed_by_leavers() const { return relayed_by_leavers_; }
  std::size_t held() const { return held_; }
  std::size_t lost() const { return lost_; }
  Time now() const { return now_; }

  /// What is wrong with the leaves of a ring at rest; empty if nothing is.
  std::string disorder() const {
    std::vector<NodeId> all = living();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const O& overlay = at(all[i]);
      if (overlay.phase() != RingPhase::member)
        return "node " + print(all[i]) + " is " + std::string(word(overlay.phase()));
      if (overlay.leaves() != LeafSet(all, i))
        return "node " + print(all[i]) + " has " + print(overlay.neighbours()) + ", should have " +
               print(LeafSet(all, i).nodes());
    }
    return "";
  }
  /// Posts letters from anywhere to anywhere. Says which one did not arrive once, at its root.
  std::string misrouted(std::size_t letters) {
    std::vector<std::pair<std::uint64_t, Key>> posted;
    for (std::size_t i = 0; i < letters; ++i) {
      Key key{dice_.number()};
      posted.emplace_back(post(anybody(), key), key);
    }
    run(5s);
    for (auto [number, key] : posted) {
      auto found = arrivals_.find(number);
      if (found == arrivals_.end()) return "letter " + std::to_string(number) + " is lost";
      NodeId root = root_among<O>(living(), key);
      if (found->second.size() != 1 || found->second[0].at != root)
        return "letter " + std::to_string(number) + " came to " + print(found->second[0].at) +
               ", not to " + print(root);
    }
    return "";
  }

 private:
  struct Instance {
    Value value;
    std::uint64_t number;
    std::size_t read = 0;
    std::map<TimerId, std::uint64_t> timers = {};
  };
  struct Event {
    Time when;
    std::uint64_t number;
    std::function<void()> action;
    bool operator<(const Event& other) const {
      return std::pair(other.when, other.number) < std::pair(when, number);
    }
  };

  Duration between(Duration min, Duration max) {
    auto range = static_cast<std::uint64_t>((max - min).count()) + 1;
    return min + Duration(static_cast<std::int64_t>(dice_.below(range)));
  }
  void push(Duration after, std::function<void()> action) {
    events_.push({now_ + after, ++numbers_, std::move(action)});
  }

  void bear(NodeId node, O overlay) {
    lives_.insert_or_assign(node,
                            Instance{Value(node, Postman(node), std::move(overlay)), ++numbers_});
    died_.erase(node);
    call(node, [](Value& value, auto& out) { value.start(out); });
  }

  template <class F>
  void call(NodeId node, F&& f) {
    Instance& life = lives_.at(node);
    typename Value::Out out;
    f(life.value, out);
    read_letters(node, life);
    for (auto& [to, message] : out.sends()) transmit(node, to, std::move(message));
    for (const Effect& effect : out.effects()) {
      if (auto* armed = std::get_if<Armed>(&effect)) arm(node, life, *armed);
      if (auto* disarmed = std::get_if<Disarmed>(&effect)) life.timers.erase(disarmed->timer);
      if (std::holds_alternative<Left>(effect)) push(0ms, [this, node] { crash(node); });
    }
  }
  void read_letters(NodeId node, Instance& life) {
    const auto& deliveries = life.value.protocol().deliveries();
    for (; life.read < deliveries.size(); ++life.read)
      arrivals_[deliveries[life.read].number].push_back({node, now_, deliveries[life.read].seen});
  }
  void arm(NodeId node, Instance& life, const Armed& armed) {
    std::uint64_t number = ++numbers_;
    life.timers[armed.timer] = number;
    push(between(armed.min, armed.max), [this, node, timer = armed.timer, number] {
      auto found = lives_.find(node);
      if (found == lives_.end()) return;
      auto& timers = found->second.timers;
      if (auto set = timers.find(timer); set == timers.end() || set->second != number) return;
      timers.erase(timer);
      call(node, [&](Value& value, auto& out) { value.timer(timer, out); });
    });
  }
  void transmit(NodeId from, NodeId to, typename Value::Message message) {
    if (dice_.percent(weather_.loss_percent)) return void(++lost_);
    push(between(weather_.latency_min, weather_.latency_max),
         [this, from, to, message = std::move(message)] {
           lives(to) ? arrive(from, to, message) : bounce(from, to, message);
         });
  }
  void arrive(NodeId from, NodeId to, const typename Value::Message& message) {
    if (std::holds_alternative<typename Value::Carried>(message)) {
      relayed_by_leavers_ += at(to).phase() == RingPhase::leaving;
      held_ += at(to).phase() == RingPhase::joining;
    }
    call(to, [&](Value& value, auto& out) { conch::deliver(value, from, message, out); });
  }
  /// The receiver is dead, and the sender notices.
  void bounce(NodeId from, NodeId to, const typename Value::Message& message) {
    push(weather_.refusal, [this, from, to, message] {
      bool carried = std::holds_alternative<typename Value::Carried>(message);
      (lives(from) ? rerouted_ : lost_with_their_senders_) += carried;
      if (!lives(from)) return;
      call(from, [&](Value& value, auto& out) { value.undelivered(to, message, out); });
    });
  }
  /// The neighbours suspect a node that has been dead for long enough; a newcomer that joins
  /// through a dead node gets another contact.
  void sweep() {
    for (NodeId node : living()) {
      for (NodeId other : at(node).neighbours())
        if (auto dead = died_.find(other);
            dead != died_.end() && now_ - dead->second >= weather_.detection && dice_.percent(50))
          suspect(node, other);
      auto contact = contacts_.find(node);
      bool waits = at(node).phase() == RingPhase::joining && contact != contacts_.end();
      if (waits && !lives(contact->second)) {
        contact->second = any_member();
        call(node, [&](Value& value, auto& out) { value.join(contact->second, out); });
      }
    }
    push(100ms, [this] { sweep(); });
  }

  Dice dice_;
  Upkeep upkeep_;
  Weather weather_;
  Time now_{};
  std::uint64_t numbers_ = 0;
  std::uint64_t letters_ = 0;
  std::size_t rerouted_ = 0;
  std::size_t lost_with_their_senders_ = 0;
  std::size_t relayed_by_leavers_ = 0;
  std::size_t held_ = 0;
  std::size_t lost_ = 0;
  std::map<NodeId, Instance> lives_;
  std::map<NodeId, Time> died_;
  std::map<NodeId, NodeId> contacts_;
  std::priority_queue<Event> events_;
  std::map<std::uint64_t, std::vector<Arrival>> arrivals_;
};

}  // namespace conch::overlay::testing
