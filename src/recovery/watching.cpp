#include "recovery/watching.hpp"

#include <algorithm>

namespace conch::recovery {

namespace {

std::vector<PeerInstance> ring_of(const View& view) {
  std::vector<PeerInstance> ring = view.lives();
  if (!std::is_sorted(ring.begin(), ring.end())) std::sort(ring.begin(), ring.end());
  return ring;
}

/// The living members before this life on the ring that watch its lease, the nearest first.
std::vector<PeerInstance> living_watchers(const std::vector<PeerInstance>& living,
                                          const PeerInstance& of) {
  auto place = std::lower_bound(living.begin(), living.end(), of) - living.begin();
  auto size = static_cast<std::ptrdiff_t>(living.size());
  std::vector<PeerInstance> watchers;
  for (std::ptrdiff_t back = 1; back <= std::min<std::ptrdiff_t>(size, watched_leases); ++back)
    watchers.push_back(living[static_cast<std::size_t>((place - back + size) % size)]);
  return watchers;
}

}  // namespace

void walk_watched(const View& view, const PeerInstance& watcher,
                  const std::function<bool(const PeerInstance&)>& has_ended, std::size_t most) {
  std::vector<PeerInstance> ring = ring_of(view);
  auto first = std::upper_bound(ring.begin(), ring.end(), watcher) - ring.begin();
  std::size_t running = 0;
  for (std::size_t i = 0; i < ring.size() && running < most; ++i) {
    const PeerInstance& life = ring[(static_cast<std::size_t>(first) + i) % ring.size()];
    bool runs = !has_ended(life);
    if (runs && life != watcher && view.roster.contains(life)) ++running;
  }
  if (view.number > 0) has_ended(view.decider);
  if (view.decider != watcher) return;
  for (const PeerInstance& life : view.evicted) has_ended(life);
}

std::size_t proposal_rank(const RegisterSnapshot& known, const PeerInstance& self) {
  std::vector<PeerInstance> living;
  for (const Member& member : known.view.roster)
    if (!known.has_ended(member.life())) living.push_back(member.life());
  std::vector<PeerInstance> ended = known.ended;
  std::sort(ended.begin(), ended.end());
  std::vector<PeerInstance> order;
  auto place_of = [&](const PeerInstance& life) {
    return std::find(order.begin(), order.end(), life);
  };
  for (const PeerInstance& life : ended) {
    if (!known.view.has_tenant(life)) continue;
    for (const PeerInstance& watcher : living_watchers(living, life))
      if (place_of(watcher) == order.end()) order.push_back(watcher);
  }
  if (auto place = place_of(self); place != order.end())
    return static_cast<std::size_t>(place - order.begin());
  auto before = std::lower_bound(living.begin(), living.end(), self) - living.begin();
  return order.size() + static_cast<std::size_t>(before);
}

bool puts_out(const View& next, const View& before) {
  return std::any_of(before.roster.begin(), before.roster.end(),
                     [&](const Member& member) { return !next.roster.contains(member.life()); });
}

bool spares_the_dead(const View& next, const RegisterSnapshot& known) {
  return std::any_of(known.ended.begin(), known.ended.end(),
                     [&](const PeerInstance& life) { return next.roster.contains(life); });
}

}  // namespace conch::recovery
