// Group simulation: faults, and their end.
#include <algorithm>
#include <array>

#include "sim/group_simulation_process.hpp"

namespace conch::sim {

using namespace recovery;

void GroupSimulation::plan_faults() {
  Duration lease = options_.lease.length;
  has_sites_ = !is_ring() && label_dice_.chance(0.15);
  thinking_max_ = lease / 4;
  if (is_ring()) thinking_max_ *= 1 << label_dice_.below(6);  // An entry takes many messages there.
  // However long a lease is, a peer must be able to leave within its patience of 10 s.
  Duration scale = std::min<Duration>(lease, std::chrono::seconds(10));
  latency_max_ = has_sites_ ? scale / 1000 : draw(scale / 1000, scale / 20);
  loss_ = chance(0.5) ? 0 : (is_ring() ? 0.003 : 0.03) * random_.uniform();
  if (chance(0.2) && !is_ring()) wire_bytes_max_ = 100 + random_.below(2000);
  answers_lost_ = chance(0.5) ? 0 : 0.2 * random_.uniform();
  register_clock_ = draw_clock();
  if (chance(0.3)) entries_max_ = random_.below(40);
  entries_max_ = options_.entries_max.value_or(entries_max_);
  if (label_dice_.chance(0.3)) shared_entries_ = 1 + static_cast<unsigned>(label_dice_.below(3));
  Duration storm = lease * static_cast<std::int64_t>(options_.stormy_leases);
  if (is_ring()) storm *= 2;  // There are leases between one fault and the next.
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

void GroupSimulation::strike() {
  if (is_ring()) return strike_ring();
  Process* victim = draw_process(random_);
  if (!stormy_ || !victim) return;
  Duration lease = options_.lease.length;
  switch (random_.below(24)) {
    case 0:
    case 1: return strike_at(*victim);
    case 2: {  // restarts at once, before any peer has noticed
      NodeId id = victim->id;
      kill(*victim, false);
      return respawn(id, draw({}, lease / 10));
    }
    case 3: return stop(*victim, draw(lease / 5, 4 * lease));
    case 4: return part();
    case 5: return cut_off(*victim, draw(lease / 4, 3 * lease));
    case 6: {  // two peers suspect another, for no reason
      PeerInstance whom = draw_process(random_)->life;
      for (Process* accuser : {victim, draw_process(random_)}) suspect(*accuser, whom);
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
    case 9: return victim->stopped ? void() : leave(*victim);
    case 10: return spawn(victim->id);  // a second process under its id
    case 11:
      if (!chance(0.3)) return;
      for (Process* process : living()) kill(*process, chance(0.5));
      findings_.see(Sighting::founded_again);
      for (std::uint64_t place = 0; place < nodes_; ++place)
        respawn(id_of(place), draw({}, 2 * lease));
      return;
    case 12:
    case 13: return force_open();
    case 14:
      return chance(0.5) ? forge_acknowledgement(*victim, *draw_process(random_))
                         : break_some_wire();
    case 15:
      note("the disk of the register is full");
      register_full_ = true;
      return after(draw(lease / 4, 3 * lease), [this] { register_full_ = false; });
    case 16: return sever(*victim, *draw_process(random_));
    case 17:
      note("a machine loses power");
      findings_.see(Sighting::machine_died);
      for (NodeId id : neighbours_of(victim->id)) {
        kill(*newest(id), false);
        respawn(id, draw(lease / 10, 2 * lease));
      }
      return;
    case 18: {
      note("a machine sleeps");
      findings_.see(Sighting::machine_slept);
      Duration length = draw(lease / 5, 4 * lease);
      for (NodeId id : neighbours_of(victim->id)) stop(*newest(id), length);
      return;
    }
    case 19: note(victim->life, "loses its socket"); return void(victim->has_socket = false);
    case 20: return lack_descriptors(*victim, draw(lease / 4, 3 * lease));
    case 21: return babble(*victim, *draw_process(random_));
    case 22: return admit_stranger();
    case 23: return interject(*victim, *draw_process(random_));
  }
}

void GroupSimulation::strike(const Strike& strike) {
  Process* victim = newest(id_of(strike.peer));
  if (!stormy_ || !victim) return;
  Duration lease = options_.lease.length;
  switch (strike.kind) {
    case Strike::Kind::kill:
    case Strike::Kind::end:
      kill(*victim, strike.kind == Strike::Kind::end);
      return respawn(id_of(strike.peer), 2 * lease);
    case Strike::Kind::restart: kill(*victim, false); return respawn(id_of(strike.peer), {});
    case Strike::Kind::delay: return stop(*victim, 2 * latency_max_);
    case Strike::Kind::nap: return stop(*victim, lease / 2);
    case Strike::Kind::stop: return stop(*victim, 2 * lease);
    case Strike::Kind::leave: return victim->stopped ? void() : leave(*victim);
    case Strike::Kind::cut_off: return cut_off(*victim, 2 * lease);
    case Strike::Kind::hang_up: return break_wires(*victim);
    case Strike::Kind::suspect:
      for (Process* other : living())
        if (other != victim) return suspect(*other, victim->life);
  }
}

/// The peers of this one's machine, itself included.
std::set<NodeId> GroupSimulation::neighbours_of(NodeId id) {
  std::set<NodeId> ids;
  for (const Process* process : living())
    if (share_memory(process->id, id)) ids.insert(process->id);
  return ids;
}

void GroupSimulation::suspect(Process& accuser, const PeerInstance& whom) {
  if (accuser.stopped || !accuser.node->has_life() || accuser.life == whom) return;
  note(accuser.life, "suspects " + std::to_string(whom.id.value));
  call(accuser, [&](node::Node& node, Time now) {
    node.group_member().suspect(whom, node.effects().at(now));
  });
}

/// The peer cannot reach the register, or does not get its answers.
void GroupSimulation::cut_off(const Process& process, Duration length) {
  note(process.life, "is cut off from the register");
  cut_from_register_.insert(process.id.value);
  after(length, [this, id = process.id.value] { cut_from_register_.erase(id); });
}

/// Sends what no peer of ours would; the group must put the sender out for it.
void GroupSimulation::babble(Process& process, const Process& other) {
  if (&process == &other || process.stopped || !process.node->is_member()) return;
  note(process.life, "babbles");
  babblers_.insert(process.life);
  std::string payload(1 + random_.below(40), '\xa7');
  if (chance(0.5)) payload[0] = recovery::message_kind;
  call(process, [&](node::Node& node, Time) { node.send(other.life, payload); });
}

/// Sends a valid question, or an answer to a question that was not asked, at any time, also to
/// peers that are not in the group yet.
void GroupSimulation::interject(Process& process, const Process& other) {
  using namespace node;
  if (&process == &other || process.stopped || !process.node->is_member()) return;
  std::uint64_t number = (1 << 20) + random_.below(8);  // No peer asks so often.
  auto say = [&](PayloadKind kind, const auto& m) {
    note(process.life, "interjects");
    call(process, [&](node::Node& node, Time) { node.send(other.life, packed(kind, m)); });
  };
  switch (random_.below(9)) {
    case 0: return say(PayloadKind::status_ask, StatusAsk{number});
    case 1: return say(PayloadKind::claims_ask, ClaimsAsk{number, draw_lock()});
    case 2: return say(PayloadKind::terms_ask, TermsAsk{});
    case 3: return say(PayloadKind::ping, Ping{number});
    case 4: return say(PayloadKind::pong, Pong{number});
    case 5: return say(PayloadKind::vacates, Vacates{number, options_.lease.length});
    case 6: return say(PayloadKind::vacated, Vacated{number, number, false});
    case 7: return say(PayloadKind::status_part, process.node->status_part(process.shows()));
    case 8: return say(PayloadKind::claims_part, ClaimsPart{number, process.life, "", {}});
  }
}

/// Starts a peer for another kind of group; it must be sent away.
void GroupSimulation::admit_stranger() {
  NodeId id{nodes_ + serials_};
  note(std::to_string(id.value) + " is a stranger");
  spawn(id, true);
}

/// Its connections stay, but it gets no new ones.
void GroupSimulation::lack_descriptors(Process& process, Duration length) {
  note(process.life, "has too many open files");
  findings_.see(Sighting::descriptors_lacking);
  process.lacks_descriptors = true;
  after(length, [this, serial = process.serial] {
    if (Process* relieved = find(serial)) relieved->lacks_descriptors = false;
  });
}

/// Without a register, only so many replicas of a lock may change their root within some leases: so
/// faults strike one peer at a time, when all are in. The network heals before any peer suspects
/// another.
void GroupSimulation::strike_ring() {
  Process* victim = draw_process(random_);
  Duration lease = options_.lease.length;
  bool are_all_in = processes_.size() == nodes_;
  for (const Process* process : living())
    are_all_in = are_all_in && process->node->is_member() && !process->stopped;
  if (!stormy_ || !are_all_in || now_ - last_shaken_ < 8 * lease) return;
  std::uint64_t what = random_.below(6);
  if (what == 0) {
    note("the network parts for a moment");
    std::pair<std::uint64_t, std::uint64_t> cut{victim->id.value, draw_process(random_)->id.value};
    cut_.insert(cut);
    return after(draw({}, lease / 4), [this, cut] { cut_.erase(cut); });
  }
  last_shaken_ = now_;
  NodeId id = victim->id;
  switch (what) {
    case 1: return leave(*victim);
    case 2: return stop(*victim, draw({}, lease / 4));
    case 3: return stop(*victim, draw(lease / 2, 4 * lease));
    case 4: return strike_at(*victim);
    default: kill(*victim, false); return respawn(id, draw({}, lease / 10));
  }
}

/// A client, or now and then two, force a lock open.
void GroupSimulation::force_open() {
  std::string lock = draw_lock();
  for (int times = chance(0.3) ? 2 : 1; times > 0; --times) {
    Process* process = draw_process(random_);
    bool is_now = chance(0.5);
    if (process->stopped || !process->node->is_member()) continue;
    for (Client& client : process->clients)
      if (force_open(*process, client, lock, is_now)) break;
  }
}

/// No fault is left, and leases are short enough for a view change in the seconds that a peer
/// allows for it.
bool GroupSimulation::is_well() const {
  return !stormy_ && severed_.empty() && options_.lease.length <= std::chrono::seconds(2);
}

/// All is well, and what went wrong until then has no effect any more.
bool GroupSimulation::is_settled(Time disturbed) const {
  return is_well() && disturbed + settling_leases * options_.lease.length < now_;
}

bool GroupSimulation::is_being_forced(const std::string& lock) const {
  for (const auto& [serial, process] : processes_)
    for (const Client& client : process->clients)
      if (client.has_errand && client.forced == lock) return true;
  return false;
}

bool GroupSimulation::force_open(Process& process, Client& client, const std::string& lock,
                                 bool is_now) {
  if (!client.is_connected || client.has_errand) return false;
  note(process.life, "forces '" + lock + "' open");
  client.has_errand = true;
  client.errand_must_succeed = is_well();
  bool is_first = is_settled(calm_at_) && !is_being_forced(lock);
  for (Command& command : commands_) {
    const Process* host = find(command.actor.life);
    bool is_under_it = command.lock == lock && host && !host->stopped;
    if (is_under_it && (is_now || is_first)) command.is_awaited = !is_now;
  }
  client.forced = lock;
  client.inside_before = oracle(lock).inside();
  is_now ? say(process, client, node::ForceOpenNow{lock})
         : say(process, client, node::ForceOpen{lock});
  return true;
}

void GroupSimulation::evict() {
  Process* process = draw_process(evict_dice_);
  if (!stormy_ || !process || process->stopped || !process->node->is_member()) return;
  Process* unwanted = draw_process(evict_dice_);
  bool is_now = evict_dice_.chance(0.3);
  for (Client& client : process->clients)
    if (evict(*process, client, *unwanted, is_now)) return;
}

/// Evicts a peer, which may hold the lock, run, or be stopped. If it is not waited for, its
/// commands no longer matter. An eviction names an id: it also means a process of that id that was
/// replaced, but not yet in the view of the peer that evicts.
bool GroupSimulation::evict(Process& process, Client& client, Process& unwanted, bool is_now) {
  if (!client.is_connected || client.has_errand || &unwanted == &process) return false;
  note(process.life, "wants " + name_of(unwanted.life) + " out");
  unwanted.is_unwanted = true;
  client.has_errand = true;
  client.errand_must_succeed =
      is_well() && process.node->group_member().view().roster.contains(unwanted.life);
  client.unwanted = unwanted.life;
  client.forced.clear();
  if (!is_now) return say(process, client, node::Evict{unwanted.id}), true;
  for (Process* each : living())
    if (each->id == unwanted.id) each->is_hurried = true;
  Holders forgiven;
  for (const Command& command : commands_)
    if (command.actor.life.id == unwanted.id) forgiven[command.actor] = command.fence;
  for (const auto& [actor, fence] : forgiven) forget_command(actor, fence);
  return say(process, client, node::EvictNow{unwanted.id}), true;
}

/// A peer finds that others are in other clusters than was thought.
void GroupSimulation::relabel() {
  Process* process = draw_process(label_dice_);
  if (!stormy_ || !process || process->stopped || !process->node->has_life()) return;
  std::map<NodeId, std::string> labels;
  for (std::uint64_t place = 0; place < nodes_; ++place)
    if (label_dice_.chance(0.5)) labels[id_of(place)] = draw_label();
  note(process->life, "wants other clusters");
  call(*process, [&](node::Node& node, Time now) {
    node.group_member().relabel(labels, node.effects().at(now));
  });
}

std::string GroupSimulation::draw_label() {
  constexpr std::array labels{"west/1", "west/2", "east/1"};
  return labels[label_dice_.below(labels.size())];
}

bool GroupSimulation::are_near(NodeId one, NodeId other) const {
  return one.value % hosts_ % 2 == other.value % hosts_ % 2;
}

/// The members have found out which peers are near one another. They cannot tell unless some pairs
/// are near and others far apart.
bool GroupSimulation::is_grouped() {
  if (!has_sites_) return true;
  const Roster& roster = register_.view().roster;
  bool is_right = true;
  bool has_near = false;
  bool has_distant = false;
  for (const Member& one : roster)
    for (const Member& other : roster) {
      if (one.id == other.id) continue;
      bool is_near = are_near(one.id, other.id);
      (is_near ? has_near : has_distant) = true;
      is_right = is_right && is_near == (one.cluster == other.cluster);
    }
  bool can_tell = has_near && has_distant;
  if (can_tell && is_right) findings_.see(Sighting::sites_found);
  return is_right || !can_tell;
}

void GroupSimulation::strike_at(Process& process) {
  NodeId id = process.id;
  kill(process, chance(0.5));
  respawn(id, draw(options_.lease.length / 10, 4 * options_.lease.length));
}

/// Some peers do not hear some others, in one direction.
void GroupSimulation::part() {
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

/// Two peers never hear one another again, though all others hear both, until one of them is put
/// out.
void GroupSimulation::sever(const Process& one, const Process& other) {
  if (&one == &other || !one.node->is_member() || !other.node->is_member()) return;
  note(name_of(one.life) + " and " + name_of(other.life) + " never hear one another again");
  findings_.see(Sighting::severed);
  severed_.insert({one.life, other.life});
  severed_.insert({other.life, one.life});
}

/// Strikes while locks are being recovered, or lets a peer come then.
void GroupSimulation::haunt_recovery() {
  if (!stormy_) return;
  if (label_dice_.chance(0.2)) return invite_somebody();
  if (!chance(0.25)) return;
  PeerInstance decider = register_.view().decider;
  after(draw({}, 4 * latency_max_), [this, decider] {
    Process* other = draw_process(random_);
    if (!other || !stormy_) return;
    Process* victim = chance(0.5) ? find(decider) : other;
    if (victim) kill_or_stop(*victim);
  });
}

/// Strikes the other peer of a transfer while data move.
void GroupSimulation::haunt(const node::Transfer& transfer) {
  if (!stormy_ || !data_dice_.chance(0.01)) return;
  after(draw({}, 4 * latency_max_), [this, with = transfer.with] {
    Process* victim = find(with);
    if (victim && stormy_) kill_or_stop(*victim);
  });
}

void GroupSimulation::kill_or_stop(Process& process) {
  if (chance(0.5)) return strike_at(process);
  stop(process, draw(options_.lease.length / 5, 3 * options_.lease.length));
}

/// A peer that was to come later comes now.
void GroupSimulation::invite_somebody() {
  after(draw({}, 4 * latency_max_), [this] {
    for (std::uint64_t place = 0; place < nodes_; ++place)
      if (!newest(id_of(place))) return spawn(id_of(place));
  });
}

void GroupSimulation::calm_down() {
  note("all is well again");
  stormy_ = false;
  loss_ = 0;
  wire_bytes_max_ = wire_bytes_plenty;
  end_broken_wires();
  answers_lost_ = 0;
  cut_.clear();
  cut_from_register_.clear();
  register_away_ = false;
  register_full_ = false;
  register_delay_ = {};
  for (Process* process : living()) process->lacks_descriptors = false;
  notify();
}

}  // namespace conch::sim
