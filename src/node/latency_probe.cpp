#include "node/latency_probe.hpp"

#include <algorithm>

#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

/// After a change of the roster: enough for the median of five, and to find a grouping twice.
constexpr unsigned quick_rounds = 8;
/// The first of these are not judged yet, because they open connections.
constexpr unsigned first_rounds = 5;
constexpr Duration quick_period = std::chrono::milliseconds(250);
constexpr Duration usual_period = std::chrono::seconds(10);
/// Answers to older pings are ignored.
constexpr std::size_t open_rounds_max = 16;

/// The label of all members if their distances do not differ.
constexpr auto only_cluster = "near";

}  // namespace

std::vector<PeerInstance> LatencyProbe::company() const {
  const Roster& roster = node_.group_member().view().roster;
  const Member* self = roster.find(node_.self().id);
  if (!self || !self->adaptive) return {};
  std::vector<PeerInstance> lives;
  for (const Member& member : roster)
    if (member.adaptive) lives.push_back(member.life());
  return lives;
}

void LatencyProbe::follow_roster(Time now) {
  std::vector<PeerInstance> lives = company();
  std::set<PeerInstance> now_here(lives.begin(), lives.end());
  if (now_here == company_) return;
  for (const PeerInstance& life : company_)
    if (!now_here.contains(life)) trips_.forget(life.id);
  company_ = std::move(now_here);
  quick_rounds_ = quick_rounds;
  next_round_ = company_.size() > 1 ? now : Time::max();
}

void LatencyProbe::look_after(Time now) {
  if (now < next_round_) return;
  follow_roster(now);  // The roster may have changed.
  if (now < next_round_) return;
  next_round_ = now + (quick_rounds_ > 0 ? quick_period : usual_period);
  if (quick_rounds_ > 0) --quick_rounds_;
  const PeerInstance& first = *company_.begin();
  if (first == node_.self()) {
    told(first, {std::exchange(found_, {})});
    regroup(now);
  } else if (!found_.empty()) {
    node_.send(first, packed(PayloadKind::distances, Distances{std::exchange(found_, {})}));
  }
  ping_all(now);
}

void LatencyProbe::ping_all(Time now) {
  begun_[++round_] = now;
  if (begun_.size() > open_rounds_max) begun_.erase(begun_.begin());
  std::string ping = packed(PayloadKind::ping, Ping{round_});
  for (const PeerInstance& life : company_)
    if (life != node_.self()) node_.send(life, ping);
}

void LatencyProbe::pinged(const PeerInstance& by, const Ping& m) {
  node_.send(by, packed(PayloadKind::pong, Pong{m.round}));
}

void LatencyProbe::answered(const PeerInstance& by, const Pong& m, Time now) {
  auto begun = begun_.find(m.round);
  bool fresh = begun != begun_.end() && company_.contains(by);
  if (fresh && found_.size() < open_rounds_max * company_.size())
    found_.push_back({by.id, now - begun->second});
}

void LatencyProbe::told(const PeerInstance& by, const Distances& m) {
  if (!company_.contains(by)) return;
  auto here = [&](NodeId id) {
    return std::any_of(company_.begin(), company_.end(),
                       [&](const PeerInstance& life) { return life.id == id; });
  };
  for (const Distance& distance : m.found)
    if (here(distance.to) && distance.to != by.id && distance.round_trip > Duration::zero())
      trips_.measured(by.id, distance.to, distance.round_trip);
}

bool LatencyProbe::knows_enough() const {
  if (quick_rounds_ > quick_rounds - first_rounds) return false;
  for (const PeerInstance& one : company_)
    for (const PeerInstance& other : company_)
      if (one < other && !trips_.between(one.id, other.id)) return false;
  return true;
}

void LatencyProbe::regroup(Time now) {
  if (!knows_enough()) return;
  Labels before;
  std::set<std::string> labels;
  std::vector<NodeId> peers;
  for (const PeerInstance& life : company_) {
    peers.push_back(life.id);
    const Member* member = node_.group_member().view().roster.find(life.id);
    labels.insert(before[life.id] = member->cluster);
  }
  if (labels.size() == 1) before.clear();
  Labels found = group_by_round_trips(peers, trips_, before);
  bool steady = found == std::exchange(found_before_, found);
  if (!steady) return;
  if (found.empty())
    for (NodeId peer : peers) found[peer] = only_cluster;
  node_.group_member().relabel(found, node_.effects().at(now));
}

}  // namespace conch::node
