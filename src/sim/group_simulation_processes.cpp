// Group simulation: processes come and go; and the world of a node.
#include <algorithm>

#include "core/print.hpp"
#include "overlay/fence_clock.hpp"
#include "sim/distribution.hpp"
#include "sim/group_simulation_process.hpp"

namespace conch::sim {

using namespace recovery;

namespace {

class CrowdPolicy : public RecoveryPolicy {
  Duration view_pause(std::size_t, const LeaseTerms& terms) const override {
    return terms.length / 8;
  }
  bool summons(std::size_t) const override { return true; }
};

}  // namespace

// Processes.

GroupSimulation::Process* GroupSimulation::find(const PeerInstance& life) {
  auto found = lives_.find(life);
  return found == lives_.end() ? nullptr : found->second;
}

GroupSimulation::Process* GroupSimulation::find(std::uint64_t serial) {
  auto found = processes_.find(serial);
  return found == processes_.end() ? nullptr : found->second.get();
}

GroupSimulation::Process* GroupSimulation::newest(NodeId id) {
  Process* found = nullptr;
  for (const auto& [serial, process] : processes_)
    if (process->id == id) found = process.get();
  return found;
}

std::vector<GroupSimulation::Process*> GroupSimulation::living() {
  std::vector<Process*> all;
  for (const auto& [serial, process] : processes_)
    if (!process->is_stranger) all.push_back(process.get());
  return all;
}

GroupSimulation::Process* GroupSimulation::draw_process(Random& random) {
  std::vector<Process*> all = living();
  return all.empty() ? nullptr : all[random.below(all.size())];
}

void GroupSimulation::respawn(NodeId id, Duration delay) {
  after(delay, [this, id] {
    if (!newest(id) && stage_ != Stage::farewell) spawn(id);
  });
}

/// Finds members through which to join, or founds the ring; false while others are about to join.
bool GroupSimulation::find_ring(node::NodeOptions& options) {
  options.ring = ring_;
  options.terms = options_.lease;
  for (const Process* other : living()) {
    if (!other->node->is_member() || other->wants_to_leave) continue;
    options.ring_contacts.push_back({other->life, other->address});
  }
  return !options.ring_contacts.empty() || processes_.empty();
}

void GroupSimulation::spawn(NodeId id, bool is_stranger) {
  node::NodeOptions options;
  if (is_ring() && !find_ring(options)) return respawn(id, options_.lease.length / 8);
  if (newest(id)) findings_.see(Sighting::usurped);
  std::uint64_t serial = ++serials_;
  processes_[serial] = std::make_unique<Process>(*this, serial, id);
  Process& process = *processes_[serial];
  process.clock = draw_clock();
  process.life = {id, Incarnation{++incarnations_}};
  process.is_stranger = is_stranger;
  process.reaches_register = is_ring() || is_stranger || id.value < near_register_;
  lives_[process.life] = &process;
  std::string& address = last_address_[id.value];
  bool is_free = !address.empty() && !listener_at(address);
  if (!is_free || chance(0.5))
    address = "tcp:" + std::to_string(id.value) + "." + std::to_string(serial) + ":4711";
  process.address = address;
  options.group = "survivors";
  options.algorithm = &entry_;
  options.self = {id, process.life.incarnation, address, false, draw_label(), has_sites_};
  options.has_register = process.reaches_register && !is_ring();
  if (process.reaches_register) options.terms = options_.lease;
  for (std::uint64_t near = 0; near < near_register_; ++near)
    if (!process.reaches_register) options.join.push_back(std::to_string(near));
  options.serves_clients = true;
  options.try_patience = options_.lease.length / 4;
  if (client_dice_.chance(0.2) && !is_ring()) options.lock_delay = options_.lease.length / 2;
  options.tuning = options_.tuning;
  options.policy = is_crowded_ ? conch::policy<CrowdPolicy>() : policy_without(options_.without);
  options.entries_max = entries_max_;
  options.shared_entries = shared_entries_;
  if (is_stranger)
    options.algorithm = &find_algorithm(entry_.about.name == "central" ? "elmp" : "central");
  process.node.emplace(std::move(options), process, process);
  process.node->watch(process);
  if (traces_) process.node->watch(process.lines.emplace(*this, (*traces_)[process.serial]));
  if (!is_stranger) hire(process);
  note(process.life, "starts");
  call(process, [&](node::Node& node, Time now) {
    process.reaches_register ? node.start(now) : node.seek(now);
  });
}

/// Gives the process its threads and clients.
void GroupSimulation::hire(Process& process) {
  for (unsigned i = 0; i < threads_max_; ++i) process.threads.emplace_back(*this, process, i);
  process.clients.resize(clients_max_);
  for (unsigned i = 0; i < clients_max_; ++i) process.clients[i].number = threads_max_ + i;
}

/// If `noticed`, its machine sees that the process is dead; otherwise its lease runs out. Keepers
/// see it by themselves, and end their commands.
void GroupSimulation::kill(Process& process, bool noticed) {
  note(process.life, noticed ? "is killed, and seen to be dead" : "is killed");
  PeerInstance life = process.life;
  see_end_of(life);
  std::vector<Actor> left_behind;
  for (const Command& command : commands_)
    if (command.process == process.serial) left_behind.push_back(command.actor);
  hang_up_all(process, !noticed && !is_ring() && stormy_ && chance(0.2));
  remove(process);
  if (noticed) noticed_.insert(life);
  for (const Actor& actor : left_behind) {
    if (noticed) noticed_.insert(actor.life);
    end_command(actor, [] {});
  }
  if (noticed && !has_commands(life)) end_life(life);
}

void GroupSimulation::remove(Process& process) {
  cut_transfers(process.life);
  for (auto& [name, oracle] : oracles_) {
    // The commands of its clients run on.
    for (const Thread& thread : process.threads)
      if (thread.state == node::Claim::State::inside)
        oracle.left({thread.life, thread.number}, std::nullopt);
    oracle.gone(process.life);
  }
  lives_.erase(process.life);
  std::erase_if(memory_acts_, [&](const auto& each) { return each->serial == process.serial; });
  processes_.erase(process.serial);
}

void GroupSimulation::stop(Process& process, Duration length) {
  if (process.stopped) return;
  note(process.life, "is stopped for " + print_duration(length));
  see_end_of(process.life);
  process.stopped = true;
  after(length, [this, serial = process.serial] {
    Process* woken = find(serial);
    if (!woken) return;
    note(woken->life, "goes on");
    woken->stopped = false;
    woken->woken_at = now_;
    for (auto& act : std::exchange(woken->missed, {})) to(serial, {}, std::move(act));
  });
}

void GroupSimulation::leave(Process& process) {
  if (!process.node->is_member()) {
    if (stage_ == Stage::farewell)
      to(process.serial, options_.lease.length / 4, [this](Process& one) { leave(one); });
    return;
  }
  note(process.life, "wants to leave");
  for (const auto& [name, local_lock] : process.node->local_locks())
    if (!local_lock->queue.idle()) findings_.see(Sighting::left_while_wanted);
  process.wants_to_leave = true;
  process.must_be_let_go = severed_.empty() && (stage_ == Stage::farewell || is_settled(calm_at_));
  call(process, [](node::Node& node, Time now) { node.leave(now); });
}

/// While things go wrong, lets a process leave after its work.
void GroupSimulation::leave_soon(const Process& process, Duration within) {
  if (stormy_) to(process.serial, draw({}, within), [this](Process& one) { leave(one); });
}

void GroupSimulation::call(Process& process, const Call& run) {
  Time now = process.shows();
  {
    Acting acting(*this, &process);
    run(*process.node, now);
    process.node->tick(now);
    process.node->settle(now);
  }
  for (const Thread& thread : process.threads) {
    bool is_late = thread.state == node::Claim::State::inside && !process.node->has_lease(now);
    if (is_late && options_.without != Rule::lease)
      findings_.report(Property::mutual_exclusion, name_of(Actor{process.life, thread.number}) +
                                                       " is inside without a lease, untold");
  }
  look_at(process);
}

void GroupSimulation::act(Process& process, const Call& run) {
  Time now = process.shows();
  {
    Acting acting(*this, &process);
    run(*process.node, now);
    process.node->settle(now);
  }
  look_at(process);
}

/// Looks at what a call has changed in a process.
void GroupSimulation::look_at(Process& process) {
  const node::Node& node = *process.node;
  if (!node.has_life() && node.has_terms())
    return call(process, [](node::Node& own, Time now) { own.start(now); });
  if (const ViewProtocol* part = process.view_protocol()) {
    if (part->early() > process.early) findings_.see(Sighting::early_message);
    if (part->locks().size() < process.locks) findings_.see(Sighting::lock_forgotten);
    const View& newest = register_.view();
    if (newest.decider == process.life && part->epoch() == newest.epoch) decided_ = newest.epoch;
    bool is_held = std::any_of(
        process.threads.begin(), process.threads.end(),
        [](const Thread& thread) { return thread.state == node::Claim::State::inside; });
    if (part->epoch() != process.epoch && process.epoch != Epoch{0} && is_held)
      findings_.see(Sighting::holder_kept);
    if (part->epoch() != process.epoch) process.epoch_began = now_;
    process.early = part->early();
    process.locks = part->locks().size();
    process.epoch = part->epoch();
  }
  check_shown_lease(process);
  forgive_forced_commands(process);
  if (node.is_member() && !process.settled_at) settle_in(process);
  if (node.phase() == node::PeerPhase::failed && process.is_stranger) {
    findings_.see(Sighting::stranger_refused);
    return to(process.serial, {}, [this](Process& stranger) { kill(stranger, false); });
  }
  if (process.is_stranger && node.is_member())
    findings_.report(Property::invariant, name_of(process.life) + " is in, and is a stranger");
  if (node.phase() == node::PeerPhase::failed)
    findings_.report(Property::invariant, name_of(process.life) + " is refused: " + node.failure());
  if (node.phase() == node::PeerPhase::gone) {
    bool departed =
        process.wants_to_leave && node.group_member().stage() == recovery::ViewStage::out;
    if (departed) findings_.see(Sighting::member_left);
    for (const Thread& thread : process.threads)
      if (thread.is_untold)
        findings_.report(Property::progress, name_of(Actor{process.life, thread.number}) +
                                                 " waits, and is not told that its peer has left");
    if (process.node->data().is_bequeathed() && !process.keeps_data) check_departure(process);
    return to(process.serial, {}, [this, departed](Process& gone) {
      note(gone.life, "has left");
      NodeId id = gone.id;
      kill(gone, departed);
      if (stage_ != Stage::farewell) respawn(id, draw({}, 2 * options_.lease.length));
    });
  }
  wake_in_time(process);
}

/// Keepers end their commands by the lease that they are shown.
void GroupSimulation::check_shown_lease(const Process& process) {
  if (is_ring() || !process.node->has_life()) return;
  const GroupMember& group_member = process.node->group_member();
  bool is_out = group_member.stage() == recovery::ViewStage::out;
  if (!is_out && group_member.lease_until() != process.lease_until)
    findings_.report(Property::invariant, "keepers of " + name_of(process.life) +
                                              " are not shown the lease that it has");
}

/// The process is in the group: its threads and clients begin.
void GroupSimulation::settle_in(Process& process) {
  note(process.life, "is in the group");
  process.settled_at = now_;
  const Member* member = process.node->group_member().view().roster.find(process.id);
  if (member && member->guest) findings_.see(Sighting::guest_came);
  bool has_come_for_locks = client_dice_.chance(0.5);
  for (Thread& thread : process.threads)
    has_come_for_locks ? to(process.serial, {}, [this, &thread](Process& one) { ask(one, thread); })
                       : think(process, thread);
  for (std::size_t i = 0; i < process.clients.size(); ++i)
    to(process.serial, draw({}, options_.lease.length / 4),
       [this, i](Process& one) { connect(one, one.clients[i]); });
}

void GroupSimulation::wake_in_time(Process& process) {
  std::uint64_t number = ++process.wake;
  Time shown = process.node->wakes();
  if (shown == Time::max()) return;
  Duration delay = std::max(Duration{}, process.clock.when(shown) - now_);
  to(process.serial, delay, [this, number](Process& woken) {
    if (woken.wake == number) call(woken, [](node::Node&, Time) {});
  });
}

/// Whether it reaches the register itself, or through a member whose life has lasted for long
/// enough, and goes on.
bool GroupSimulation::can_renew(const Process& process) const {
  Time since = now_ - 2 * options_.lease.length;
  auto asks_for_others = [&](const auto& each) {
    const Process& other = *each.second;
    bool is_there = other.settled_at &&
                    std::max({*other.settled_at, other.woken_at, other.lived_again_at}) < since;
    return other.reaches_register && is_there && !other.stopped && !other.wants_to_leave;
  };
  return process.reaches_register ||
         std::any_of(processes_.begin(), processes_.end(), asks_for_others);
}

/// A life of the process is over: the lease ran out, or it was evicted.
void GroupSimulation::put_out(Process& process) {
  note(process.life, "is out of the group");
  findings_.see(Sighting::lived_again);
  if (is_ring()) return;
  RegisterSnapshot snapshot = register_.snapshot();
  bool evicted = !snapshot.view.roster.contains(process.life);
  if (register_away_) findings_.see(Sighting::register_away);
  bool may_lose_it = evicted || !can_renew(process) || !process.lease_until;
  if (is_settled(std::max(calm_at_, process.woken_at)) && !may_lose_it)
    findings_.report(Property::progress,
                     name_of(process.life) + " has lost its lease, though all is well");
  if (evicted && !snapshot.has_ended(process.life)) findings_.see(Sighting::falsely_suspected);
  if (evicted && babblers_.contains(process.life)) findings_.see(Sighting::babbler_put_out);
  if (evicted && process.is_unwanted) findings_.see(Sighting::member_evicted);
  process.is_unwanted = false;
  for (auto& [name, oracle] : oracles_) {
    oracle.gone(process.life);
    for (const Thread& thread : process.threads)
      if (oracle.is_inside({process.life, thread.number}))
        findings_.report(Property::mutual_exclusion,
                         name_of(Actor{process.life, thread.number}) +
                             " is out of the group, and was not told that its lock is lost");
  }
  process.early = process.locks = 0;
  process.epoch = Epoch{0};
  // If two processes have one id, the older gives way.
  if (newest(process.id) != &process)
    to(process.serial, {}, [this](Process& former) { kill(former, false); });
}

/// A holder whose lease has run out may not know yet, and no claim need wait for it.
void GroupSimulation::see_late_holders() {
  for (auto& [name, oracle] : oracles_)
    for (const auto& [actor, entry] : oracle.inside()) {
      auto found = std::find_if(commands_.begin(), commands_.end(),
                                [&, &who = actor](auto& each) { return each.actor == who; });
      if (found != commands_.end()) {
        if (found->last <= found->clock.shows(now_)) oracle.is_late(actor);
        continue;
      }
      const Process* holder = find(actor.life);
      if (!holder || !holder->node->has_lease(holder->shows())) oracle.is_late(actor);
    }
}

// The world of a node.

void GroupSimulation::Process::begin_life(const PeerInstance& next) {
  if (next == life) return;
  w_.put_out(*this);
  w_.cut_transfers(life);
  w_.lives_.erase(life);
  life = next;
  lived_again_at = w_.now_;
  w_.lives_[life] = this;
  lease_until.reset();
}

void GroupSimulation::Process::show_lease(Time until, Duration) {
  lease_until = until;
  w_.prolong_commands(*this);
}

/// The commands under its locks are killed now, which is wrong if others wait for their end.
void GroupSimulation::Process::end_lease() {
  if (w_.has_commands(life) && !is_hurried && w_.options_.without != Rule::command)
    w_.findings_.report(Property::invariant,
                        "commands of " + name_of(life) + " are killed, though they are waited for");
  lease_until = shows();
  for (Command& command : w_.commands_)
    if (command.actor.life == life) command.last = *lease_until;
}

/// Like a peer that ships, looks now and then whether its socket still exists.
void GroupSimulation::Process::keep_house() {
  if (!std::exchange(has_socket, true)) w_.findings_.see(Sighting::socket_made_again);
}

/// By a clock that is right.
Fence GroupSimulation::Process::fence_floor() const {
  return overlay::FenceClock{}.at(w_.now_ + std::chrono::hours(1));
}

/// Peers of one release understand one another.
void GroupSimulation::Process::log(const std::string& line, LogLevel) {
  if (w_.trace_) w_.note(life, "says: " + line);
  if (line.starts_with("nothing reaches")) w_.findings_.see(Sighting::channel_broke);
  // Those that ask the register through others cannot leave in order once all of these have left.
  if (line.starts_with("could not leave") && must_be_let_go && w_.can_renew(*this))
    w_.findings_.report(Property::progress, name_of(life) + " " + line);
  if (line.find("nobody takes over the data") != line.npos) keeps_data = true;
  if (!line.starts_with("malformed message from peer") ||
      line.find("malformed message") == line.npos)
    return;
  if (w_.babblers_.empty()) w_.findings_.report(Property::invariant, line);
  w_.findings_.see(Sighting::nonsense_heard);
}

}  // namespace conch::sim
