#include "sim/observer.hpp"

#include <utility>

#include "core/print.hpp"

namespace conch::sim {

RunObserver::RunObserver(const Settings& watch, const SimulatedNodes& simulated_nodes)
    : simulated_nodes_(simulated_nodes),
      metrics_(watch.cluster_of, {simulated_nodes.kinds().begin(), simulated_nodes.kinds().end()},
               simulated_nodes.entry().about.restless),
      oracles_({.nodes = watch.nodes,
                .token = watch.token,
                .order = watch.order,
                .clocks = watch.sink != nullptr && watch.sink->wants_clocks()},
               simulated_nodes),
      recorder_(watch.sink, [&](Node node) { return simulated_nodes.brief_state(node); }) {
  if (watch.shared) sharing_.emplace();
  for (const VisitOracle::Rules& rules : watch.visits) visits_.emplace_back(rules);
}

void RunObserver::begin(Node nodes) {
  for (Node node = 0; node < nodes; ++node) recorder_.begin(node);
}

void RunObserver::report(Property property, const Finding& finding, Time now,
                         std::vector<Node> nodes) {
  oracles_.report(property, finding, std::move(nodes));
  collect(now);
}

/// Keeps the first violation as the run's.
void RunObserver::collect_violations(Time now) {
  for (Violation& violation : oracles_.take_violations()) {
    if (violation_) return;
    violation_ = std::move(violation);
    show(*violation_);
    violated_at_ = now;
  }
}

void RunObserver::record(Time now, Happening happening, Node node, std::optional<Node> peer,
                         std::string_view detail) {
  recorder_.write({now, happening, node, peer, std::string(detail)}, oracles_.clocks());
}

void RunObserver::record_message(Time now, Happening happening, Node node, Node peer, Slot slot) {
  recorder_.write({now, happening, node, peer, simulated_nodes_.print(slot), {}, slot + 1},
                  oracles_.clocks());
}

void RunObserver::note(Time now, Happening happening, Node node, std::optional<Node> peer,
                       std::string_view detail) {
  oracles_.step(node);
  write(now, happening, node, peer, detail);
}

void RunObserver::requested(Node node, const Wish& wish, Time now) {
  metrics_.requested(node, now);
  oracles_.requested(node, wish);
  if (sharing_) sharing_->requested(node, wish, oracles_.inside());
  for (VisitOracle& oracle : visits_) oracle.requested(node, now);
  if (wish == Wish{}) return write(now, Happening::request, node);
  write(now, Happening::request, node, {}, print(wish), hash64(wish));
}

void RunObserver::entered(Node node, const Entered& entered, Time now) {
  metrics_.entered(node, now);
  if (sharing_) sharing_->entered(node, oracles_.wish_of(node), oracles_.inside());
  oracles_.entered(node, entered);
  for (VisitOracle& oracle : visits_) oracles_.report(Property::visits, oracle.entered(node, now));
  std::string fence = recorder_.records() ? "fence " + print(entered.baton.fence) : "";
  write(now, Happening::enter, node, {}, fence);
  collect(now);
}

DataRef RunObserver::released(Node node, Time now) {
  metrics_.exited(node, now);
  DataRef data = oracles_.released(node);
  write(now, Happening::exit, node);
  return data;
}

void RunObserver::cancelled(Node node, Time now) {
  oracles_.cancelled(node);
  write(now, Happening::cancel, node);
}

void RunObserver::withdrawn(Node node, Time now) {
  metrics_.gave_up(node);
  if (sharing_) sharing_->gave_up(node);
  for (VisitOracle& oracle : visits_) oracle.gave_up(node);
  note(now, Happening::withdrawn, node);
}

void RunObserver::missed(Node node, Node from, Slot slot, bool token, Time now) {
  oracles_.missed(node, from, slot, token);
  write_message(now, Happening::lose, from, node, 0, slot);
  collect(now);
}

void RunObserver::lost(const Posted& message, Time now) {
  oracles_.lost(message);
  write_message(now, Happening::lose, message.from, message.to, 0, message.slot);
}

void RunObserver::duplicated(const Posted& message, Time now) {
  oracles_.duplicated(message);
  write_message(now, Happening::duplicate, message.from, message.to, 0, message.slot);
}

Causality::Clock RunObserver::tells(Node node, Node to, Time now) {
  metrics_.told();
  Causality::Clock clock = oracles_.tells(node);
  write(now, Happening::tell, node, to);
  return clock;
}

void RunObserver::told(Node node, Node from, const Causality::Clock& clock, Time now) {
  oracles_.told(node, clock);
  write(now, Happening::told, node, from);
}

void RunObserver::crashed(Node node, Time now) {
  metrics_.crashed(node);
  if (sharing_) sharing_->gave_up(node);
  for (VisitOracle& oracle : visits_) oracle.gave_up(node);
  oracles_.crashed(node);
  write(now, Happening::crash, node);
}

void RunObserver::joins(Node node, Time now) {
  oracles_.joins(node);
  write(now, Happening::join, node);
}

void RunObserver::gone(Node node, Time now) {
  oracles_.gone(node);
  write(now, Happening::left, node);
}

}  // namespace conch::sim
