// The world of an overlay group: one event after the other, and oracles that see all of it.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/print.hpp"
#include "core/random.hpp"
#include "overlay/fence_clock.hpp"
#include "overlay/replicas.hpp"
#include "sim/event_queue.hpp"
#include "sim/overlay_oracle.hpp"
#include "sim/overlay_simulation.hpp"
#include "sim/perfect_overlay.hpp"
#include "sim/protocol_words.hpp"
#include "sim/recorder.hpp"

namespace conch::sim {

/// Whether a value routes by itself: a protocol and an overlay as one. For a protocol alone the
/// world routes.
template <class P>
concept SelfRouting = requires(const P& p) {
  p.overlay();
};

template <class P>
struct OutOf {
  using type = overlay::RoutedOutbox<typename P::Message>;
};
template <SelfRouting P>
struct OutOf<P> {
  using type = Outbox<typename P::Message>;
};

inline std::vector<std::uint64_t> draw_places(const OverlaySimulationOptions& options,
                                              Random& random) {
  std::set<std::uint64_t> places;
  while (places.size() < options.nodes + options.mishaps.joins) places.insert(random.next());
  std::vector<std::uint64_t> drawn(places.begin(), places.end());
  for (std::size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[random.below(i)]);
  return drawn;
}

template <class P>
class OverlaySimulation {
 public:
  explicit OverlaySimulation(const OverlaySimulationOptions& options)
      : options_(options),
        random_(options.seed, 1),
        chances_(options.seed, 2),
        lock_(options.tuning.replication),
        overlay_(options.overlay.ends_with("chord") ? PerfectOverlay::Root::successor
                                                    : PerfectOverlay::Root::nearest),
        recorder_(options.sink, [this](Node node) { return state_of(node); }) {}

  OverlaySimulationResult run() {
    found();
    schedule();
    while (!events_.empty() && !oracle_.violation() && within_bounds()) {
      auto [at, order, event] = events_.pop();
      now_ = at;
      handle(event);
    }
    if (!oracle_.violation()) judge();
    for (auto [kind, count] : kinds_) result_.kinds[upper_case(kind)] = count;
    result_.violation = oracle_.violation();
    recorder_.end();
    if (result_.violation) recorder_.violate(*result_.violation);
    result_.length = now_.time_since_epoch();
    return result_;
  }

 private:
  using Message = typename P::Message;
  using Out = typename OutOf<P>::type;
  using Key = overlay::Key;

  enum class What : std::uint8_t {
    arrive,
    refused,
    timer,
    ask,
    leave,
    cancel,
    crash,
    reset,
    restart,
    repair,
    detect,
    pause,
    resume,
    suspect,
    part,
    heal,
    join,
    knock,
    calm,
  };
  struct Event {
    What what = What::arrive;
    Node node = 0;
    /// The node's life when this was planned; where it matters, an event of another life is void.
    std::uint32_t life = 0;
    /// A message's slot, a timer's number, another node.
    std::uint32_t a = 0;
    /// The number of a timer's arming, or of a request.
    std::uint64_t b = 0;
  };
  struct RoutedMessage {
    Node from = 0;
    std::optional<Key> key;
    Message message;
    Time born;
    /// Identifies the message in the record; all copies have the same.
    std::uint64_t number = 0;
  };
  struct Peer {
    NodeId id;
    bool up = false;
    bool paused = false;
    bool joined = false;
    std::uint32_t life = 0;
    double speed = 1;
    std::optional<P> value;
    std::map<TimerId, std::uint64_t> armed;
    std::vector<Event> backlog;
    Doing doing = Doing::idle;
    std::uint64_t request = 0;
  };

  // Beginning.

  void found() {
    std::vector<std::uint64_t> drawn = draw_places(options_, random_);
    peers_.resize(drawn.size());
    for (Node node = 0; node < peers_.size(); ++node) {
      peers_[node].id = NodeId{drawn[node]};
      peers_[node].speed = 1 + options_.drift * (2 * random_.uniform() - 1);
      numbers_[peers_[node].id] = node;
    }
    for (Node node = 0; node < options_.nodes; ++node) overlay_.join(peers_[node].id);
    founders_ = Members(overlay_.members());
    for (Node node = 0; node < options_.nodes; ++node) begin(node);
    for (Node node = 0; node < options_.nodes; ++node) recorder_.begin(node);
    if constexpr (SelfRouting<P>)
      for (Node node = 0; node < options_.nodes; ++node)
        call(node, [](P& p, Out& out) { p.start(out); });
    NodeId first = overlay_.root(lock_.key(0));
    bool minority = replicas_at(first).size() == 1 && lock_.size() > lock_.majority();
    if (!options_.mishaps.dead || !minority) return;
    dead_ = replicas_at(first);
    overlay_.shun(first);
    peers_[node_number(first)].up = false;
  }
  void begin(Node node) {
    Peer& peer = peers_[node];
    peer.up = true;
    ++peer.life;
    bool founds = now_ == Time{};
    peer.joined = founds;
    peer.value.emplace(peer.id,
                       Assignment::fresh(founds ? founders_ : Members(), peer.id, options_.tuning));
  }

  Duration lease() const {
    return std::max<Duration>(options_.tuning.replication.lease, std::chrono::seconds(1));
  }
  Duration some(Duration least, Duration most) {
    return least + Duration(static_cast<std::int64_t>(
                       chances_.below(static_cast<std::uint64_t>((most - least).count()) + 1)));
  }
  Node anybody() { return static_cast<Node>(chances_.below(peers_.size())); }

  /// Requests come in bursts, and most mishaps come during one.
  void schedule() {
    const Mishaps& mishaps = options_.mishaps;
    unsigned troubles =
        mishaps.crashes + mishaps.pauses + mishaps.partitions + mishaps.joins + mishaps.resets / 3;
    const Duration section = options_.tuning.replication.section;
    Duration length = troubles > 0 ? (4 + 3 * troubles) * lease() : options_.requests * section;
    bool apart = mishaps.apart > Duration::zero();
    if (apart) {
      length = mishaps.apart + 4 * lease();
      plan(2 * lease(), What::part, 0);
    }
    std::vector<Duration> bursts;
    for (std::uint64_t i = 1 + chances_.below(3); i > 0; --i) bursts.push_back(some({}, length));
    auto during_a_burst = [&](Duration spread) {
      return bursts[chances_.below(bursts.size())] + some({}, spread);
    };
    for (unsigned i = 0; i < options_.requests; ++i)
      plan(apart ? some({}, length) : during_a_burst(options_.burst), What::ask,
           static_cast<Node>(chances_.below(options_.nodes)));
    for (auto [what, count] : {std::pair{What::crash, mishaps.crashes},
                               {What::reset, mishaps.resets},
                               {What::pause, mishaps.pauses},
                               {What::suspect, mishaps.suspicions},
                               {What::part, mishaps.partitions},
                               {What::join, mishaps.joins}})
      for (unsigned i = 0; i < count; ++i)
        plan(chances_.chance(0.7) ? during_a_burst(lease()) : some({}, length), what,
             what == What::join ? options_.nodes + i : 0);
    plan(length + 2 * lease(), What::calm, 0);
  }

  void plan(Duration after, What what, Node node, std::uint32_t a = 0, std::uint64_t b = 0) {
    events_.push(now_ + after, Event{what, node, peers_[node].life, a, b});
  }

  bool within_bounds() {
    // A self-routing overlay maintains itself with messages, even without requests.
    std::uint64_t upkeep = SelfRouting<P> ? 5'000 * peers_.size() : 0;
    std::uint64_t most = 20'000 + 8'000 * options_.requests + upkeep;
    if (result_.messages > most) oracle_.endless(result_.messages);
    if (!calm_) return true;
    bool settled =
        SelfRouting<P> && now_ > calm_at_ + 10 * lease() && !anybody_does(Doing::waiting);
    return !settled && now_ <= calm_at_ + 60 * lease();
  }

  bool anybody_does(Doing doing) const {
    return std::any_of(peers_.begin(), peers_.end(),
                       [&](const Peer& peer) { return peer.doing == doing; });
  }

  // What happens.

  void handle(const Event& event) {
    Peer& peer = peers_[event.node];
    switch (event.what) {
      case What::crash: return crash();
      case What::reset: return reset();
      case What::restart: return restart(event.node, event.life);
      case What::repair: return repair(event.node, event.life);
      case What::detect: return tell_all(event.node);
      case What::pause: return pause();
      case What::suspect: return suspect_somebody();
      case What::part: return part();
      case What::heal: return heal();
      case What::join: return join(event.node);
      case What::knock: return knock(event.node, event.life);
      case What::calm: return calm();
      case What::resume: return resume(event.node, event.life);
      default: break;
    }
    if (peer.paused) return peer.backlog.push_back(event);
    act(event);
  }

  void act(const Event& event) {
    Peer& peer = peers_[event.node];
    switch (event.what) {
      case What::arrive: return arrive(event.node, event.a, event.life);
      case What::refused: return refused(event.node, event.a, event.b, event.life);
      case What::timer:
        if (!peer.up || peer.life != event.life || peer.armed[TimerId(event.a)] != event.b) return;
        peer.armed.erase(TimerId(event.a));
        note(event.node, [&] { return "timer " + std::to_string(event.a); });
        return call(event.node, [&](P& p, Out& out) { p.timer(TimerId(event.a), out); });
      case What::ask: return ask(event.node);
      case What::leave:
        if (!current(peer, event) || peer.doing != Doing::inside) return;
        peer.doing = Doing::idle;
        oracle_.leave(event.node);
        tell(event.node, "leaves");
        record(Happening::exit, event.node);
        return call(event.node, [&](P& p, Out& out) { p.release(oracle_.written(), out); });
      case What::cancel:
        if (!current(peer, event) || peer.doing != Doing::waiting) return;
        tell(event.node, "cancels");
        record(Happening::cancel, event.node);
        return call(event.node, [](P& p, Out& out) { p.cancel(out); });
      default: return;
    }
  }
  bool current(const Peer& peer, const Event& event) const {
    return peer.up && peer.life == event.life && peer.request == event.b;
  }

  void ask(Node node) {
    Peer& peer = peers_[node];
    bool outside = !overlay_.has(peer.id) || !peer.joined;
    if (!peer.up || outside || peer.doing != Doing::idle) {
      if (!calm_ || peer.up)
        plan(some({}, lease()), What::ask, outside || calm_ ? anybody() : node);
      return;
    }
    peer.doing = Doing::waiting;
    peer.request = ++result_.asked;
    tell(node, "asks");
    record(Happening::request, node);
    if (chances_.chance(options_.cancel))
      plan(some({}, 10 * options_.tuning.replication.section), What::cancel, node, 0, peer.request);
    call(node, [](P& p, Out& out) { p.request(out); });
  }

  template <class Call>
  void call(Node node, Call&& function) {
    Peer& peer = peers_[node];
    Out out;
    recorder_.before_call(node);
    peer.value->tell_time(overlay::FenceClock{}.at(now_));
    function(*peer.value, out);
    for (auto& send : out.sends()) {
      bool further = goes_on(send.message);
      post(node, node_number(send.to), std::nullopt, std::move(send.message),
           further ? incoming_ : now_, !further);
    }
    if constexpr (!SelfRouting<P>)
      for (auto& route : out.routes()) pass_on(node, route.key, std::move(route.message), now_);
    for (const Effect& effect : out.effects())
      std::visit([&](const auto& chosen) { apply(node, chosen); }, effect);
    recorder_.after_call();
  }
  Node node_number(NodeId id) const { return numbers_.at(id); }
  /// Whether this is a further hop of a message.
  static bool goes_on([[maybe_unused]] const Message& message) {
    if constexpr (SelfRouting<P>)
      if (auto* carried = std::get_if<typename P::Carried>(&message)) return carried->hops > 1;
    return false;
  }

  void apply(Node node, const Entered& entered) {
    Peer& peer = peers_[node];
    tell(node, "ENTERS " + print(entered.baton));
    record(Happening::enter, node, {}, "fence " + print(entered.baton.fence));
    oracle_.enter(node, entered.baton, peer.doing,
                  [&](Node other) { return peers_[other].paused; });
    peer.doing = Doing::inside;
    ++result_.granted;
    const Duration section = options_.tuning.replication.section;
    Duration stay = some(section / 4, 2 * section);
    if (chances_.chance(options_.dwell)) stay = some({}, 2 * lease());
    plan(stay, What::leave, node, 0, peer.request);
  }
  void apply(Node node, const Withdrawn&) {
    if (peers_[node].doing != Doing::waiting) oracle_.broken("withdrawn without a cancel");
    peers_[node].doing = Doing::idle;
    record(Happening::withdrawn, node);
    ++result_.cancelled;
  }
  void apply(Node node, const Forfeited&) {
    tell(node, "LOST");
    record(Happening::lost, node);
    if (peers_[node].doing != Doing::inside) oracle_.broken("lost by somebody who is not inside");
    peers_[node].doing = Doing::idle;
    if (oracle_.lose(node)) ++result_.outlived;
    ++result_.lost;
  }
  void apply(Node node, const Joined&) {
    peers_[node].joined = true;
    record(Happening::joined, node);
  }
  void apply(Node, const Left&) {}
  void apply(Node node, const Armed& armed) {
    Peer& peer = peers_[node];
    Duration delay = some(armed.min, std::max(armed.min, armed.max));
    delay = Duration(static_cast<std::int64_t>(static_cast<double>(delay.count()) * peer.speed));
    peer.armed[armed.timer] = ++armings_;
    plan(delay, What::timer, node, static_cast<std::uint32_t>(armed.timer), armings_);
  }
  void apply(Node node, const Disarmed& disarmed) { peers_[node].armed.erase(disarmed.timer); }

  // Messages: overlay_simulation_messages.hpp.

  void pass_on(Node node, Key key, Message message, Time born);
  void post(Node from, Node to, std::optional<Key> key, Message message, Time born, bool fresh);
  void send_off(Duration after, What what, Node node, RoutedMessage envelope, std::uint64_t by = 0);
  void arrive(Node node, std::uint32_t slot, std::uint32_t life);
  void hop(Node node, RoutedMessage& envelope, NodeId from);
  void refused(Node node, std::uint32_t slot, std::uint64_t by, std::uint32_t life);

  // Mishaps: overlay_simulation_faults.hpp.

  std::set<overlay::Index> replicas_at(NodeId root) const;
  bool may_shake(const std::set<overlay::Index>& replicas) const;
  void shake(const std::set<overlay::Index>& replicas);
  std::optional<Node> victim();
  void crash();
  void crash(Node node);
  void reset();
  void restart(Node node, std::uint32_t life);
  void repair(Node node, std::uint32_t life);
  void tell_all(Node node);
  void come(Node node);
  template <class Change>
  void change_overlay(Node node, Change&& change);
  void join(Node node);
  void knock(Node node, std::uint32_t life);
  void pause();
  void resume(Node node, std::uint32_t life);
  void suspect_somebody();
  void part();
  void heal();
  void calm();
  void judge();

  template <class M>
  static std::string_view kind(const M& message) {
    if constexpr (Choice<M>) {
      return std::visit([](const auto& chosen) { return kind(chosen); }, message);
    } else if constexpr (requires { message.message; }) {
      return kind(message.message);
    } else {
      return M::type_name;
    }
  }
  /// Traces a message or a timer, which `events` does not have.
  template <class Words>
  void note(Node node, Words&& words) {
    if (options_.trace) *options_.trace << line(std::to_string(node) + " " + words()) << "\n";
  }
  void record(Happening happening, Node node, std::optional<Node> peer = {},
              const std::string& detail = {}, std::uint64_t message = 0) {
    if (recorder_.records())
      recorder_.write({now_, happening, node, peer, detail, {}, message}, nullptr);
  }
  void record_message(Happening happening, Node node, Node peer, const RoutedMessage& envelope) {
    if (!recorder_.records()) return;
    record(happening, node, peer, print_said<P>(envelope.message), envelope.number);
  }
  std::string state_of(Node node) const {
    const std::optional<P>& value = peers_[node].value;
    return value ? print_protocol(*value) : "";
  }
  void tell(Node node, const std::string& what) { tell(std::to_string(node) + " " + what); }
  void tell(const std::string& what) {
    result_.events.push_back(line(what));
    if (options_.trace) *options_.trace << result_.events.back() << "\n";
  }
  std::string line(const std::string& what) const {
    auto at = std::chrono::duration_cast<std::chrono::microseconds>(now_.time_since_epoch());
    std::string fraction = std::to_string(1'000'000 + at.count() % 1'000'000).substr(1);
    return std::to_string(at.count() / 1'000'000) + "." + fraction + " " + what;
  }

  OverlaySimulationOptions options_;
  /// One for the network, and one for everything else.
  Random random_;
  Random chances_;
  overlay::Replicas lock_;
  PerfectOverlay overlay_;
  Recorder recorder_;
  std::uint64_t envelopes_sent_ = 0;
  OverlayOracle oracle_;
  OverlaySimulationResult result_;
  std::map<std::string_view, std::uint64_t> kinds_;
  Time now_;
  std::uint64_t armings_ = 0;
  EventQueue<Event> events_;
  Slots<std::optional<RoutedMessage>> envelopes_;
  std::vector<Peer> peers_;
  std::map<NodeId, Node> numbers_;
  std::set<Node> parted_;
  Members founders_;
  /// When the message that is being handled was sent first.
  Time incoming_;
  /// When the roots of the replicas last changed or forgot.
  std::map<overlay::Index, Time> shaken_;
  /// The replicas that are dead from the beginning.
  std::set<overlay::Index> dead_;
  bool calm_ = false;
  Time calm_at_;
};

}  // namespace conch::sim

#include "sim/overlay_simulation_faults.hpp"
#include "sim/overlay_simulation_messages.hpp"
