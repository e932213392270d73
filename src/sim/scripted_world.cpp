#include "sim/scripted_world.hpp"

#include <algorithm>
#include <utility>

#include "core/print.hpp"
#include "overlay/fence_clock.hpp"
#include "overlay/fixed_ring.hpp"
#include "sim/distribution.hpp"

namespace conch::sim {

namespace {

/// Names a lock over an overlay so that the home has the first replica. Over Pastry the nodes stand
/// side by side where the ring begins, so the home has the only one.
Tuning tuning_of(const ScriptedWorld::Group& group) {
  Tuning tuning = group.tuning;
  tuning.replication.name = overlay::FixedRing::name_at(group.home, group.nodes);
  if (group.underlay == Underlay::pastry) {
    tuning.replication.name = group.home;
    tuning.replication.replicas = 1;
    tuning.replication.lease = std::chrono::seconds(1);
  }
  return tuning;
}

}  // namespace

std::string_view word(Phase phase) {
  switch (phase) {
    case Phase::absent: return "has not joined";
    case Phase::idle: return "neither waits nor is inside";
    case Phase::waiting: return "waits";
    case Phase::cancelling: return "is being withdrawn";
    case Phase::inside: return "is inside";
    case Phase::joining: return "is joining";
    case Phase::leaving: return "is leaving";
    case Phase::left: return "has left";
    case Phase::crashed: return "has crashed";
  }
  return "?";
}

Members ScriptedWorld::members_of(const Group& group) {
  return group.ids.empty() ? Members::first(group.nodes) : Members(group.ids);
}

Node ScriptedWorld::size_with_newcomers(const Group& group) {
  Node last = node_of(members_of(group)[group.nodes - 1]);
  return last + 1 + (dynamic(find_any(group.algorithm)) ? newcomers_max : 0);
}

ScriptedWorld::ScriptedWorld(const Group& group, std::string& out, TraceSink* sink)
    : out_(out),
      simulated_nodes_(make_simulated_nodes(find_any(group.algorithm), size_with_newcomers(group),
                                            *this, group.underlay)),
      tuning_(tuning_of(group)),
      phases_(size_with_newcomers(group), Phase::absent),
      checks_order_(phases_.size() <= order_checked_up_to),
      oracles_({.nodes = static_cast<Node>(phases_.size()),
                .token = simulated_nodes_->entry().can.token,
                .order = checks_order_},
               *simulated_nodes_),
      recorder_(sink, [this](Node node) { return simulated_nodes_->brief_state(node); }),
      roster_(members_of(group)),
      start_(Assignment::fresh(roster_, id_of(group.home), tuning_)) {
  start_.ring = group.ids;
  start_.clusters = Clusters::sized(group.clusters, group.sites);
  for (NodeId member : roster_) {
    simulated_nodes_->create(node_of(member), start_);
    phases_[node_of(member)] = Phase::idle;
  }
  std::vector<NodeId> listed(roster_.begin(), roster_.end());
  for (NodeId member : group.ids.empty() ? listed : group.ids) recorder_.begin(node_of(member));
  for (NodeId member : Members(roster_)) start(node_of(member));
}

void ScriptedWorld::start(Node node) {
  if (is_rehearsing_) return simulated_nodes_->tell(node, input::Start{});
  call(node, [&] { simulated_nodes_->tell(node, input::Start{}); });
}

// Preconditions.

bool ScriptedWorld::present(Node node) const {
  Phase its = phase(node);
  return its != Phase::absent && its != Phase::left && its != Phase::crashed;
}

void ScriptedWorld::refuse(Node node, std::string_view verb) const {
  throw BadText(std::to_string(node) + " cannot " + std::string(verb) + ": it " +
                std::string(word(phase(node))));
}

void ScriptedWorld::expect_known(Node node) const {
  if (node < phases_.size() && phase(node) != Phase::absent) return;
  auto last = std::find_if(phases_.rbegin(), phases_.rend(),
                           [](Phase its) { return its != Phase::absent; });
  throw BadText("there is no node " + std::to_string(node) + "; the last one is " +
                std::to_string(phases_.rend() - last - 1));
}

void ScriptedWorld::expect_present(Node node, std::string_view verb) const {
  expect_known(node);
  if (!present(node)) refuse(node, verb);
}

void ScriptedWorld::expect_phase(Node node, Phase wanted, std::string_view verb) const {
  expect_known(node);
  if (phase(node) != wanted) refuse(node, verb);
}

void ScriptedWorld::expect_room() const {
  if (in_flight_.size() < in_flight_max) return;
  throw BadText(std::to_string(in_flight_.size()) + " messages are in flight; settle first");
}

// Calls.

void ScriptedWorld::conclude_call(Node node) {
  if (simulated_nodes_->entry().can.elects) announce_election(node);
  announce_violations();
  if (phase(node) == Phase::left) simulated_nodes_->destroy(node);
  if (std::exchange(roster_changed_, false)) publish_roster();
}

void ScriptedWorld::halt(Node node, const std::string& why) {
  oracles_.report(Property::invariant, std::to_string(node) + " stops: " + why, node);
  announce_violations();
  remove(node);
}

void ScriptedWorld::record(Happening happening, Node node, std::optional<Node> peer,
                           const std::string& detail) {
  if (!recorder_.records()) return;
  if (std::exchange(steps_on_, false)) ++step_;
  recorder_.write({Time(Duration(step_)), happening, node, peer, detail}, nullptr);
}

void ScriptedWorld::remove(Node node) {
  record(Happening::crash, node);
  oracles_.crashed(node);
  phases_[node] = Phase::crashed;
  forget_timers(node);
  simulated_nodes_->destroy(node);
}

void ScriptedWorld::publish_roster() {
  for (NodeId member : Members(roster_)) {
    Node node = node_of(member);
    if (present(node)) call(node, [&] { simulated_nodes_->tell(node, input::Roster{roster_}); });
  }
}

void ScriptedWorld::announce_violations() {
  for (const Violation& violation : oracles_.take_violations()) {
    broken_.insert(violation.property);
    write("VIOLATION " + std::string(word(violation.property)) + ": " + violation.what);
    recorder_.violate(violation);
  }
}

/// The contract between algorithm and world: only a waiter enters, only a node that cancels is
/// withdrawn.
void ScriptedWorld::expect_of(Node node, Phase wanted, std::string_view happening) {
  if (phase(node) == wanted) return;
  throw BrokenInvariant(std::string(happening) + ", but it " + std::string(word(phase(node))));
}

void ScriptedWorld::entered(Node node, const Entered& entered) {
  if (is_rehearsing_) return void(rehearsed_.emplace(node, entered));
  expect_of(node, Phase::waiting, "it enters");
  write(std::to_string(node) + " enters with fence " + conch::print(entered.baton.fence));
  record(Happening::enter, node, {}, "fence " + conch::print(entered.baton.fence));
  phases_[node] = Phase::inside;
  oracles_.entered(node, entered);
  announce_violations();
}

void ScriptedWorld::withdrawn(Node node) {
  expect_of(node, Phase::cancelling, "it is withdrawn");
  write(std::to_string(node) + " is withdrawn");
  record(Happening::withdrawn, node);
  phases_[node] = Phase::idle;
}

void ScriptedWorld::lost(Node node) {
  expect_of(node, Phase::inside, "it has lost the lock");
  write(std::to_string(node) + " has lost the lock");
  record(Happening::lost, node);
  phases_[node] = Phase::idle;
  oracles_.released(node);
}

void ScriptedWorld::joined(Node node) {
  expect_of(node, Phase::joining, "it has joined");
  write(std::to_string(node) + " has joined");
  record(Happening::joined, node);
  phases_[node] = Phase::idle;
}

void ScriptedWorld::left(Node node) {
  expect_of(node, Phase::leaving, "it has left");
  write(std::to_string(node) + " has left");
  record(Happening::left, node);
  phases_[node] = Phase::left;
  forget_timers(node);
  oracles_.gone(node);
  roster_ = roster_.without(id_of(node));
  roster_changed_ = true;
}

void ScriptedWorld::armed(Node node, const Armed& armed) {
  armed_.insert({node, armed.timer});
  if (is_rehearsing_) return;
  write(std::to_string(node) + " arms timer " + conch::print(armed.timer));
}

void ScriptedWorld::disarmed(Node node, TimerId timer) {
  if (armed_.erase({node, timer}) == 0 || is_rehearsing_) return;
  write(std::to_string(node) + " disarms timer " + conch::print(timer));
}

// Processes.

void ScriptedWorld::request(Node node, const Wish& wish) {
  expect_locks("request");
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (wish != Wish{} && !entry.can.shared)
    throw BadText(std::string(entry.about.name) + " admits one process at a time");
  expect_phase(node, Phase::idle, "request");
  expect_room();
  phases_[node] = Phase::waiting;
  asked_[node] = ++requests_;
  oracles_.requested(node, wish);
  step();
  record(Happening::request, node, {}, wish == Wish{} ? "" : conch::print(wish));
  call(node, [&] { simulated_nodes_->tell(node, input::Request{wish}); });
}

void ScriptedWorld::release(Node node) {
  expect_locks("release");
  expect_phase(node, Phase::inside, "release");
  phases_[node] = Phase::idle;
  DataRef data = oracles_.released(node);
  step();
  record(Happening::exit, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Release{data}); });
}

void ScriptedWorld::cancel(Node node) {
  expect_locks("cancel");
  expect_phase(node, Phase::waiting, "cancel");
  expect_room();
  phases_[node] = Phase::cancelling;
  oracles_.cancelled(node);
  step();
  record(Happening::cancel, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Cancel{}); });
}

void ScriptedWorld::tell(Node from, Node to) {
  expect_present(from, "tell");
  expect_known(to);
  expect_room();
  if (from == to) throw BadText(std::to_string(from) + " cannot tell itself");
  step();
  record(Happening::tell, from, to);
  in_flight_.emplace_back(Telling{from, to, simulated_nodes_->stamp(from), oracles_.tells(from)});
  write(print(in_flight_.back()));
}

void ScriptedWorld::observe(Node node, Stamp stamp) {
  expect_present(node, "observe");
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (!entry.can.causal)
    throw BadText(std::string(entry.about.name) + " has no logical clock to move");
  simulated_nodes_->observe(node, stamp);
}

void ScriptedWorld::tell_time(Duration since) {
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (!entry.can.routed)
    throw BadText(std::string(entry.about.name) + " does not look at the clock");
  for (NodeId member : roster_)
    if (Node node = node_of(member); present(node))
      simulated_nodes_->tell_time(node, overlay::FenceClock{}.at(Time(since)));
}

void ScriptedWorld::timer(Node node, TimerId timer) {
  expect_present(node, "hear a timer");
  expect_room();
  if (armed_.erase({node, timer}) == 0)
    throw BadText(std::to_string(node) + " has not armed timer " + conch::print(timer));
  step();
  call(node, [&] { simulated_nodes_->tell(node, input::Timer{timer}); });
}

void ScriptedWorld::forget_timers(Node node) {
  std::erase_if(armed_, [&](const auto& each) { return each.first == node; });
}

// Faults.

void ScriptedWorld::crash(Node node) {
  expect_present(node, "crash");
  step();
  remove(node);
}

void ScriptedWorld::suspect(Node watcher, Node whom) {
  expect_present(watcher, "suspect");
  expect_known(whom);
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (!entry.can.suspecting)
    throw BadText(std::string(entry.about.name) + " cannot be told of a crash");
  step();
  record(Happening::suspect, watcher, whom);
  call(watcher, [&] { simulated_nodes_->tell(watcher, input::Suspect{id_of(whom)}); });
}

void ScriptedWorld::partition(const Sides& sides) {
  for (const FlatSet<Node>* side : {&sides.left, &sides.right})
    for (Node node : *side) expect_known(node);
  for (Node node : sides.left)
    if (sides.right.contains(node))
      throw BadText(std::to_string(node) + " is on both sides of the partition");
  heal();
  sides_ = sides;
  step();
  for (Node node : cut_off()) record(Happening::partition, node);
}

/// The smaller side of a partition.
const FlatSet<Node>& ScriptedWorld::cut_off() const {
  return sides_.left.size() < sides_.right.size() ? sides_.left : sides_.right;
}

void ScriptedWorld::heal() {
  step();
  for (Node node : cut_off()) record(Happening::heal, node);
  sides_ = {};
}

// Membership.

void ScriptedWorld::expect_dynamic() const {
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (dynamic(entry)) return;
  throw BadText(std::string(entry.about.name) + " has the members it started with" +
                (entry.can.routed ? " in a scenario" : ""));
}

/// Puts the node onto the roster first; then it asks its contact to welcome it.
void ScriptedWorld::join(Node node, Node contact) {
  expect_dynamic();
  if (node >= phases_.size())
    throw BadText("newcomers are numbered up to " + std::to_string(phases_.size() - 1));
  if (present(node) || phase(node) == Phase::crashed) refuse(node, "join");
  expect_present(contact, "welcome anybody");
  expect_silence(node);
  NodeId home = roster_[0];
  roster_ = roster_.with(id_of(node));
  simulated_nodes_->create(
      node, Assignment{Epoch{}, roster_, home, Baton{}, tuning_, {}, start_.clusters});
  phases_[node] = Phase::joining;
  oracles_.joins(node);
  step();
  record(Happening::join, node);
  publish_roster();
  if (present(node)) call(node, [&] { simulated_nodes_->tell(node, input::Join{id_of(contact)}); });
}

void ScriptedWorld::leave(Node node) {
  expect_dynamic();
  expect_phase(node, Phase::idle, "leave");
  expect_room();
  phases_[node] = Phase::leaving;
  step();
  record(Happening::leave, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Leave{}); });
}

}  // namespace conch::sim
