#include "sim/survival.hpp"

#include <algorithm>

#include "catalog/real_algorithms.hpp"
#include "core/print.hpp"
#include "overlay/fence_clock.hpp"
#include "sim/distribution.hpp"
#include "sim/survival_process.hpp"

namespace conch::sim {

using namespace recovery;

namespace {

/// Nobody of it has or wants anything.
bool is_idle(const node::Node& node) {
  return std::all_of(node.desks().begin(), node.desks().end(), [](const auto& each) {
    return each.second->queue.idle() && each.second->queue.inside().empty();
  });
}

/// On a ring so many stand that each is the root of one replica of a lock at most.
constexpr unsigned ring_replicas = 5;

const CatalogEntry& survivor_named(const std::string& name) {
  const CatalogEntry* routed = node::find_routed(name);
  return routed ? *routed : find_algorithm(name);
}

/// Of each peer: far more than a run takes that comes to an end.
constexpr std::uint64_t events_max = 200'000;

}  // namespace

std::vector<std::string> surviving_algorithms() {
  std::vector<std::string> names = real_algorithms();
  for (const CatalogEntry& entry : protocols()) names.emplace_back(entry.about.name);
  return names;
}

void validate(const SurvivalOptions& options) {
  const CatalogEntry& entry = survivor_named(options.algorithm);
  if (entry.about.use == Use::specimen)
    throw BadText(options.algorithm + " is a specimen: it fails without any crash. Try " +
                  "naimi-trehel, or `conch algorithms`.");
  if (options.nodes_min < 2 || options.nodes_max > 64 || options.nodes_min > options.nodes_max)
    throw BadText("a group that survives has 2 to 64 peers, as 4 or 2..6");
  if (options.without == Rule::roster)
    throw BadText(
        "--without roster needs a group whose register knows less than its members: "
        "conch check " +
        options.algorithm + " --recovery --without roster");
  if (!options.lease.valid() || options.clock_drift_percent >= 50)
    throw BadText("a lease has a length, and clocks drift by less than 50 %");
}

// The clockwork.

Time Survival::Clock::shows(Time now) const {
  Duration since = now.time_since_epoch();
  return Time(since + since / 1'000'000 * ppm + offset);
}

Time Survival::Clock::when(Time shown) const {
  Duration local = shown.time_since_epoch() - offset;
  Duration since = local / (1'000'000 + ppm) * 1'000'000;
  // Rounded up, so that the clock has got there.
  while (shows(Time(since)) < shown) since += std::chrono::microseconds(10);
  return Time(since);
}

Survival::Survival(const SurvivalOptions& options, std::ostream* trace)
    : options_(options),
      entry_(survivor_named(options.algorithm)),
      trace_(trace),
      random_(options.seed),
      label_dice_(~options.seed),
      evict_dice_(options.seed, 2),
      client_dice_(options.seed, 1),
      register_(options.lease) {
  validate(options);
}

Survival::~Survival() = default;

SurvivalReport Survival::run() {
  InvariantWatch watch;
  auto span = options_.nodes_max - options_.nodes_min + 1;
  nodes_ = options_.nodes_min + static_cast<std::uint32_t>(random_.below(span));
  if (node::find_routed(options_.algorithm)) {
    nodes_ = std::max(nodes_, ring_replicas) + static_cast<std::uint32_t>(random_.below(4));
    ring_ = node::Agreement{options_.algorithm, chance(0.5) ? "pastry" : "chord", ring_replicas,
                            options_.lease.length};
  }
  near_register_ = chance(0.7) ? nodes_ : 1 + static_cast<std::uint32_t>(random_.below(nodes_));
  threads_max_ = 1 + static_cast<unsigned>(random_.below(3));
  clients_max_ = static_cast<unsigned>(random_.below(3));
  if (is_ring()) clients_max_ = 0;  // Nobody waits for the commands of one that was put out.
  lock_names_ = {"conch"};
  if (chance(0.3)) lock_names_.emplace_back("horn");
  for (const std::string& lock : lock_names_) oracles_.emplace(lock, LockOracle(findings_));
  for (std::uint64_t place = 0; place < nodes_; ++place)
    respawn(id_of(place), draw({}, options_.lease.length));
  plan_faults();
  stage_until_ = calm_at_ + 200 * options_.lease.length;
  std::uint64_t events = 0;
  try {
    while (!events_.empty() && !findings_.violation() && !is_over()) {
      Event event = events_.top();
      events_.pop();
      if (event.at > stage_until_ || ++events > events_max * nodes_) {
        go_on();
        break;
      }
      now_ = event.at;
      event.act();
    }
  } catch (const BrokenInvariant& broken) {
    findings_.report(Property::invariant, broken.what());
  }
  report_.violation = findings_.violation();
  report_.sightings = findings_.sightings();
  report_.simulated = now_.time_since_epoch();
  report_.epochs = register_.epochs();
  return report_;
}

/// What a run has not come to an end with.
void Survival::go_on() {
  switch (stage_) {
    case Stage::busy:
      return findings_.report(
          Property::progress,
          "somebody waits for ever after all faults have ended: " + name_unserved());
    case Stage::quiet: return check_nothing_is_left();
    case Stage::farewell:
      return findings_.report(Property::progress, "somebody cannot leave the group");
  }
}

/// From one stage to the next.
bool Survival::is_over() {
  if (stormy_) return false;
  Duration lease = options_.lease.length;
  if (stage_ == Stage::busy && everybody_is_served()) {
    note("nobody asks for anything any more");
    stage_ = Stage::quiet;
    stage_until_ = now_ + 20 * lease;
  } else if (stage_ == Stage::quiet && is_quiet()) {
    note("everybody leaves");
    check_nothing_is_left();
    stage_ = Stage::farewell;
    stage_until_ = now_ + 60 * lease;
    for (Process* process : living())
      to(process->serial, draw({}, 2 * lease), [this](Process& one) { leave(one); });
  } else if (stage_ == Stage::farewell && processes_.empty()) {
    findings_.see(Sighting::everybody_left);
    return true;
  }
  return false;
}

bool Survival::is_quiet() {
  for (const auto& [serial, process] : processes_) {
    bool waits = !process->node->is_member() || process->stopped || !is_idle(*process->node);
    for (const Thread& thread : process->threads) waits = waits || thread.desk != nullptr;
    for (const Client& client : process->clients)
      waits = waits || client.doing != Client::Doing::nothing || client.surveys > 0 ||
              client.has_errand;
    if (waits) return false;
  }
  return true;
}

/// Nobody wants anything: so nobody has anything.
void Survival::check_nothing_is_left() {
  for (const auto& [serial, process] : processes_) {
    if (!is_idle(*process->node))
      findings_.report(Property::progress,
                       name_of(process->life) + " still has something that nobody wants");
    for (const Client& client : process->clients)
      if (client.surveys > 0 || client.has_errand)
        findings_.report(Property::progress,
                         "a client of " + name_of(process->life) + " was never answered");
    if (!process->node->is_member())
      findings_.report(Property::progress, name_of(process->life) + " is not in the group");
  }
  for (const auto& [name, oracle] : oracles_)
    if (!oracle.is_empty())
      findings_.report(Property::progress, "somebody is still inside '" + name + "'");
}

NodeId Survival::id_of(std::uint64_t place) const {
  return NodeId{is_ring() ? (~std::uint64_t{0} / nodes_) * place + 1 : place};
}

void Survival::at(Time when, Act act) { events_.push({when, ++order_, std::move(act)}); }

void Survival::to(std::uint64_t serial, Duration delay, std::function<void(Process&)> act) {
  after(delay, [this, serial, act = std::move(act)] {
    Process* process = find(serial);
    if (!process) return;
    if (process->stopped) return process->missed.push_back(act);
    act(*process);
  });
}

Duration Survival::draw(Duration low, Duration high) {
  auto span = static_cast<std::uint64_t>((high - low).count());
  if (span == 0) return low;
  return low + Duration(static_cast<std::int64_t>(random_.below(span)));
}

Survival::Clock Survival::draw_clock() {
  std::uint64_t ppm_max = std::uint64_t{options_.clock_drift_percent} * 10'000;
  auto ppm = static_cast<std::int64_t>(random_.below(2 * ppm_max + 1));
  return {draw({}, std::chrono::hours(1)), ppm - static_cast<std::int64_t>(ppm_max)};
}

/// Twice; or where nobody is promised anything, somebody as often.
bool Survival::everybody_is_served() const {
  std::size_t actors = std::size_t{nodes_} * (threads_max_ + clients_max_);
  unsigned all = 0;
  for (const auto& [who, times] : served_) all += times;
  bool each = served_.size() == actors && std::all_of(served_.begin(), served_.end(),
                                                      [](auto& one) { return one.second >= 2; });
  return entry_.about.promises_progress ? each : all >= 2 * nodes_;
}

std::string Survival::name_unserved() const {
  std::string names;
  for (std::uint64_t place = 0; place < nodes_; ++place)
    for (unsigned number = 0; number < threads_max_ + clients_max_; ++number) {
      std::uint64_t id = id_of(place).value;
      auto found = served_.find({id, number});
      if (found != served_.end() && found->second >= 2) continue;
      names += (names.empty() ? "" : ", ") + std::to_string(id) + "." + std::to_string(number);
    }
  return names;
}

void Survival::note(const std::string& what) {
  if (trace_) *trace_ << print_duration(now_.time_since_epoch()) << "  " << what << "\n";
}

void Survival::note(const Life& life, const std::string& what) {
  if (trace_) note(name_of(life) + " " + what);
}

LockOracle& Survival::oracle(const std::string& lock) { return oracles_.at(lock); }

// Processes.

Survival::Process* Survival::find(const Life& life) {
  auto found = lives_.find(life);
  return found == lives_.end() ? nullptr : found->second;
}

Survival::Process* Survival::find(std::uint64_t serial) {
  auto found = processes_.find(serial);
  return found == processes_.end() ? nullptr : found->second.get();
}

Survival::Process* Survival::newest(NodeId id) {
  Process* found = nullptr;
  for (const auto& [serial, process] : processes_)
    if (process->id == id) found = process.get();
  return found;
}

std::vector<Survival::Process*> Survival::living() {
  std::vector<Process*> all;
  for (const auto& [serial, process] : processes_) all.push_back(process.get());
  return all;
}

Survival::Process* Survival::draw_process(Random& random) {
  std::vector<Process*> all = living();
  return all.empty() ? nullptr : all[random.below(all.size())];
}

void Survival::respawn(NodeId id, Duration delay) {
  after(delay, [this, id] {
    if (!newest(id) && stage_ != Stage::farewell) spawn(id);
  });
}

/// Through some who are in it, or as its founder; false if others are just about to come in.
bool Survival::find_ring(node::NodeOptions& options) {
  options.ring = ring_;
  options.terms = options_.lease;
  for (const Process* other : living()) {
    if (!other->node->is_member() || other->wants_to_leave) continue;
    options.ring_contacts.push_back({other->life, std::to_string(other->id.value)});
  }
  return !options.ring_contacts.empty() || processes_.empty();
}

void Survival::spawn(NodeId id) {
  node::NodeOptions options;
  if (is_ring() && !find_ring(options)) return respawn(id, options_.lease.length / 8);
  if (newest(id)) findings_.see(Sighting::usurped);
  std::uint64_t serial = ++serials_;
  processes_[serial] = std::make_unique<Process>(*this, serial, id);
  Process& process = *processes_[serial];
  process.clock = draw_clock();
  process.life = {id, Incarnation{++incarnations_}};
  process.reaches_register = is_ring() || id.value < near_register_;
  lives_[process.life] = &process;
  options.group = "survivors";
  options.algorithm = &entry_;
  options.self = {id, process.life.incarnation, std::to_string(id.value), false, draw_label()};
  options.has_register = process.reaches_register && !is_ring();
  if (process.reaches_register) options.terms = options_.lease;
  for (std::uint64_t near = 0; near < near_register_; ++near)
    if (!process.reaches_register) options.join.push_back(std::to_string(near));
  options.serves_clients = true;
  options.try_patience = options_.lease.length / 4;
  if (client_dice_.chance(0.2) && !is_ring()) options.lock_delay = options_.lease.length / 2;
  options.tuning = options_.tuning;
  options.without = options_.without;
  options.entries_max = entries_max_;
  process.node.emplace(std::move(options), process);
  if (trace_ && is_ring()) process.node->watch(process);
  for (unsigned i = 0; i < threads_max_; ++i) process.threads.emplace_back(*this, process, i);
  process.clients.resize(clients_max_);
  for (unsigned i = 0; i < clients_max_; ++i) process.clients[i].number = threads_max_ + i;
  note(process.life, "starts");
  call(process, [&](node::Node& node, Time now) {
    process.reaches_register ? node.start(now) : node.seek(now);
  });
}

/// Noticed: somebody on its machine sees that the process is dead; otherwise its lease runs out.
/// Keepers see it by themselves, and end what they keep.
void Survival::kill(Process& process, bool noticed) {
  note(process.life, noticed ? "is killed, and seen to be dead" : "is killed");
  Life life = process.life;
  see_end_of(life);
  std::vector<Actor> left_behind;
  for (const Command& command : commands_)
    if (command.actor.life.id == process.id) left_behind.push_back(command.actor);
  remove(process);
  if (noticed) noticed_.insert(life);
  for (const Actor& actor : left_behind) {
    if (noticed) noticed_.insert(actor.life);
    end_command(actor, [] {});
  }
  if (noticed && !has_commands(life)) end_life(life);
}

void Survival::remove(Process& process) {
  for (auto& [name, oracle] : oracles_) {
    // What its clients have started runs on.
    for (const Thread& thread : process.threads)
      if (thread.state == node::Claim::State::inside)
        oracle.left({thread.life, thread.number}, std::nullopt);
    oracle.gone(process.life);
  }
  lives_.erase(process.life);
  processes_.erase(process.serial);
}

void Survival::stop(Process& process, Duration length) {
  if (process.stopped) return;
  note(process.life, "is stopped for " + print_duration(length));
  see_end_of(process.life);
  process.stopped = true;
  after(length, [this, serial = process.serial] {
    Process* woken = find(serial);
    if (!woken) return;
    note(woken->life, "goes on");
    woken->stopped = false;
    for (auto& act : std::exchange(woken->missed, {})) to(serial, {}, std::move(act));
  });
}

void Survival::leave(Process& process) {
  if (!process.node->is_member()) {
    if (stage_ == Stage::farewell)
      to(process.serial, options_.lease.length / 4, [this](Process& one) { leave(one); });
    return;
  }
  note(process.life, "wants to leave");
  for (const auto& [name, desk] : process.node->desks())
    if (!desk->queue.idle()) findings_.see(Sighting::left_while_wanted);
  process.wants_to_leave = true;
  call(process, [](node::Node& node, Time now) { node.leave(now); });
}

void Survival::call(Process& process, const Call& run) {
  Time now = process.shows();
  run(*process.node, now);
  process.node->tick(now);
  process.node->settle(now);
  for (const Thread& thread : process.threads) {
    bool is_late = thread.state == node::Claim::State::inside && !process.node->has_lease(now);
    if (is_late && options_.without != Rule::lease)
      findings_.report(Property::mutual_exclusion, name_of(Actor{process.life, thread.number}) +
                                                       " is inside without a lease, untold");
  }
  look_at(process);
}

void Survival::act(Process& process, const Call& run) {
  Time now = process.shows();
  run(*process.node, now);
  process.node->settle(now);
  look_at(process);
}

/// What has become of it by a call.
void Survival::look_at(Process& process) {
  const node::Node& node = *process.node;
  if (!node.has_life() && node.has_terms())
    return call(process, [](node::Node& own, Time now) { own.start(now); });
  if (const Participant* part = process.participant()) {
    if (part->early() > process.early) findings_.see(Sighting::early_message);
    if (part->locks().size() < process.locks) findings_.see(Sighting::lock_forgotten);
    const View& newest = register_.view();
    if (newest.decider == process.life && part->epoch() == newest.epoch) decided_ = newest.epoch;
    bool is_held = std::any_of(
        process.threads.begin(), process.threads.end(),
        [](const Thread& thread) { return thread.state == node::Claim::State::inside; });
    if (part->epoch() != process.epoch && process.epoch != Epoch{0} && is_held)
      findings_.see(Sighting::holder_kept);
    process.early = part->early();
    process.locks = part->locks().size();
    process.epoch = part->epoch();
  }
  forgive_forced_commands(process);
  if (node.is_member() && !std::exchange(process.is_settled_in, true)) settle_in(process);
  if (node.phase() == node::Phase::failed)
    findings_.report(Property::invariant, name_of(process.life) + " is refused: " + node.failure());
  if (node.phase() == node::Phase::gone) {
    bool departed = process.wants_to_leave && node.steward().stage() == recovery::Stage::out;
    if (departed) findings_.see(Sighting::member_left);
    return to(process.serial, {}, [this, departed](Process& gone) {
      note(gone.life, "has left");
      NodeId id = gone.id;
      kill(gone, departed);
      if (stage_ != Stage::farewell) respawn(id, draw({}, 2 * options_.lease.length));
    });
  }
  wake_in_time(process);
}

/// It is in the group: its threads and clients begin.
void Survival::settle_in(Process& process) {
  note(process.life, "is in the group");
  const Member* member = process.node->steward().view().roster.find(process.id);
  if (member && member->guest) findings_.see(Sighting::guest_came);
  for (Thread& thread : process.threads) think(process, thread);
  for (std::size_t i = 0; i < process.clients.size(); ++i)
    to(process.serial, draw({}, options_.lease.length / 4),
       [this, i](Process& one) { connect(one, one.clients[i]); });
}

void Survival::wake_in_time(Process& process) {
  std::uint64_t number = ++process.wake;
  Time shown = process.node->wakes();
  if (shown == Time::max()) return;
  Duration delay = std::max(Duration{}, process.clock.when(shown) - now_);
  to(process.serial, delay, [this, number](Process& woken) {
    if (woken.wake == number) call(woken, [](node::Node&, Time) {});
  });
}

/// A life of it is over: the lease ran out, or it was evicted.
void Survival::put_out(Process& process) {
  note(process.life, "is out of the group");
  findings_.see(Sighting::lived_again);
  if (is_ring()) return;
  Standing standing = register_.standing();
  bool evicted = !standing.view.roster.contains(process.life);
  if (register_away_) findings_.see(Sighting::register_away);
  if (evicted && !standing.has_ended(process.life)) findings_.see(Sighting::falsely_suspected);
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
  // Of two processes of one name the older does not fight for it.
  if (newest(process.id) != &process)
    to(process.serial, {}, [this](Process& former) { kill(former, false); });
}

/// Who is inside although its lease has run out does not know yet, and need not be waited for.
void Survival::see_late_holders() {
  for (auto& [name, oracle] : oracles_)
    for (const auto& [actor, fence] : oracle.inside()) {
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

// What is around a node.

void Survival::Process::keep(const std::string& lock, std::uint64_t version) {
  if (version == 0) return;
  data[lock] = version;
  copies.push_back({lock, {version, 1, id}});
  w_.oracle(lock).copied(life, version);
}

void Survival::Process::begin_life(const Life& next) {
  if (next == life) return;
  w_.put_out(*this);
  w_.lives_.erase(life);
  life = next;
  w_.lives_[life] = this;
  lease_until.reset();
}

void Survival::Process::show_lease(Time until, Duration) {
  lease_until = until;
  w_.prolong_commands(*this);
}

/// What runs under its locks is killed now.
void Survival::Process::end_lease() {
  lease_until = shows();
  for (Command& command : w_.commands_)
    if (command.actor.life == life) command.last = *lease_until;
}

void Survival::Process::forget_data() {
  data.clear();
  copies.clear();
}

/// Another member takes what is newest here; if there is none it ends with this peer.
void Survival::Process::bequeath() {
  w_.to(serial, w_.draw_latency(), [&w = w_](Process& one) {
    for (const auto& [lock, version] : one.data) {
      DataRef known = one.node->steward().known_data(lock);
      if (known.version != version || known.location != one.id) continue;
      for (const Member& member : one.node->steward().view().roster) {
        Process* heir = w.find(member.life());
        bool takes = heir && heir != &one && !heir->stopped && heir->node->is_member() &&
                     heir->node->steward().view().roster.contains(one.life) &&
                     !w.is_cut(one.id, heir->id) && !w.is_cut(heir->id, one.id);
        if (!takes) continue;
        heir->keep(lock, version);
        w.findings_.see(Sighting::data_inherited);
        w.call(*heir, [](node::Node& node, Time now) { node.tell_copies(now); });
        break;
      }
    }
    w.call(one, [](node::Node& node, Time) { node.bequeathed(); });
  });
}

/// By a clock that is right.
Fence Survival::Process::fence_floor() const {
  return overlay::FenceClock{}.at(w_.now_ + std::chrono::hours(1));
}

/// Peers of one release understand one another.
void Survival::Process::log(const std::string& line, LogLevel) {
  if (w_.trace_) w_.note(life, "says: " + line);
  if (line.find("makes no sense") != line.npos) w_.findings_.report(Property::invariant, line);
}

void Survival::Thread::moved() { process_.keep(desk->name, desk->data.version); }

}  // namespace conch::sim
