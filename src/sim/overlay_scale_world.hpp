// The world of an overlay scale run. Locks share nothing but the overlay, so each round runs them
// one after another, each with a clock of its own.
//
// A lock is quiet when none of its messages is under way and no node waits while it is free. A node
// that has some votes and waits for a holder would ask again and again in a long round: here every
// timer that is armed fires once, and then the clock stands still until the next round.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/hash.hpp"
#include "core/random.hpp"
#include "overlay/replicas.hpp"
#include "overlay/tenure.hpp"
#include "sim/event_queue.hpp"
#include "sim/overlay_scale.hpp"
#include "sim/ring_index.hpp"

namespace conch::sim {

template <overlay::RoutedProtocol P, overlay::Overlay O>
class OverlayScaleRun {
 public:
  explicit OverlayScaleRun(const OverlayScaleOptions& options)
      : options_(options),
        random_(options.seed, 1),
        network_(options.seed, 2),
        moves_(options.seed, 3) {
    Replication& terms = start_.tuning.replication = options.replication;
    terms.lease = Duration::zero();
    terms.round_trip = options.round_trip * hop;
    // A critical section takes two rounds on average, or one if waiters ask again in every round.
    terms.section = terms.retry == RetryPolicy::always ? round : 2 * round;
    locks_.resize(options.locks);
    for (unsigned i = 0; i < options.locks; ++i) locks_[i].name = hash64(std::uint64_t{i});
  }

  OverlayScaleResult run() {
    found();
    for (unsigned i = 0; i < options_.rounds && !result_.violation; ++i) {
      if (i > 0 && options_.churn > 0) churn();
      begin_ = Time{} + i * round;
      for (unsigned asked = 0; asked < options_.requests; ++asked) draw_request();
      for (Lock& lock : locks_)
        if (!result_.violation) play(lock);
      for (Member& member : members_) member.end_round();
    }
    return report();
  }

 private:
  using Message = typename P::Message;
  using Out = overlay::RoutedOutbox<Message>;
  using Key = overlay::Key;
  static constexpr std::size_t kinds = std::variant_size_v<Message>;

  /// What a hop takes on average; it takes between half of this and one and a half times as long.
  static constexpr Duration hop = std::chrono::milliseconds(1);
  /// Far longer than a lock is busy.
  static constexpr Duration round = 1'000'000 * hop;

  struct Member {
    NodeId id;
    O overlay;
    bool here = true;
    bool asked = false;
    /// Messages in all rounds, in the rounds that are over, and the most in one round.
    std::uint32_t load = 0;
    std::uint32_t load_before = 0;
    std::uint32_t peak = 0;

    void end_round() { peak = std::max(peak, load - std::exchange(load_before, load)); }
  };
  /// What a node knows of a lock.
  struct LockState {
    P value;
    bool waits = false;
    /// Timers, and the order of their events.
    std::vector<std::pair<TimerId, std::uint64_t>> armed;
  };
  enum class What : std::uint8_t { arrive, refused, timer, ask };
  struct Event {
    What what = What::arrive;
    Node node = 0;
    /// A message's slot, or a timer.
    std::uint32_t a = 0;
  };
  using Events = EventQueue<Event>;
  using Due = typename Events::Entry;
  struct RoutedMessage {
    NodeId from;
    NodeId to;
    std::optional<Key> key;
    unsigned hops = 0;
    Message message;
  };
  struct Lock {
    std::uint64_t name = 0;
    std::map<Node, LockState> states;
    std::optional<Node> holder;
    unsigned waiters = 0;
    /// Messages, and nodes that are about to ask.
    unsigned under_way = 0;
    Time now;
    Events events;
    /// When waiters ask again: always at the beginning of a round, by the time of rounds, which
    /// does not stand still.
    Events plans;

    bool quiet() const { return under_way == 0 && (holder || waiters == 0); }
  };

  // Beginning and end.

  /// Numbers the nodes in the order of their ids, so that neighbours are near in memory, too.
  void found() {
    std::vector<NodeId> ids;
    for (Node node = 0; node < options_.nodes; ++node) ids.push_back(NodeId{moves_.next()});
    std::sort(ids.begin(), ids.end());
    std::vector<std::pair<NodeId, Node>> numbered;
    for (Node node = 0; node < options_.nodes; ++node) numbered.emplace_back(ids[node], node);
    places_ = RingIndex(std::move(numbered));
    members_.reserve(options_.nodes);
    for (Node node = 0; node < options_.nodes; ++node)
      members_.push_back({ids[node], O(places_.ids(), node)});
    measure_routes();
  }
  void add_member() {
    NodeId id{moves_.next()};
    members_.push_back({id, O(id)});
  }
  std::vector<std::pair<NodeId, Node>> present() const {
    std::vector<std::pair<NodeId, Node>> present;
    for (Node node = 0; node < members_.size(); ++node)
      if (members_[node].here) present.emplace_back(members_[node].id, node);
    return present;
  }

  void measure_routes() {
    constexpr unsigned routes = 10'000;
    std::uint64_t hops = 0;
    for (unsigned i = 0; i < routes; ++i) {
      Key key{network_.next()};
      Node at = anybody(network_);
      for (std::optional<NodeId> next; (next = members_[at].overlay.next_hop(key)); ++hops)
        at = *places_.find(*next);
    }
    result_.mean_route = static_cast<double>(hops) / routes;
  }
  /// Draws one of the nodes that are there.
  Node anybody(Random& random) { return places_[random.below(places_.size())]; }

  OverlayScaleResult report() {
    for (std::size_t i = 0; i < kinds; ++i)
      if (sent_[i] > 0) result_.kinds[std::string(names[i])] = sent_[i];
    for (const auto& [kind, count] : result_.kinds) {
      result_.messages += count;
      if (kind == "Renew" || kind == "Renewed") result_.fencing += count;
    }
    for (const Member& member : members_) {
      result_.loads.push_back(member.load);
      result_.peaks.push_back(member.peak);
    }
    return std::move(result_);
  }
  template <std::size_t... Is>
  static constexpr auto names_of(std::index_sequence<Is...>) {
    return std::array{std::string_view(std::variant_alternative_t<Is, Message>::type_name)...};
  }
  static constexpr auto names = names_of(std::make_index_sequence<kinds>());
  static constexpr std::size_t kind_of(std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  // A round.

  void draw_request() {
    Lock& lock = locks_[random_.below(locks_.size())];
    push(lock, lock.events, lock.now, {What::ask, anybody(random_), 0});
  }

  /// At the same time waiters whose turn should have come ask again, the holder leaves or not, and
  /// others ask.
  void play(Lock& lock) {
    while (!lock.plans.empty() && lock.plans.next().at <= begin_) ring(lock, lock.plans.pop());
    if (lock.holder && random_.chance(0.5)) {
      Node node = *std::exchange(lock.holder, std::nullopt);
      call(lock, node, [](P& p, Out& out) { p.release(DataRef{}, out); });
    }
    settle(lock);
    run_timers_once(lock);
    settle(lock);
  }

  /// Fires the timers that are armed now, and handles what follows; those armed meanwhile wait.
  void run_timers_once(Lock& lock) {
    const std::uint64_t last = lock.events.scheduled();
    std::vector<Due> later;
    while (!lock.events.empty() && !result_.violation) {
      Due due = lock.events.pop();
      if (due.event.what == What::timer && due.order > last) {
        later.push_back(due);
        continue;
      }
      lock.now = std::max(lock.now, due.at);
      handle(lock, due);
    }
    for (const Due& due : later) lock.events.put_back(due);
  }

  /// A lock that does not become quiet soon never will.
  void settle(Lock& lock) {
    Time latest = lock.now + 100'000 * hop;
    while (!lock.quiet() && !result_.violation) {
      if (lock.events.empty() || lock.now > latest)
        return violate(Property::progress, "nobody enters a lock that is free, and wanted");
      Due due = lock.events.pop();
      lock.now = std::max(lock.now, due.at);
      handle(lock, due);
    }
  }
  void violate(Property property, std::string what) {
    if (!result_.violation) result_.violation = Violation{property, std::move(what)};
  }

  std::uint64_t push(Lock& lock, Events& events, Time at, const Event& event) {
    if (event.what != What::timer) ++lock.under_way;
    return events.push(at, event);
  }
  static Duration up_to(Duration most, Random& random) {
    return Duration(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most.count()) + 1)));
  }

  // What happens.

  void handle(Lock& lock, const Due& due) {
    const Event& event = due.event;
    if (!lock.events.empty()) prefetch_table(lock.events.next().event.node);
    if (event.what != What::timer) --lock.under_way;
    switch (event.what) {
      case What::ask: return ask(lock, event.node);
      case What::timer: return ring(lock, due);
      case What::arrive: return arrive(lock, event.node, envelopes_.take(event.a));
      case What::refused: {
        RoutedMessage e = envelopes_.take(event.a);
        return call(lock, event.node, [&](P& p, Out& out) { p.unreachable(e.to, e.message, out); });
      }
    }
  }

  /// Lets this node ask; another one if it has asked already, none if all have.
  void ask(Lock& lock, Node node) {
    if (lock.waiters + (lock.holder ? 1 : 0) >= places_.size()) return;
    auto has_asked = [&] {
      auto state = lock.states.find(node);
      return lock.holder == node || (state != lock.states.end() && state->second.waits);
    };
    while (has_asked()) node = anybody(network_);
    ++result_.asked;
    ++lock.waiters;
    members_[node].asked = true;
    call(
        lock, node, [](P& p, Out& out) { p.request(out); }, true);
  }

  void ring(Lock& lock, const Due& due) {
    auto state = lock.states.find(due.event.node);
    if (state == lock.states.end()) return;
    std::pair<TimerId, std::uint64_t> armed{TimerId(due.event.a), due.order};
    if (std::erase(state->second.armed, armed) == 0) return;
    call(lock, due.event.node, [&](P& p, Out& out) { p.timer(armed.first, out); });
  }

  LockState fresh_state(const Lock& lock, Node node) {
    start_.tuning.replication.name = lock.name;
    start_.home = members_[node].id;
    return {P(start_.home, start_), false, {}};
  }

  /// Keeps the state only if it remembers something afterwards. On most nodes that a message passes
  /// it does not.
  template <class Call>
  void call(Lock& lock, Node node, Call&& function, bool asks = false) {
    auto found = lock.states.lower_bound(node);
    bool is_kept = found != lock.states.end() && found->first == node;
    std::optional<LockState> fresh;
    if (!is_kept) fresh.emplace(fresh_state(lock, node));
    LockState& state = is_kept ? found->second : *fresh;
    state.waits |= asks;
    Out out;
    function(state.value, out);
    carry_out(lock, node, state, out);
    bool is_needed = !state.value.blank() || state.waits || !state.armed.empty();
    if (is_needed && !is_kept) {
      lock.states.emplace_hint(found, node, std::move(state));
      result_.values_most = std::max(result_.values_most, ++values_);
    } else if (is_kept && !is_needed) {
      forget(lock, node);
    }
  }
  void carry_out(Lock& lock, Node node, LockState& state, Out& out) {
    for (auto& send : out.sends()) {
      if (std::optional<Key> key = key_instead(lock, send.message))
        pass_on(lock, node, *key, 0, std::move(send.message));
      else
        post(lock, node, send.to, {}, 0, std::move(send.message));
    }
    for (auto& route : out.routes()) {
      result_.routed += route.message.index() == kind_of("Request");
      if (replicas_first_ && route.message.index() != kind_of("Moved")) {
        behind_.emplace_back(node, std::move(route));
        continue;
      }
      pass_on(lock, node, route.key, 0, std::move(route.message));
    }
    for (const Effect& effect : out.effects())
      std::visit([&](const auto& chosen) { apply(lock, node, state, chosen); }, effect);
  }
  /// The key to which a message for a replica goes, if clients know replicas only by their keys.
  std::optional<Key> key_instead(const Lock& lock, const Message& message) {
    if (!options_.by_keys) return std::nullopt;
    start_.tuning.replication.name = lock.name;
    overlay::Replicas replicas(start_.tuning.replication);
    return std::visit(
        [&]<class M>(const M& m) -> std::optional<Key> {
          std::string_view name = M::type_name;
          if constexpr (requires { m.replica; })
            if (name == "Release" || name == "Yield" || name == "Renew")
              return replicas.key(m.replica);
          return std::nullopt;
        },
        message);
  }
  void forget(Lock& lock, Node node) { values_ -= lock.states.erase(node); }

  void apply(Lock& lock, Node node, LockState& state, const Entered&) {
    if (lock.holder || !state.waits)
      violate(Property::mutual_exclusion, "somebody enters who has not asked, or beside another");
    lock.holder = node;
    state.waits = false;
    --lock.waiters;
    ++result_.granted;
  }
  void apply(Lock& lock, Node node, LockState& state, const Armed& armed) {
    apply(lock, node, state, Disarmed{armed.timer});
    bool is_plan = armed.timer == overlay::timer_of(overlay::Alarm::retry);
    Duration more = up_to(std::max(armed.max - armed.min, Duration{}), network_);
    Time at = is_plan ? begin_ + armed.min : lock.now + armed.min + more;
    std::uint64_t order = push(lock, is_plan ? lock.plans : lock.events, at,
                               {What::timer, node, static_cast<std::uint32_t>(armed.timer)});
    state.armed.emplace_back(armed.timer, order);
  }
  void apply(Lock&, Node, LockState& state, const Disarmed& disarmed) {
    std::erase_if(state.armed, [&](const auto& armed) { return armed.first == disarmed.timer; });
  }
  template <class E>
  void apply(Lock&, Node, LockState&, const E&) {
    CONCH_EXPECT(false, "no request is cancelled, and nothing fails");
  }

  // Messages. Nodes are all over the memory, so what a message will need is fetched while others
  // are handled: its receiver when it is sent, and the receiver's table when it is next.

  template <class T>
  static void prefetch(const T* first, std::size_t count) {
    auto* begin = reinterpret_cast<const std::byte*>(first);
    for (std::size_t at = 0; at < count * sizeof(T); at += 64) __builtin_prefetch(begin + at);
  }
  void prefetch_table(Node node) const {
    const auto& nodes = members_[node].overlay.table().nodes();
    prefetch(nodes.data(), nodes.size());
  }

  void pass_on(Lock& lock, Node node, Key key, unsigned hops, Message message) {
    CONCH_EXPECT(hops < overlay::hops_max, "a route ends");
    const Member& member = members_[node];
    // A node that leaves gives what it has to the next on the ring.
    std::optional<NodeId> next =
        member.here ? member.overlay.next_hop(key) : members_[places_.successor(member.id)].id;
    post(lock, node, next.value_or(member.id), key, hops + 1, std::move(message));
  }

  void post(Lock& lock, Node from, NodeId to, std::optional<Key> key, unsigned hops,
            Message message) {
    NodeId self = members_[from].id;
    bool inwards = to == self;
    if (!inwards) ++sent_[message.index()];
    if (handing_over_ && !inwards) ++result_.handover;
    std::optional<Node> node = inwards ? from : places_.find(to);
    if (node) prefetch(&members_[*node], 1);
    Duration delay = inwards ? hop / 1000 : hop / 2 + up_to(hop, network_);
    Slot slot = envelopes_.put({self, to, key, hops, std::move(message)});
    push(lock, lock.events, lock.now + delay,
         {node ? What::arrive : What::refused, node.value_or(from), slot});
  }
  void arrive(Lock& lock, Node node, RoutedMessage e) {
    Member& member = members_[node];
    if (e.from != member.id) ++member.load;
    if (!e.key) return call(lock, node, [&](P& p, Out& out) { p.receive(e.from, e.message, out); });
    std::optional<NodeId> next = member.overlay.next_hop(*e.key);
    if (!next) return call(lock, node, [&](P& p, Out& out) { p.deliver(*e.key, e.message, out); });
    auto passage = overlay::Passage::go_on;
    call(lock, node, [&](P& p, Out& out) { passage = p.forward(*e.key, e.message, *next, out); });
    if (passage == overlay::Passage::go_on)
      pass_on(lock, node, *e.key, e.hops, std::move(e.message));
    else
      result_.intercepted += e.message.index() == kind_of("Request");
  }

  // Members that join and leave: overlay_scale_churn.hpp.

  void churn();
  std::vector<Node> change_members();
  void hand_over(Lock& lock, const std::vector<std::optional<overlay::Arc>>& before);
  std::optional<overlay::Arc> domain(Node node) const {
    return members_[node].here ? members_[node].overlay.domain() : std::nullopt;
  }

  OverlayScaleOptions options_;
  /// How a value of any lock starts, at any node; the lock's name and the node are filled in.
  Assignment start_ = Assignment::fresh({}, {}, {});
  /// One draws requests and releases, one the network, and one the members: so that the requests
  /// are the same, however many nodes come and go.
  Random random_;
  Random network_;
  Random moves_;
  OverlayScaleResult result_;
  std::array<std::uint64_t, kinds> sent_ = {};
  std::size_t values_ = 0;

  std::vector<Member> members_;
  RingIndex places_;
  std::vector<Lock> locks_;
  /// When this round began.
  Time begin_;
  bool handing_over_ = false;
  bool replicas_first_ = false;
  std::vector<std::pair<Node, typename Out::Route>> behind_;
  Slots<RoutedMessage> envelopes_;
};

}  // namespace conch::sim

#include "sim/overlay_scale_churn.hpp"
