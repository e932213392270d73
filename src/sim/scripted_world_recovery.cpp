// How the group of a scripted world goes on after a crash: as peers do
// (recovery/view_protocol.hpp), but in one step. The nodes that are left report holders and
// waiters. A new epoch begins with a fresh lock, whose state is that of a rehearsal in which all of
// these ask for it anew, in their order (recovery/rehearsal.hpp).
#include <algorithm>

#include "sim/distribution.hpp"
#include "sim/scripted_world.hpp"

namespace conch::sim {

void ScriptedWorld::recover() {
  expect_recoverable();
  step();
  end_epoch();
  std::vector<Node> claims = claims_in_order();
  std::vector<Node> dead;
  for (Node node = 0; node < phases_.size(); ++node)
    if (phase(node) == Phase::crashed) dead.push_back(node);
  start_.baton = {Fence(start_.epoch, 0), oracles_.recovers(dead)};
  for (NodeId member : roster_) {
    simulated_nodes_->create(node_of(member), start_);
    record(Happening::epoch, node_of(member), {}, std::to_string(start_.epoch.value));
  }
  rehearse(claims);
  auto is_token = [](const InFlight& each) {
    const Posted* posted = std::get_if<Posted>(&each);
    return posted && posted->token;
  };
  auto tokens = std::count_if(in_flight_.begin(), in_flight_.end(), is_token);
  oracles_.recovered(roster_, static_cast<int>(tokens));
  write("epoch " + std::to_string(start_.epoch.value) + " begins" + those_rehearsed(claims));
  for (const auto& [node, entered] : std::exchange(rehearsed_, {}))
    if (phase(node) == Phase::waiting) this->entered(node, entered);
  announce_violations();
}

void ScriptedWorld::expect_recoverable() const {
  expect_locks("recover");
  const CatalogEntry& entry = simulated_nodes_->entry();
  if (entry.can.routed)
    throw BadText(std::string(entry.about.name) + " has no epochs: its replicas vote");
  auto stays = [&](NodeId member) {
    return present(node_of(member)) && phase(node_of(member)) != Phase::leaving;
  };
  if (std::none_of(roster_.begin(), roster_.end(), stays))
    throw BadText("nobody is left to recover the lock");
}

/// All messages between nodes are void; cancelling, joining and leaving end at once.
void ScriptedWorld::end_epoch() {
  std::deque<InFlight> kept;
  for (InFlight& message : std::exchange(in_flight_, {})) {
    if (std::holds_alternative<Telling>(message)) {
      kept.push_back(std::move(message));
      continue;
    }
    write("void: " + print(message));
    lose(message);
  }
  in_flight_ = std::move(kept);
  armed_.clear();
  std::vector<NodeId> members;
  for (Node node = 0; node < phases_.size(); ++node) {
    if (phase(node) == Phase::cancelling) withdrawn(node);
    if (phase(node) == Phase::joining) joined(node);
    if (phase(node) == Phase::leaving) left(node), simulated_nodes_->destroy(node);
    if (present(node)) members.push_back(id_of(node));
  }
  roster_changed_ = false;
  roster_ = Members(members);
  start_.epoch = Epoch{start_.epoch.value + 1};
  start_.members = roster_;
  if (!roster_.contains(start_.home)) start_.home = roster_[0];
  std::erase_if(start_.ring, [&](NodeId member) { return !roster_.contains(member); });
  start_.clusters = start_.clusters.only([&](NodeId member) { return roster_.contains(member); });
}

/// Holders, and then waiters, in the order in which they asked.
std::vector<Node> ScriptedWorld::claims_in_order() const {
  std::vector<Node> claims;
  for (NodeId member : roster_) {
    Phase its = phase(node_of(member));
    if (its == Phase::inside || its == Phase::waiting) claims.push_back(node_of(member));
  }
  std::sort(claims.begin(), claims.end(), [&](Node a, Node b) {
    return std::pair(phase(a) == Phase::waiting, asked_.at(a)) <
           std::pair(phase(b) == Phase::waiting, asked_.at(b));
  });
  return claims;
}

/// The claims ask one after the other. If there are none, nodes start as they did at first.
void ScriptedWorld::rehearse(const std::vector<Node>& claims) {
  is_rehearsing_ = !claims.empty();
  try {
    InvariantWatch watch;
    for (NodeId member : roster_) start(node_of(member));
    for (Node node : claims) rehearse(node);
  } catch (const BrokenInvariant& broken) {
    oracles_.report(Property::invariant, std::string("a new epoch: ") + broken.what());
  }
  is_rehearsing_ = false;
}

/// The node asks, and every message arrives at once.
void ScriptedWorld::rehearse(Node node) {
  simulated_nodes_->tell(node, input::Request{oracles_.wish_of(node)});
  auto is_posted = [](const InFlight& each) { return std::holds_alternative<Posted>(each); };
  for (std::size_t left = deliveries_max;; --left) {
    auto next = std::find_if(in_flight_.begin(), in_flight_.end(), is_posted);
    if (next == in_flight_.end()) return;
    CONCH_EXPECT(left > 0, "a lock comes to rest while a node holds it");
    Posted message = std::get<Posted>(*next);
    in_flight_.erase(next);
    simulated_nodes_->receive(message.to, message.from, message.slot);
    simulated_nodes_->discard(message.slot);
  }
}

std::string ScriptedWorld::those_rehearsed(const std::vector<Node>& claims) const {
  std::string text;
  for (Phase its : {Phase::inside, Phase::waiting}) {
    std::string nodes;
    for (Node node : claims)
      if (phase(node) == its) nodes += (nodes.empty() ? "" : ", ") + std::to_string(node);
    if (!nodes.empty()) text += (its == Phase::inside ? "; inside: " : "; waiting: ") + nodes;
  }
  return text;
}

}  // namespace conch::sim
