#include "sim/observer.hpp"

#include <utility>

#include "core/print.hpp"

namespace conch::sim {

Observer::Observer(const Watch& watch, const Population& population)
    : population_(population),
      metrics_(watch.cluster_of, {population.kinds().begin(), population.kinds().end()},
               population.entry().about.restless),
      jury_({.nodes = watch.nodes,
             .token = watch.token,
             .order = watch.order,
             .clocks = watch.sink != nullptr && watch.sink->wants_clocks()},
            population),
      recorder_(watch.sink, [&](Node node) { return population.brief_state(node); }) {
  if (watch.shared) company_.emplace();
  for (const VisitOracle::Rules& rules : watch.visits) visits_.emplace_back(rules);
}

void Observer::begin(Node nodes) {
  for (Node node = 0; node < nodes; ++node) recorder_.begin(node);
}

void Observer::report(Property property, const Finding& finding, Time now,
                      std::vector<Node> nodes) {
  jury_.report(property, finding, std::move(nodes));
  collect(now);
}

/// The first violation is the run's.
void Observer::collect(Time now) {
  for (Violation& violation : jury_.take_violations()) {
    if (violation_) return;
    violation_ = std::move(violation);
    show(*violation_);
    violated_at_ = now;
  }
}

void Observer::write(Time now, Happening happening, Node node, std::optional<Node> peer,
                     const std::string& detail, std::uint64_t content) {
  ++happened_[static_cast<std::size_t>(happening)];
  hash_.add(now, happening, node, peer.value_or(node), content);
  if (recorder_.records()) recorder_.write({now, happening, node, peer, detail}, jury_.clocks());
}

void Observer::write_message(Time now, Happening happening, Node node, Node peer,
                             std::uint64_t content, Slot slot) {
  ++happened_[static_cast<std::size_t>(happening)];
  hash_.add(now, happening, node, peer, content);
  if (recorder_.records())
    recorder_.write({now, happening, node, peer, population_.print(slot), {}, slot + 1},
                    jury_.clocks());
}

void Observer::note(Time now, Happening happening, Node node, std::optional<Node> peer,
                    const std::string& detail) {
  jury_.step(node);
  write(now, happening, node, peer, detail);
}

void Observer::requested(Node node, const Wish& wish, Time now) {
  metrics_.requested(node, now);
  jury_.requested(node, wish);
  if (company_) company_->requested(node, wish, jury_.inside());
  for (VisitOracle& oracle : visits_) oracle.requested(node, now);
  if (wish == Wish{}) return write(now, Happening::request, node);
  write(now, Happening::request, node, {}, print(wish), hash64(wish));
}

void Observer::entered(Node node, const Entered& entered, Time now) {
  metrics_.entered(node, now);
  if (company_) company_->entered(node, jury_.wish_of(node), jury_.inside());
  jury_.entered(node, entered);
  for (VisitOracle& oracle : visits_) jury_.report(Property::visits, oracle.entered(node, now));
  write(now, Happening::enter, node, {},
        recorder_.records() ? "fence " + print(entered.baton.fence) : "");
  collect(now);
}

DataRef Observer::released(Node node, Time now) {
  metrics_.exited(node, now);
  DataRef data = jury_.released(node);
  write(now, Happening::exit, node);
  return data;
}

void Observer::cancelled(Node node, Time now) {
  jury_.cancelled(node);
  write(now, Happening::cancel, node);
}

void Observer::withdrawn(Node node, Time now) {
  metrics_.gave_up(node);
  if (company_) company_->gave_up(node);
  for (VisitOracle& oracle : visits_) oracle.gave_up(node);
  note(now, Happening::withdrawn, node);
}

void Observer::sent(const Posted& message, Time now) {
  metrics_.sent(message);
  jury_.sent(message);
  write_message(now, Happening::send, message.from, message.to, message.hash, message.slot);
  collect(now);
}

void Observer::received(Node node, Node from, Slot slot, Time now) {
  metrics_.received(node);
  jury_.received(node, slot);
  write_message(now, Happening::receive, node, from, 0, slot);
}

void Observer::missed(Node node, Node from, Slot slot, bool token, Time now) {
  jury_.missed(node, from, slot, token);
  write_message(now, Happening::lose, from, node, 0, slot);
  collect(now);
}

void Observer::lost(const Posted& message, Time now) {
  jury_.lost(message);
  write_message(now, Happening::lose, message.from, message.to, 0, message.slot);
}

void Observer::duplicated(const Posted& message, Time now) {
  jury_.duplicated(message);
  write_message(now, Happening::duplicate, message.from, message.to, 0, message.slot);
}

Causality::Clock Observer::tells(Node node, Node to, Time now) {
  metrics_.told();
  Causality::Clock clock = jury_.tells(node);
  write(now, Happening::tell, node, to);
  return clock;
}

void Observer::told(Node node, Node from, const Causality::Clock& clock, Time now) {
  jury_.told(node, clock);
  write(now, Happening::told, node, from);
}

void Observer::before_call(Node node, bool reads_token) {
  jury_.before_call(node, reads_token);
  recorder_.before_call(node);
}

void Observer::after_call(Node node, Time now) {
  jury_.after_call(node);
  collect(now);
  recorder_.after_call();
}

void Observer::crashed(Node node, Time now) {
  metrics_.crashed(node);
  if (company_) company_->gave_up(node);
  for (VisitOracle& oracle : visits_) oracle.gave_up(node);
  jury_.crashed(node);
  write(now, Happening::crash, node);
}

void Observer::joins(Node node, Time now) {
  jury_.joins(node);
  write(now, Happening::join, node);
}

void Observer::gone(Node node, Time now) {
  jury_.gone(node);
  write(now, Happening::left, node);
}

}  // namespace conch::sim
