#include "sim/survival.hpp"

#include <algorithm>

#include "catalog/real_algorithms.hpp"
#include "core/print.hpp"
#include "sim/distribution.hpp"

namespace conch::sim {

using namespace recovery;

namespace {

/// Of each peer: far more than a run takes that comes to an end.
constexpr std::uint64_t events_max = 100'000;

}  // namespace

void validate(const SurvivalOptions& options) {
  const CatalogEntry& entry = find_algorithm(options.algorithm);
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
      entry_(find_algorithm(options.algorithm)),
      trace_(trace),
      random_(options.seed),
      label_dice_(~options.seed),
      evict_dice_(options.seed, 2),
      register_(options.lease),
      command_dice_(options.seed, 1) {
  validate(options);
}

SurvivalReport Survival::run() {
  InvariantWatch watch;
  auto span = options_.nodes_max - options_.nodes_min + 1;
  nodes_ = options_.nodes_min + static_cast<std::uint32_t>(random_.below(span));
  for (std::uint64_t id = 0; id < nodes_; ++id)
    respawn(NodeId{id}, draw({}, options_.lease.length));
  plan_faults();
  Time end = calm_at_ + 60 * options_.lease.length;
  std::uint64_t events = 0;
  try {
    while (!events_.empty() && !oracles_.violation()) {
      if (!stormy_ && everybody_is_served()) break;
      Event event = events_.top();
      events_.pop();
      if (event.at > end || ++events > events_max * nodes_) {
        oracles_.report(Property::progress, "somebody waits for ever after all faults have ended");
        break;
      }
      now_ = event.at;
      event.act();
    }
  } catch (const BrokenInvariant& broken) {
    oracles_.report(Property::invariant, broken.what());
  }
  report_.violation = oracles_.violation();
  report_.sightings = oracles_.sightings();
  report_.simulated = now_.time_since_epoch();
  report_.epochs = register_.epochs();
  return report_;
}

void Survival::at(Time when, Act act) { events_.push({when, ++order_, std::move(act)}); }

void Survival::to(const Life& life, Duration delay, std::function<void(Process&)> act) {
  after(delay, [this, life, act = std::move(act)] {
    Process* process = find(life);
    if (!process) return;
    if (process->stopped) return process->missed.push_back(act);
    act(*process);
  });
}

Duration Survival::draw(Duration low, Duration high) {
  auto span = static_cast<std::uint64_t>((high - low).count()) + 1;
  return low + Duration(static_cast<std::int64_t>(random_.below(span)));
}

Survival::Clock Survival::draw_clock() {
  std::uint64_t ppm_max = std::uint64_t{options_.clock_drift_percent} * 10'000;
  auto ppm = static_cast<std::int64_t>(random_.below(2 * ppm_max + 1));
  return {draw({}, std::chrono::hours(1)), ppm - static_cast<std::int64_t>(ppm_max)};
}

/// Twice; or where nobody is promised anything, somebody as often.
bool Survival::everybody_is_served() const {
  unsigned all = 0;
  for (const auto& [id, times] : served_) all += times;
  bool each = served_.size() == nodes_ && std::all_of(served_.begin(), served_.end(),
                                                      [](auto& one) { return one.second >= 2; });
  return entry_.about.promises_progress ? each : all >= 2 * nodes_;
}

void Survival::note(const std::string& what) {
  if (trace_) *trace_ << print_duration(now_.time_since_epoch()) << "  " << what << "\n";
}

void Survival::note(const Life& life, const std::string& what) {
  if (trace_) note(name_of(life) + " " + what);
}

// Processes.

Survival::Process* Survival::find(const Life& life) {
  auto found = processes_.find(life);
  return found == processes_.end() ? nullptr : &found->second;
}

std::vector<Life> Survival::living() const {
  std::vector<Life> lives;
  for (const auto& [life, process] : processes_) lives.push_back(life);
  return lives;
}

std::vector<Life> Survival::living(NodeId id) const {
  std::vector<Life> lives;
  for (const auto& [life, process] : processes_)
    if (life.id == id) lives.push_back(life);
  return lives;
}

void Survival::respawn(NodeId id, Duration delay) {
  after(delay, [this, id] {
    if (living(id).empty()) spawn(id);
  });
}

void Survival::spawn(NodeId id) {
  Life life{id, Incarnation{++incarnations_}};
  if (!living(id).empty()) oracles_.see(Sighting::usurped);
  Process& process = processes_[life];
  process.life = life;
  process.clock = draw_clock();
  Member self{life.id, life.incarnation, "", false, draw_label()};
  Charter charter{std::string(entry_.about.name), &algorithm_of(entry_),
                  entry_.tuned(options_.tuning), options_.without, entries_max_};
  process.peer.emplace(std::move(self), std::move(charter), options_.lease);
  process.runs_commands = command_dice_.chance(0.5);
  if (process.runs_commands && command_dice_.chance(0.5)) {
    process.lock_delay = options_.lease.length / 2;
    StewardOrders nothing(process.clock.shows(now_));
    process.peer->delay_locks(process.lock_delay, nothing);
  }
  note(life, "starts");
  call(process, [](Steward& peer, StewardOrders& out) { peer.start(out); });
}

/// Noticed: somebody on its machine sees that the process is dead; otherwise its lease runs out.
void Survival::kill(const Life& life, bool noticed) {
  note(life, noticed ? "is killed, and seen to be dead" : "is killed");
  see_end_of(life);
  processes_.erase(life);
  oracles_.died(life);
  oracles_.gone(life);
  if (!noticed) return;
  if (commands_.contains(life)) return end_command(life);
  if (register_.end(life)) notify();
}

// Commands.

/// Whoever enters is alone also with what others have started.
void Survival::see_other_commands(const Process& process) {
  for (const auto& [life, command] : commands_) {
    bool may_run = command.clock.shows(now_) < command.last;
    if (life == process.life || !may_run || !process.wish.conflicts(command.wish)) continue;
    oracles_.report(
        Property::mutual_exclusion,
        name_of(process.life) + " enters while a command of " + name_of(life) + " may run");
  }
}

void Survival::start_command(Process& process) {
  if (!process.runs_commands) return;
  commands_[process.life] = {process.wish, process.clock};
  process.peer->hold_fast(true);
  prolong_command(process);
}

/// What the keeper sees of the lease. The others' clocks may be faster.
void Survival::prolong_command(const Process& process) {
  auto found = commands_.find(process.life);
  if (found == commands_.end() || found->second.is_ending) return;
  Duration delay{};
  if (process.lock_delay > delay)
    delay = reliable({process.lock_delay, options_.lease.drift_percent});
  if (auto until = process.peer->tenure().until()) found->second.last = *until + delay;
}

/// Its keeper asks it to end, and says when it has, if it can; who does not hear it waits until the
/// last moment.
void Survival::end_command(const Life& life) {
  auto found = commands_.find(life);
  if (found == commands_.end() || std::exchange(found->second.is_ending, true)) return;
  auto grace = std::chrono::microseconds(command_dice_.below(
      static_cast<std::uint64_t>(options_.lease.length / std::chrono::microseconds(1))));
  after(grace, [this, life] {
    commands_.erase(life);
    bool tells = !register_away_ && !cut_from_register_.contains(life.id.value);
    if (!tells || !register_.end(life)) return;
    oracles_.see(Sighting::command_ended);
    notify();
  });
}

void Survival::stop(const Life& life, Duration length) {
  Process* process = find(life);
  if (!process || process->stopped) return;
  note(life, "is stopped for " + print_duration(length));
  see_end_of(life);
  process->stopped = true;
  after(length, [this, life] {
    Process* woken = find(life);
    if (!woken) return;
    note(life, "goes on");
    woken->stopped = false;
    for (auto& act : std::exchange(woken->missed, {})) to(life, {}, std::move(act));
  });
}

/// Runs one call of a peer and does what it wants done.
void Survival::call(Process& process, const Call& run) {
  Life life = process.life;
  std::size_t early = process.peer->participant().early();
  Epoch epoch = process.peer->participant().epoch();
  StewardOrders out(process.clock.shows(now_));
  run(*process.peer, out);
  if (process.peer->participant().early() > early) oracles_.see(Sighting::early_message);
  const View& newest = register_.view();
  if (newest.decider == life && process.peer->participant().epoch() == newest.epoch)
    decided_ = newest.epoch;
  if (process.peer->participant().epoch() != epoch && epoch != Epoch{0} &&
      process.phase == Phase::inside)
    oracles_.see(Sighting::holder_kept);
  for (auto& [to, message] : out.sends()) send(process, to, std::move(message));
  for (const Ask& each : out.asks()) ask(life, each);
  for (const recovery::Event& each : out.events()) take(life, each);
  Process* still = find(life);
  if (!still) return;
  prolong_command(*still);
  if (still->phase == Phase::inside && !still->peer->tenure().holds(still->clock.shows(now_)))
    oracles_.report(Property::mutual_exclusion,
                    name_of(life) + " is inside without a lease, and was not told");
  wake_in_time(*still);
}

void Survival::wake_in_time(Process& process) {
  std::uint64_t number = ++process.wake;
  Time shown = process.peer->wakes();
  if (shown == Time::max()) return;
  Duration delay = std::max(Duration{}, process.clock.when(shown) - now_);
  to(process.life, delay, [this, number](Process& woken) {
    if (woken.wake != number) return;
    if (woken.peer->forget_idle() > 0) oracles_.see(Sighting::lock_forgotten);
    call(woken, [](Steward& peer, StewardOrders& out) { peer.tick(out); });
  });
}

void Survival::take(const Life& life, const recovery::Event& event) {
  Process* process = find(life);
  if (process) std::visit([&](const auto& chosen) { happen(*process, chosen); }, event);
}

/// Who is inside although its lease has run out does not know yet, and need not be waited for.
void Survival::see_late_holders() {
  for (const Life& life : oracles_.inside()) {
    const Process& holder = *find(life);
    if (!holder.peer->tenure().holds(holder.clock.shows(now_))) oracles_.is_late(life);
  }
}

void Survival::happen(Process& process, const Granted& granted) {
  const Life life = process.life;
  note(life, "enters, " + print(granted.baton) + (granted.rolled_back ? ", rolled back" : ""));
  see_late_holders();
  oracles_.entered(life, granted, process.wish);
  see_other_commands(process);
  start_command(process);
  process.phase = Phase::inside;
  ++report_.grants;
  if (process.request >> 32) ++served_[life.id.value];
  std::uint64_t request = process.request;
  to(life, draw({}, options_.lease.length / 10), [this, request](Process& holder) {
    if (holder.phase == Phase::inside && holder.request == request) release(holder);
  });
  fetch(process, granted.baton.data);
}

void Survival::happen(Process& process, const Moved& moved) {
  note(process.life, "is told that its data are elsewhere now");
  fetch(process, moved.data);
}

/// The bytes are there at once.
void Survival::fetch(Process& process, const DataRef& data) {
  oracles_.copied(process.life);
  call(process, [&](Steward& peer, StewardOrders& out) { peer.copied(lock_name, data, out); });
}

void Survival::happen(Process& process, const Withdrew&) {
  note(process.life, "has withdrawn");
  think(process);
}

/// Who is still in the group has lost what somebody forced open, and may ask again.
void Survival::happen(Process& process, const Lost&) {
  note(process.life, "is told that its lock is lost");
  if (process.peer->participant().stage() == Stage::out) {
    oracles_.told_lost(process.life);
    process.phase = Phase::away;
    return end_command(process.life);
  }
  // Whoever forces a lock open has waited for the command, or did not mind it.
  commands_.erase(process.life);
  process.peer->hold_fast(false);
  oracles_.told_forced(process.life, process.peer->participant().view().forced_open(lock_name));
  think(process);
}

void Survival::happen(Process& process, const Opened& opened) {
  note(process.life, "has forced the lock open");
  see_late_holders();
  oracles_.opened(process.life, opened.epoch);
}

void Survival::happen(Process& process, const Admitted&) {
  note(process.life, "is in the group");
  const Member* member = process.peer->participant().view().roster.find(process.life.id);
  if (member && member->guest) oracles_.see(Sighting::guest_came);
  think(process);
}

void Survival::happen(Process& process, const Expelled&) {
  note(process.life, "is out of the group");
  Standing standing = register_.standing();
  bool evicted = !standing.view.roster.contains(process.life);
  if (register_away_) oracles_.see(Sighting::register_away);
  if (evicted && !standing.has_ended(process.life)) oracles_.see(Sighting::falsely_suspected);
  if (evicted && process.is_unwanted) oracles_.see(Sighting::member_evicted);
  end(process, options_.lease.length / 2);
}

void Survival::happen(Process& process, const Departed&) {
  note(process.life, "has left");
  oracles_.see(Sighting::member_left);
  end(process, 2 * options_.lease.length);
}

void Survival::happen(Process& process, const Refused& refused) {
  oracles_.report(Property::invariant, name_of(process.life) + " is refused: " + refused.why);
}

void Survival::end(Process& process, Duration away_max) {
  if (oracles_.is_inside(process.life))
    oracles_.report(Property::mutual_exclusion, name_of(process.life) +
                                                    " is out of the group, and was not told that " +
                                                    "its lock is lost");
  oracles_.gone(process.life);
  to(process.life, {}, [this, away_max](Process& gone) {
    NodeId id = gone.life.id;
    processes_.erase(gone.life);
    respawn(id, draw({}, away_max));
  });
}

void Survival::happen(Process& process, const LockArmed& armed) {
  std::uint64_t number = ++process.timers[armed.armed.timer];
  to(process.life, draw(armed.armed.min, armed.armed.max), [this, armed, number](Process& owner) {
    if (owner.timers[armed.armed.timer] != number) return;
    call(owner, [&](Steward& peer, StewardOrders& out) {
      peer.timer(armed.lock, armed.epoch, armed.armed.timer, out);
    });
  });
}

void Survival::happen(Process& process, const LockDisarmed& disarmed) {
  ++process.timers[disarmed.timer];
}

void Survival::think(Process& process) {
  process.phase = Phase::thinking;
  to(process.life, draw({}, options_.lease.length / 4), [this](Process& thinker) {
    if (thinker.phase == Phase::thinking) ask_for_lock(thinker);
  });
}

void Survival::ask_for_lock(Process& process) {
  Stage stage = process.peer->participant().stage();
  if (stage == Stage::out || stage == Stage::leaving) return;
  process.phase = Phase::waiting;
  process.wish = Wish{};
  if (entry_.can.shared && chance(options_.readers)) process.wish.mode = Mode::read;
  // Its high half says whether it was asked for after the storm.
  process.request = (process.request & 0xffff'ffff) + 1;
  if (!stormy_) process.request |= std::uint64_t{1} << 32;
  std::uint64_t request = process.request;
  Wish wish = process.wish;
  note(process.life, "asks to " + std::string(word(wish.mode)));
  Life life = process.life;
  call(process, [&](Steward& peer, StewardOrders& out) { peer.request(lock_name, wish, out); });
  if (!stormy_ || !chance(0.15)) return;
  to(life, draw({}, options_.lease.length / 4), [this, request](Process& waiter) {
    if (waiter.phase != Phase::waiting || waiter.request != request) return;
    note(waiter.life, "loses patience");
    waiter.phase = Phase::cancelling;
    call(waiter, [](Steward& peer, StewardOrders& out) { peer.cancel(lock_name, out); });
  });
}

void Survival::release(Process& process) {
  if (!process.peer->tenure().holds(process.clock.shows(now_)) &&
      options_.without != Rule::lease) {  // it will be told before anything is released
    return call(process, [](Steward& peer, StewardOrders& out) { peer.tick(out); });
  }
  bool writes = process.wish.mode == Mode::write;
  DataRef data;
  if (writes) data = {++versions_, 1, process.life.id};
  if (process.peer->participant().stage() == Stage::frozen)
    oracles_.see(Sighting::released_while_frozen);
  note(process.life, writes ? "releases version " + std::to_string(data.version) : "releases");
  commands_.erase(process.life);
  process.peer->hold_fast(false);
  oracles_.left(process.life, writes ? std::optional(data.version) : std::nullopt);
  process.phase = Phase::thinking;
  Life life = process.life;
  call(process, [&](Steward& peer, StewardOrders& out) { peer.release(lock_name, data, out); });
  if (Process* still = find(life); still && still->phase == Phase::thinking) think(*still);
}

}  // namespace conch::sim
