// Elections in a scripted world.
#include <algorithm>

#include "core/print.hpp"
#include "sim/distribution.hpp"
#include "sim/scripted_world.hpp"

namespace conch::sim {

void ScriptedWorld::expect_locks(std::string_view verb) const {
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (entry.can.elects)
    throw BadText(std::string(entry.about.name) + " is an election: nobody can " +
                  std::string(verb));
}

void ScriptedWorld::expect_election(std::string_view verb) const {
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (!entry.can.elects)
    throw BadText(std::string(entry.about.name) + " is not an election: nobody can " +
                  std::string(verb));
}

void ScriptedWorld::elect(Node node) {
  expect_election("elect");
  expect_present(node, "elect");
  expect_room();
  step();
  record(Happening::elect, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Elect{}); });
}

void ScriptedWorld::retire(Node node) {
  expect_election("retire");
  expect_present(node, "retire");
  expect_room();
  if (simulated_nodes_->elected(node) != id_of(node))
    throw BadText(std::to_string(node) + " cannot retire: it is not the coordinator");
  step();
  record(Happening::retire, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Retire{}); });
}

/// Messages on their way to the node are lost with its former life.
void ScriptedWorld::restart(Node node) {
  expect_election("restart");
  expect_known(node);
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (!entry.can.restarts)
    throw BadText(std::string(entry.about.name) + " assumes that no process crashes");
  if (phase(node) != Phase::crashed) throw BadText(std::to_string(node) + " has not crashed");
  step();
  for (std::size_t i = 0; i < in_flight_.size();) {
    if (std::visit([](const auto& m) { return m.to; }, in_flight_[i]) != node) {
      ++i;
      continue;
    }
    InFlight message = take(i);
    write("lost: " + print(message) + ": " + std::to_string(node) + " had crashed");
    lose(message);
  }
  simulated_nodes_->create(node, start_);
  phases_[node] = Phase::idle;
  record(Happening::restart, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Restart{}); });
}

void ScriptedWorld::announce_election(Node node) {
  std::optional<NodeId> elected = simulated_nodes_->elected(node);
  auto known = elected_.find(node);
  bool same = known != elected_.end() ? elected == known->second : !elected;
  if (same) return;
  if (!elected) {
    elected_.erase(known);
    return;
  }
  elected_[node] = *elected;
  record(Happening::elected, node, node_of(*elected));
  write(std::to_string(node) + (elected == id_of(node) ? std::string(" is the coordinator")
                                                       : " elects " + conch::print(*elected)));
}

std::vector<Voter> ScriptedWorld::voters() const {
  std::vector<Voter> voters;
  for (NodeId member : roster_) {
    Node node = node_of(member);
    if (present(node))
      voters.push_back({node, simulated_nodes_->elected(node), simulated_nodes_->participant(node),
                        simulated_nodes_->retired(node)});
  }
  return voters;
}

/// E1 and E2 are about the end of a run: nothing is in flight and no timer is armed.
void ScriptedWorld::check_election() {
  std::string taking_part, coordinators;
  std::vector<Node> elect_themselves, elect_nobody;
  for (const Voter& voter : voters()) {
    auto add = [&](std::string& list) {
      list += (list.empty() ? "" : ", ") + std::to_string(voter.node);
    };
    if (voter.participant) add(taking_part);
    if (!voter.elected) elect_nobody.push_back(voter.node);
    if (voter.elected != id_of(voter.node)) continue;
    add(coordinators);
    elect_themselves.push_back(voter.node);
  }
  oracles_.report(Property::right_coordinator, finding(Property::right_coordinator),
                  elect_themselves);
  oracles_.report(Property::all_elect, finding(Property::all_elect), elect_nobody);
  announce_violations();
  for (Property property : judged()) write(std::string(word(property)) + ": " + verdict(property));
  write("taking part: " + (taking_part.empty() ? "nobody" : taking_part));
  write("coordinator: " + (coordinators.empty() ? "nobody" : coordinators));
}

}  // namespace conch::sim
