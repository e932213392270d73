#include "node/rangefinder.hpp"

#include <algorithm>

#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

/// After a change of the roster: enough for the median of five, and for finding the same twice.
constexpr unsigned quick_rounds = 8;
/// Of these the first ones are not judged yet: they open connections.
constexpr unsigned first_rounds = 5;
constexpr Duration quick_period = std::chrono::milliseconds(250);
constexpr Duration usual_period = std::chrono::seconds(10);
/// Answers to older pings do not count.
constexpr std::size_t open_rounds_max = 16;

/// For everybody, if nobody can be told apart.
constexpr auto only_cluster = "near";

}  // namespace

std::vector<Life> Rangefinder::company() const {
  const Roster& roster = node_.steward().view().roster;
  const Member* self = roster.find(node_.self().id);
  if (!self || !self->adaptive) return {};
  std::vector<Life> lives;
  for (const Member& member : roster)
    if (member.adaptive) lives.push_back(member.life());
  return lives;
}

void Rangefinder::follow_roster(Time now) {
  std::vector<Life> lives = company();
  std::set<Life> now_here(lives.begin(), lives.end());
  if (now_here == company_) return;
  for (const Life& life : company_)
    if (!now_here.contains(life)) trips_.forget(life.id);
  company_ = std::move(now_here);
  quick_rounds_ = quick_rounds;
  next_round_ = company_.size() > 1 ? now : Time::max();
}

void Rangefinder::look_after(Time now) {
  if (now < next_round_) return;
  follow_roster(now);  // It may have changed since it was followed.
  if (now < next_round_) return;
  next_round_ = now + (quick_rounds_ > 0 ? quick_period : usual_period);
  if (quick_rounds_ > 0) --quick_rounds_;
  const Life& first = *company_.begin();
  if (first == node_.self()) {
    told(first, {std::exchange(found_, {})});
    regroup(now);
  } else if (!found_.empty()) {
    node_.send(first, packed(PayloadKind::distances, Distances{std::exchange(found_, {})}));
  }
  ping_all(now);
}

void Rangefinder::ping_all(Time now) {
  begun_[++round_] = now;
  if (begun_.size() > open_rounds_max) begun_.erase(begun_.begin());
  std::string ping = packed(PayloadKind::ping, Ping{round_});
  for (const Life& life : company_)
    if (life != node_.self()) node_.send(life, ping);
}

void Rangefinder::pinged(const Life& by, const Ping& m) {
  node_.send(by, packed(PayloadKind::pong, Pong{m.round}));
}

void Rangefinder::answered(const Life& by, const Pong& m, Time now) {
  auto begun = begun_.find(m.round);
  bool fresh = begun != begun_.end() && company_.contains(by);
  if (fresh && found_.size() < open_rounds_max * company_.size())
    found_.push_back({by.id, now - begun->second});
}

void Rangefinder::told(const Life& by, const Distances& m) {
  if (!company_.contains(by)) return;
  auto here = [&](NodeId id) {
    return std::any_of(company_.begin(), company_.end(),
                       [&](const Life& life) { return life.id == id; });
  };
  for (const Distance& distance : m.found)
    if (here(distance.to) && distance.to != by.id && distance.round_trip > Duration::zero())
      trips_.measured(by.id, distance.to, distance.round_trip);
}

bool Rangefinder::knows_enough() const {
  if (quick_rounds_ > quick_rounds - first_rounds) return false;
  for (const Life& one : company_)
    for (const Life& other : company_)
      if (one < other && !trips_.between(one.id, other.id)) return false;
  return true;
}

void Rangefinder::regroup(Time now) {
  if (!knows_enough()) return;
  Labels before;
  std::set<std::string> labels;
  std::vector<NodeId> peers;
  for (const Life& life : company_) {
    peers.push_back(life.id);
    const Member* member = node_.steward().view().roster.find(life.id);
    labels.insert(before[life.id] = member->cluster);
  }
  if (labels.size() == 1) before.clear();
  Labels found = group_by_round_trips(peers, trips_, before);
  bool steady = found == std::exchange(found_before_, found);
  if (!steady) return;
  if (found.empty())
    for (NodeId peer : peers) found[peer] = only_cluster;
  node_.steward().relabel(found, node_.effects().at(now));
}

}  // namespace conch::node
