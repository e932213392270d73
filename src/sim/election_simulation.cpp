#include "sim/election_simulation.hpp"

#include <algorithm>
#include <numeric>

#include "core/print.hpp"

namespace conch::sim {

namespace {

constexpr std::uint64_t workload_stream = 2;
constexpr std::uint64_t fault_stream = 3;

Options network_of(const ElectionOptions& options) {
  Options network;
  network.clusters = {options.nodes};
  network.seed = options.seed;
  network.local_latency = network.remote_latency = options.latency;
  network.channel = options.channel;
  network.faults.clog = options.clog;
  return network;
}

/// An election with more deliveries than this never ends.
std::uint64_t deliveries_max(const ElectionOptions& options) {
  std::uint64_t nodes = options.nodes;
  std::uint64_t causes =
      4 + options.starts + options.starters.size() + options.retires +
      std::uint64_t{3} * options.crashes.value_or(ElectionOptions::crashes_usual);
  return 1000 + 20 * causes * nodes * nodes;
}

std::vector<NodeId> shuffled(Node nodes, Random& random) {
  std::vector<NodeId> ring;
  for (Node node = 0; node < nodes; ++node) ring.push_back(id_of(node));
  for (std::size_t i = ring.size(); i > 1; --i) std::swap(ring[i - 1], ring[random.below(i)]);
  return ring;
}

}  // namespace

ElectionSimulation::ElectionSimulation(const ElectionOptions& options, TraceSink* sink)
    : options_((validate(options), options)),
      random_(options.seed, workload_stream),
      fault_random_(options.seed, fault_stream),
      simulated_nodes_(make_simulated_nodes(find_any(options.algorithm), options.nodes, *this)),
      network_(network_of(options)),
      observer_({.nodes = options.nodes, .cluster_of = network_.clusters(), .sink = sink},
                *simulated_nodes_),
      processes_(options.nodes),
      oracle_(options.nodes) {
  timeouts_ = timeouts_for(options.latency.bound().value_or(Duration{}));
  timeouts_.answer = options.answer_timeout.value_or(timeouts_.answer);
  timeouts_.announcement = options.coordinator_timeout.value_or(timeouts_.announcement);
  detect_ =
      options.detect.value_or(timeouts_for(options.latency.bound().value_or(Duration{})).answer);
  ring_ = options.ring.empty() ? shuffled(options.nodes, random_) : options.ring;
}

ElectionResult ElectionSimulation::run() {
  InvariantWatch watch;
  try {
    start();
    while (!events_.empty() && !result_.violation) {
      auto [at, order, happens] = events_.pop();
      now_ = at;
      handle(happens);
    }
    if (!result_.violation) judge();
  } catch (const BrokenInvariant& broken) {
    report(Property::invariant, std::string(broken.what()));
  }
  observer_.end();
  result_.messages = observer_.metrics().report(now_).messages;
  if (auto node = coordinator()) result_.coordinator = id_of(*node);
  result_.turnaround_s = began_ ? seconds_of(settled_ - *began_) : 0;
  result_.ended = now_;
  result_.trace_hash = observer_.trace_hash();
  return result_;
}

Assignment ElectionSimulation::assignment() const {
  Tuning tuning;
  tuning.answer_timeout = timeouts_.answer;
  tuning.coordinator_timeout = timeouts_.announcement;
  Assignment start = Assignment::fresh(Members::first(options_.nodes), id_of(0), tuning);
  start.ring = ring_;
  return start;
}

void ElectionSimulation::start() {
  Assignment start = assignment();
  for (Node node = 0; node < options_.nodes; ++node) {
    simulated_nodes_->create(node, start);
    oracle_.candidate(node, now_);
  }
  for (Node node : options_.down) {
    processes_[node].up = false;
    oracle_.no_candidate(node);
    simulated_nodes_->destroy(node);
  }
  observer_.begin(options_.nodes);
  for (Node node : options_.starters) at(now_, {.what = Action::begin, .node = node});
  for (const Crash& crash : options_.scheduled_crashes)
    at(Time(crash.at),
       {.what = Action::crash,
        .node = crash.who.node,
        .victim = crash.who.role == Who::Role::number ? Victim::node : Victim::coordinator,
        .length = crash.length});
  draw_schedule();
}

/// Draws events within the spread, which is so short that they overlap. After it every process that
/// knows of no coordinator and no election begins one.
void ElectionSimulation::draw_schedule() {
  const CatalogEntry& entry = simulated_nodes_->entry();
  Duration lap = options_.nodes * options_.latency.mean();
  Duration spread = options_.spread.value_or(entry.can.timed ? 6 * timeouts_.announcement
                                                             : std::max(2 * lap, Duration{1}));
  auto within = [&](Random& random, Duration whole) {
    return Distribution::uniform(Duration{0}, whole).draw(random);
  };
  auto anybody = [&](Random& random) { return static_cast<Node>(random.below(options_.nodes)); };
  for (std::uint32_t i = 0; i < options_.starts; ++i)
    at(Time(i == 0 ? Duration{0} : within(random_, spread)),
       {.what = Action::begin, .node = anybody(random_)});
  for (std::uint32_t i = 0; i < options_.retires; ++i)
    at(Time(within(random_, spread)), {.what = Action::retire});
  std::uint32_t usual = entry.can.restarts ? ElectionOptions::crashes_usual : 0;
  for (std::uint32_t i = 0; i < options_.crashes.value_or(usual); ++i) {
    Happens crash{.what = Action::crash, .node = anybody(fault_random_)};
    Duration when = within(fault_random_, spread);
    crash.victim = static_cast<Victim>(fault_random_.below(3));
    if (fault_random_.chance(options_.restarts))
      crash.length = within(fault_random_, 2 * timeouts_.announcement);
    at(Time(when), crash);
  }
  if (options_.starts == 0) return;
  for (Node node = 0; node < options_.nodes; ++node)
    at(Time(2 * spread), {.what = Action::begin_if_none, .node = node});
}

void ElectionSimulation::at(Time when, Happens happens) {
  happens.life = processes_[happens.node].life;
  events_.push(when, happens);
}

void ElectionSimulation::handle(const Happens& happens) {
  Process& process = processes_[happens.node];
  switch (happens.what) {
    case Action::begin:
      if (process.up) begin(happens.node);
      return;
    case Action::begin_if_none:
      if (process.up && !process.elected && !simulated_nodes_->participant(happens.node))
        begin(happens.node);
      return;
    case Action::crash: return crash(happens);
    case Action::restart: return restart(happens.node);
    case Action::retire: return retire();
    case Action::notice: {
      process.notices.reset();
      const Process& other = processes_[happens.other];
      bool down = !other.up && other.life == happens.other_life;
      if (happens.life == process.life && down && process.elected == id_of(happens.other)) {
        observer_.note(now_, Happening::suspect, happens.node, happens.other);
        begin(happens.node);
      } else {
        watch(happens.node);
      }
      return;
    }
    case Action::timer: {
      auto found = process.armed.find(happens.timer);
      bool armed = found != process.armed.end() && found->second == happens.other_life;
      if (happens.life != process.life || !armed) return;
      return call(happens.node,
                  [&] { simulated_nodes_->tell(happens.node, input::Timer{happens.timer}); });
    }
    case Action::deliver: return deliver(*happens.message, happens.life);
  }
}

// Messages.

bool ElectionSimulation::announces(const Posted& message) const {
  const std::string& kind = simulated_nodes_->kinds()[message.kind];
  return kind == "COORDINATOR" || kind == "ELECTED";
}

/// Nothing is lost, except what is on its way to a process when it crashes.
void ElectionSimulation::post(const Posted& message) {
  observer_.sent(message, now_);
  if (simulated_nodes_->kinds()[message.kind] == "ELECTION") oracle_.asks(message.from, now_);
  if (announces(message)) ++processes_[message.from].announcing;
  Arrivals arrivals = network_.carry(message.from, message.to, message.bytes, now_);
  at(arrivals.at[0], {.what = Action::deliver, .node = message.to, .message = message});
}

void ElectionSimulation::deliver(const Posted& message, std::uint32_t life) {
  if (announces(message)) --processes_[message.from].announcing;
  const Process& receiver = processes_[message.to];
  if (!receiver.up || receiver.life != life) {
    observer_.lost(message, now_);
  } else {
    ++delivered_;
    observer_.received(message.to, message.from, message.slot, now_);
    call(message.to, [&] { simulated_nodes_->receive(message.to, message.from, message.slot); });
  }
  simulated_nodes_->discard(message.slot);
  if (delivered_ > deliveries_max(options_))
    report(Property::all_elect, "it does not come to an end: " + std::to_string(delivered_) +
                                    " messages were delivered");
}

void ElectionSimulation::armed(Node node, const Armed& armed) {
  std::uint32_t number = ++processes_[node].armed[armed.timer];
  Duration delay = Distribution::uniform(armed.min, armed.max).draw(random_);
  at(now_ + delay,
     {.what = Action::timer, .node = node, .other_life = number, .timer = armed.timer});
}

void ElectionSimulation::disarmed(Node node, TimerId timer) { ++processes_[node].armed[timer]; }

// Processes.

template <class Call>
void ElectionSimulation::call(Node node, Call&& function) {
  observer_.before_call(node, false);
  function();
  observer_.after_call(node, now_);
  look_at(node);
}

void ElectionSimulation::begin(Node node) {
  ++result_.elections;
  if (!began_) began_ = now_;
  if (anybody_takes_part()) ++result_.sights.overlapped;
  observer_.note(now_, Happening::elect, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Elect{}); });
}

void ElectionSimulation::retire() {
  std::optional<Node> node = coordinator();
  if (!node) return;
  retired_last_ = node;
  observer_.note(now_, Happening::retire, *node);
  call(*node, [&] { simulated_nodes_->tell(*node, input::Retire{}); });
}

void ElectionSimulation::look_at(Node node) {
  Process& process = processes_[node];
  bool retired = simulated_nodes_->retired(node);
  if (retired != process.retired) {
    process.retired = retired;
    retired ? oracle_.no_candidate(node) : oracle_.candidate(node, now_);
  }
  std::optional<NodeId> before = std::exchange(process.elected, simulated_nodes_->elected(node));
  if (process.elected != before) changed(node, before);
  watch(node);
}

void ElectionSimulation::changed(Node node, std::optional<NodeId> before) {
  Process& process = processes_[node];
  if (before == id_of(node)) report(Property::right_coordinator, oracle_.steps_back(node));
  if (!process.elected) return;
  settled_ = now_;
  observer_.note(now_, Happening::elected, node, node_of(*process.elected));
  ElectionSights& sights = result_.sights;
  bool itself = process.elected == id_of(node);
  if (process.restarted && *process.elected < id_of(node)) ++sights.stood_back;
  if (!itself) return;
  ++result_.coordinators;
  for (Node other = 0; other < options_.nodes; ++other)
    if (process.restarted && other != node && processes_[other].up &&
        processes_[other].elected == id_of(other))
      ++sights.took_over;
  if (retired_last_ && *retired_last_ != node) ++sights.replaced;
  retired_last_.reset();
  report(Property::right_coordinator, oracle_.elects_itself(node));
  if (ambushes_.empty()) return;
  Happens crash = ambushes_.back();
  ambushes_.pop_back();
  crash.node = node;
  crash.victim = Victim::node;
  at(now_ + options_.latency.draw(fault_random_) / 2, crash);
}

/// A process notices when the coordinator that it has elected is down or goes down.
void ElectionSimulation::watch(Node node) {
  Process& process = processes_[node];
  if (!process.up || !process.elected || process.notices) return;
  Node other = node_of(*process.elected);
  const Process& its = processes_[other];
  if (its.up) return;
  process.notices = {other, its.life};
  at(now_ + detect_,
     {.what = Action::notice, .node = node, .other = other, .other_life = its.life});
}

void ElectionSimulation::crash(const Happens& happens) {
  if (happens.victim == Victim::next_announcer) return ambushes_.push_back(happens);
  std::optional<Node> node = happens.node;
  if (happens.victim == Victim::coordinator) node = coordinator();
  if (node && processes_[*node].up) crash_node(*node, happens.length);
}

void ElectionSimulation::crash_node(Node node, std::optional<Duration> length) {
  Process& process = processes_[node];
  ElectionSights& sights = result_.sights;
  if (simulated_nodes_->participant(node)) ++sights.crashed_amid;
  if (process.elected == id_of(node) && process.announcing > 0) ++sights.died_announcing;
  observer_.crashed(node, now_);
  if (process.elected == id_of(node)) report(Property::right_coordinator, oracle_.steps_back(node));
  oracle_.no_candidate(node);
  simulated_nodes_->destroy(node);
  process = {.up = false,
             .life = process.life + 1,
             .announcing = process.announcing,
             .armed = process.armed};
  for (Node other = 0; other < options_.nodes; ++other) watch(other);
  if (length) at(now_ + *length, {.what = Action::restart, .node = node});
}

void ElectionSimulation::restart(Node node) {
  Process& process = processes_[node];
  if (process.up) return;
  process.up = process.restarted = true;
  observer_.note(now_, Happening::restart, node);
  oracle_.candidate(node, now_);
  simulated_nodes_->create(node, assignment());
  ++result_.elections;
  if (!began_) began_ = now_;
  call(node, [&] { simulated_nodes_->tell(node, input::Restart{}); });
}

std::optional<Node> ElectionSimulation::coordinator() const {
  for (Node node = options_.nodes; node-- > 0;)
    if (processes_[node].up && processes_[node].elected == id_of(node)) return node;
  return {};
}

bool ElectionSimulation::anybody_takes_part() const {
  for (Node node = 0; node < options_.nodes; ++node)
    if (processes_[node].up && simulated_nodes_->participant(node)) return true;
  return false;
}

// At the end.

std::vector<Voter> ElectionSimulation::voters() const {
  std::vector<Voter> list;
  for (Node node = 0; node < options_.nodes; ++node)
    if (processes_[node].up)
      list.push_back({node, simulated_nodes_->elected(node), simulated_nodes_->participant(node),
                      simulated_nodes_->retired(node)});
  return list;
}

void ElectionSimulation::judge() {
  report(Property::right_coordinator,
         wrong_coordinator(voters(), promise_of(simulated_nodes_->entry())));
  report(Property::all_elect, undecided(voters()));
}

void ElectionSimulation::report(Property property, const Finding& finding) {
  if (!finding || result_.violation) return;
  result_.violation = Violation{property, *finding};
  for (Node node = 0; node < options_.nodes; ++node) {
    const Process& process = processes_[node];
    bool concerned =
        property == Property::right_coordinator ? process.elected == id_of(node) : !process.elected;
    if (process.up && concerned) result_.violation->nodes.push_back(node);
  }
  observer_.show(*result_.violation);
}

ElectionResult simulate(const ElectionOptions& options, TraceSink* sink) {
  return ElectionSimulation(options, sink).run();
}

}  // namespace conch::sim
