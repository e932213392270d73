// Survival: what goes wrong, and the end of it.
#include <algorithm>
#include <array>

#include "sim/distribution.hpp"
#include "sim/survival.hpp"

namespace conch::sim {

using namespace recovery;

void Survival::plan_faults() {
  Duration lease = options_.lease.length;
  latency_max_ = draw(lease / 1000, lease / 20);
  loss_ = chance(0.5) ? 0 : 0.15 * random_.uniform();
  answers_lost_ = chance(0.5) ? 0 : 0.2 * random_.uniform();
  register_clock_ = draw_clock();
  if (chance(0.3)) entries_max_ = random_.below(40);
  entries_max_ = options_.entries_max.value_or(entries_max_);
  Duration storm = lease * static_cast<std::int64_t>(options_.stormy_leases);
  calm_at_ = Time(storm);
  std::uint64_t faults = random_.below(options_.faults_max + 1);
  for (std::uint64_t i = 0; i < faults; ++i) after(draw(lease, storm), [this] { strike(); });
  for (std::uint64_t times = label_dice_.below(3); times > 0; --times) {
    auto part = static_cast<std::int64_t>(label_dice_.below(100));
    after(storm / 100 * part, [this] { relabel(); });
  }
  for (std::uint64_t times = evict_dice_.below(3); times > 0; --times) {
    auto part = static_cast<std::int64_t>(evict_dice_.below(100));
    after(storm / 100 * part, [this] { evict(); });
  }
  at(calm_at_, [this] { calm_down(); });
}

void Survival::strike() {
  std::vector<Life> lives = living();
  if (!stormy_ || lives.empty()) return;
  Duration lease = options_.lease.length;
  Life victim = lives[random_.below(lives.size())];
  switch (random_.below(14)) {
    case 0:
    case 1: return strike_at(victim);
    case 2: {  // starts again at once, before anybody has noticed
      kill(victim, false);
      return respawn(victim.id, draw({}, lease / 10));
    }
    case 3: return stop(victim, draw(lease / 5, 4 * lease));
    case 4: return part();
    case 5: {  // cannot reach the register, or does not hear its answers
      note(victim, "is cut off from the register");
      cut_from_register_.insert(victim.id.value);
      return after(draw(lease / 4, 3 * lease),
                   [this, id = victim.id.value] { cut_from_register_.erase(id); });
    }
    case 6: {  // two suspect somebody, for no reason
      Life suspect = lives[random_.below(lives.size())];
      for (const Life& accuser : {victim, lives[random_.below(lives.size())]}) {
        Process* process = find(accuser);
        if (!process || process->stopped) continue;
        note(accuser, "suspects " + std::to_string(suspect.id.value));
        call(*process, [&](Steward& peer, StewardOrders& out) { peer.suspect(suspect, out); });
      }
      return;
    }
    case 7:
      note("the register is away");
      register_away_ = true;
      return after(draw(lease / 4, 3 * lease), [this] {
        note("the register is back");
        register_away_ = false;
        notify();
      });
    case 8:
      note("the register is slow");
      register_delay_ = draw({}, lease / 3);
      return after(draw(lease, 4 * lease), [this] { register_delay_ = {}; });
    case 9: {  // leaves when its process has nothing
      Process* process = find(victim);
      if (process->phase != Phase::thinking || process->stopped) return;
      process->phase = Phase::away;
      note(victim, "wants to leave");
      return call(*process, [](Steward& peer, StewardOrders& out) { peer.leave(out); });
    }
    case 10: return spawn(victim.id);  // a second process under its id
    case 11:
      if (!chance(0.3)) return;
      for (const Life& life : lives) kill(life, chance(0.5));
      oracles_.see(Sighting::founded_again);
      for (std::uint64_t id = 0; id < nodes_; ++id) respawn(NodeId{id}, draw({}, 2 * lease));
      return;
    case 12:
    case 13: return force_open(victim);
  }
}

/// Somebody has lost patience with whoever holds the lock; now and then two have.
void Survival::force_open(const Life& life) {
  std::vector<Life> lives = living();
  for (const Life& each : {life, chance(0.3) ? lives[random_.below(lives.size())] : life}) {
    Process* process = find(each);
    if (!process || process->stopped || process->phase == Phase::away) continue;
    note(each, "forces the lock open");
    call(*process, [](Steward& peer, StewardOrders& out) { peer.force_open(lock_name, out); });
  }
}

/// Somebody wants another one out, who may hold the lock, run, or be stopped.
void Survival::evict() {
  std::vector<Life> lives = living();
  if (!stormy_ || lives.empty()) return;
  Process* process = find(lives[evict_dice_.below(lives.size())]);
  Life unwanted = lives[evict_dice_.below(lives.size())];
  if (process->stopped || process->phase == Phase::away || unwanted == process->life) return;
  note(process->life, "wants " + name_of(unwanted) + " out");
  find(unwanted)->is_unwanted = true;
  call(*process, [&](Steward& peer, StewardOrders& out) { peer.evict({unwanted}, out); });
}

/// Somebody finds that others are elsewhere than was thought.
void Survival::relabel() {
  std::vector<Life> lives = living();
  if (!stormy_ || lives.empty()) return;
  Process* process = find(lives[label_dice_.below(lives.size())]);
  if (process->stopped) return;
  std::map<NodeId, std::string> labels;
  for (std::uint64_t id = 0; id < nodes_; ++id)
    if (label_dice_.chance(0.5)) labels[NodeId{id}] = draw_label();
  note(process->life, "wants other clusters");
  call(*process, [&](Steward& peer, StewardOrders& out) { peer.relabel(labels, out); });
}

std::string Survival::draw_label() {
  constexpr std::array labels{"west/1", "west/2", "east/1"};
  return labels[label_dice_.below(labels.size())];
}

void Survival::strike_at(const Life& life) {
  kill(life, chance(0.5));
  respawn(life.id, draw(options_.lease.length / 10, 4 * options_.lease.length));
}

/// Some do not hear some others, in one direction.
void Survival::part() {
  note("the network parts");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cuts;
  for (std::uint64_t from = 0; from < nodes_; ++from)
    for (std::uint64_t to = 0; to < nodes_; ++to)
      if (from != to && chance(0.4)) cuts.emplace_back(from, to);
  cut_.insert(cuts.begin(), cuts.end());
  after(draw(options_.lease.length / 4, 4 * options_.lease.length), [this, cuts] {
    for (const auto& cut : cuts) cut_.erase(cut);
  });
}

/// Something goes wrong just while locks are being recovered.
void Survival::haunt_recovery() {
  if (!stormy_ || !chance(0.25)) return;
  Life decider = register_.view().decider;
  after(draw({}, 4 * latency_max_), [this, decider] {
    std::vector<Life> lives = living();
    if (lives.empty() || !stormy_) return;
    Life victim = chance(0.5) ? decider : lives[random_.below(lives.size())];
    if (!find(victim)) return;
    if (chance(0.5)) return strike_at(victim);
    stop(victim, draw(options_.lease.length / 5, 3 * options_.lease.length));
  });
}

void Survival::calm_down() {
  note("all is well again");
  stormy_ = false;
  loss_ = 0;
  answers_lost_ = 0;
  cut_.clear();
  cut_from_register_.clear();
  register_away_ = false;
  register_delay_ = {};
  notify();
}

}  // namespace conch::sim
