#include "sim/simulation.hpp"

#include <algorithm>
#include <cmath>

namespace conch::sim {

namespace {

constexpr std::uint64_t workload_stream = 2;
constexpr std::uint64_t fault_stream = 3;

/// So many deliveries without an entry, while a node waits, are a livelock.
constexpr std::uint64_t stalled_after(Node nodes) { return 20'000 + 2'000 * std::uint64_t{nodes}; }

/// Not zero: where messages take no time, a link would repeat itself all the while that a node is
/// stopped.
Duration first_repetition(const Options& options) {
  return std::max<Duration>(6 * options.latency_max(), std::chrono::milliseconds(1));
}

/// The bounds in the algorithms' header comments.
std::vector<VisitOracle::Rules> visit_rules(const Options& options, const NetworkModel& network) {
  if (options.clusters.size() < 2) return {};
  Duration known_after = 4 * options.latency_max();
  std::vector<VisitOracle::Rules> rules{{network.clusters(), known_after, {}}};
  if (!options.visits_checked) return rules;
  std::uint64_t eps = options.tuning.eps;
  for (Node size : options.clusters) rules[0].bounds.push_back(size + eps + 1);
  if (options.sites.empty()) return rules;
  rules.push_back({network.sites(), known_after, {}});
  auto bound = rules[0].bounds.begin();
  for (Node clusters : options.sites) {
    std::uint64_t largest = *std::max_element(bound, bound + clusters);
    rules[1].bounds.push_back(clusters * (1 + eps) * largest);
    bound += clusters;
  }
  return rules;
}

}  // namespace

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::held: return "held";
    case Verdict::violated: return "violated";
    case Verdict::not_promised: return "not promised";
    case Verdict::not_checked: return "not checked";
  }
  return "?";
}

Simulation::Simulation(const Options& options, TraceSink* sink)
    : options_((validate(options), options)),
      random_(options.seed, workload_stream),
      fault_random_(options.seed, fault_stream),
      simulated_nodes_(
          make_simulated_nodes(find_algorithm(options.algorithm), options.nodes(), *this)),
      network_(options),
      observer_(watched(sink), *simulated_nodes_),
      in_flight_(options.nodes()),
      transport_({network_, events_, observer_, *simulated_nodes_, in_flight_}),
      processes_(options.nodes()),
      roster_(Members::first(options.nodes())),
      clusters_(options.labels()),
      stalled_after_(stalled_after(options.nodes())),
      has_structure_(simulated_nodes_->entry().can.structured),
      watches_structure_(has_structure_ && options.nodes() <= options.structure_checked_up_to),
      restless_(simulated_nodes_->entry().about.restless) {
  if (!options_.uses_link()) return;
  links_.emplace(Wiring{network_, events_, observer_, *simulated_nodes_, in_flight_},
                 first_repetition(options_));
}

RunObserver::Settings Simulation::watched(TraceSink* sink) const {
  const CatalogEntry& entry = simulated_nodes_->entry();
  Node nodes = options_.nodes();
  return {.nodes = nodes,
          .cluster_of = network_.clusters(),
          .token = entry.can.token,
          .order = entry.about.promises_order && nodes <= options_.order_checked_up_to,
          .shared = options_.shares(),
          .visits = visit_rules(options_, network_),
          .sink = sink};
}

Assignment Simulation::assignment(NodeId home, const Baton& baton) const {
  return {Epoch{}, roster_, home, baton, options_.tuning, {}, clusters_};
}

// Defined before the loop, which spends its time here.

void Simulation::post(const Posted& message) {
  observer_.sent(message, now_);
  if (!present(message.to)) {
    observer_.lost(message, now_);
    return simulated_nodes_->discard(message.slot);
  }
  links_ ? links_->send(message, now_) : transport_.send(message, now_);
}

inline void Simulation::hand_over(Node node, const ArrivedMessage& message) {
  if (!present(node))
    return observer_.missed(node, message.from, message.slot, message.token, now_);
  ++delivered_;
  ++delivered_since_entry_;
  observer_.received(node, message.from, message.slot, now_);
  call(
      node, [&] { simulated_nodes_->receive(node, message.from, message.slot); }, message.token);
}

inline void Simulation::deliver(const Event& event) {
  ArrivedMessage message = transport_.arrive(event);
  if (linked(event.node)) hand_over(event.node, message);
  transport_.done(message.slot);
}

void Simulation::deliver_by_link(const Event& event) {
  if (!linked(event.node)) return links_->drop(event);
  for (const ArrivedMessage& message : links_->arrive(event, now_)) {
    hand_over(event.node, message);
    links_->done(message.slot);
  }
}

Result Simulation::run() {
  InvariantWatch watch;
  try {
    start();
    while (!over()) {
      Scheduled<Event> due = events_.pop();
      now_ = due.at;
      handle(due);
      if (!draining_.empty()) see_off();
      if (watches_structure_) check_structure();
    }
    if (has_structure_) check_structure();
  } catch (const BrokenInvariant& broken) {
    observer_.report(Property::invariant, broken.what(), now_);
  }
  return result();
}

void Simulation::start() {
  Assignment start = assignment(id_of(0), Baton{Fence(Epoch{}, 0), {}});
  Node nodes = options_.nodes();
  auto churners = static_cast<Node>(std::ceil(options_.churn * nodes));
  Node first_churner = nodes - std::min(churners, nodes - 1);
  active_ = nodes;
  for (Node node = 0; node < nodes; ++node) {
    simulated_nodes_->create(node, start);
    Process& process = processes_[node];
    process.remaining = asks(node) ? options_.requests : 0;
    process.churns = node >= first_churner;
    process.rate = 1 + options_.faults.drift * (2 * fault_random_.uniform() - 1);
  }
  observer_.begin(nodes);
  schedule_faults();
  for (Node node = 0; node < nodes; ++node) {
    call(node, [&] { simulated_nodes_->tell(node, input::Start{}); });
    think(node);
  }
}

void Simulation::handle(const Scheduled<Event>& due) {
  const Event& event = due.event;
  Process& process = processes_[event.node];
  if (event.what == What::deliver && now_ >= process.paused_until) return deliver(event);
  bool of_the_network = event.what <= What::retransmit;
  bool of_the_world = event.what >= What::fault;
  if (!of_the_network) --local_events_;
  if (now_ < process.paused_until && !of_the_world) {
    if (!of_the_network) ++local_events_;
    // Keeps its order: messages of a channel arrive in turn, however many pauses delay them.
    return events_.put_back({process.paused_until, due.order, event});
  }
  if (!of_the_network && !of_the_world && event.life != process.life) return;
  switch (event.what) {
    case What::deliver: return deliver(event);
    case What::frame:
    case What::retransmit: return deliver_by_link(event);
    case What::tell: return tell(event.node, event.a);
    case What::told: return told(event);
    case What::think: return request(event.node);
    case What::release: return release(event.node, event.b);
    case What::cancel: return cancel(event.node, event.b);
    case What::drop: return drop(event.node, event.b);
    case What::leave: return leave(event.node);
    case What::join: return join(event.node);
    case What::roster: return publish_roster();
    case What::timer: {
      TimerId timer{static_cast<std::uint8_t>(event.a)};
      if (timers_[{event.node, timer}] != event.b) return;
      return call(event.node, [&] { simulated_nodes_->tell(event.node, input::Timer{timer}); });
    }
    case What::fault: return begin_fault(event.b);
    case What::fault_ends: return end_fault(event.b);
    case What::detect: return suspect(event.a);
    case What::calm: return network_.calm();
  }
}

void Simulation::begin_pending_faults() {
  for (std::size_t number : std::exchange(pending_faults_, {})) begin_fault(number);
}

void Simulation::report_stuck(bool is_dead) {
  std::uint64_t waiting = observer_.metrics().waiting();
  std::string those = std::to_string(waiting) + " wait";
  std::string what = is_dead ? "nothing can happen any more"
                             : "livelock: " + std::to_string(delivered_since_entry_) +
                                   " messages arrived since the last entry and " + those;
  if (is_dead && waiting > 0) what = "deadlock: " + what + " and " + those;
  observer_.report(Property::progress, what, now_, waiters());
}

std::vector<Node> Simulation::waiters() const {
  std::vector<Node> nodes;
  for (Node node = 0; node < processes_.size(); ++node) {
    Phase phase = processes_[node].phase;
    if (phase == Phase::waiting || phase == Phase::cancelling) nodes.push_back(node);
  }
  return nodes;
}

void Simulation::check_memory() {
  if (observer_.violation() || anybody_crashed_ || options_.faults.drop) return;
  auto start = make_simulated_nodes(simulated_nodes_->entry(), options_.nodes(), *this);
  std::size_t allowed = 0;
  std::size_t remembered = 0;
  Assignment fresh = assignment(roster_[0], Baton{});
  for (NodeId member : roster_) {
    Node node = node_of(member);
    start->create(node, fresh);
    allowed += start->remembered(node);
    remembered += simulated_nodes_->remembered(node);
  }
  observer_.report(Property::memory, memory_at_rest(remembered, allowed), now_);
}

/// Examines the members that have joined, while nothing is on its way.
void Simulation::examine_structure() {
  if (observer_.violation() || anybody_crashed_ || options_.faults.drop) return;
  std::vector<Node> members;
  for (NodeId member : roster_)
    if (processes_[node_of(member)].phase != Phase::joining) members.push_back(node_of(member));
  touched_ = false;
  if (members.empty()) return;
  ++structure_checks_;
  observer_.report(Property::structure, finding_of(simulated_nodes_->disorder(members)), now_);
}

Result Simulation::result() {
  const About& about = simulated_nodes_->entry().about;
  check_memory();
  observer_.end();
  Result result;
  result.report = observer_.metrics().report(now_);
  result.visits = observer_.visits();
  result.sharing = observer_.sharing();
  result.violation = observer_.violation();
  result.ended = now_;
  result.trace_hash = observer_.trace_hash();
  result.happened = observer_.happened();
  result.delivered = delivered_;
  result.bytes_per_node = simulated_nodes_->bytes_per_node();
  result.waiting = waiters();
  auto verdict = [&](Property property) {
    bool broken = result.violation && result.violation->property == property;
    return broken ? Verdict::violated : Verdict::held;
  };
  result.mutual_exclusion = verdict(Property::mutual_exclusion);
  result.progress = verdict(Property::progress);
  result.order = verdict(Property::order);
  if (!about.promises_order)
    result.order = Verdict::not_promised;
  else if (options_.nodes() > options_.order_checked_up_to)
    result.order = Verdict::not_checked;
  result.structure = verdict(Property::structure);
  result.structure_checks = structure_checks_;
  if (!simulated_nodes_->entry().can.structured)
    result.structure = Verdict::not_promised;
  else if (structure_checks_ == 0)
    result.structure = Verdict::not_checked;
  // A run that ended at a broken safety property does not tell whether waiters would have entered.
  if (result.violation && is_safety(result.violation->property))
    result.progress = Verdict::not_checked;
  return result;
}

Result simulate(const Options& options, TraceSink* sink) { return Simulation(options, sink).run(); }

}  // namespace conch::sim
