#include "sim/survival.hpp"

#include <algorithm>

#include "core/print.hpp"
#include "sim/distribution.hpp"

namespace conch::sim {

using namespace recovery;

namespace {

constexpr auto lock_name = "conch";

std::string name_of(const Life& life) {
  return std::to_string(life.id.value) + "#" +
         std::to_string(static_cast<std::uint64_t>(life.incarnation));
}

}  // namespace

void validate(const SurvivalOptions& options) {
  const CatalogEntry& entry = find_algorithm(options.algorithm);
  if (entry.about.use == Use::specimen)
    throw BadText(options.algorithm + " is a specimen: it fails without any crash. Try " +
                  "naimi-trehel, or `conch algorithms`.");
  if (options.nodes_min < 2 || options.nodes_max > 64 || options.nodes_min > options.nodes_max)
    throw BadText("a group that survives has 2 to 64 peers, as 4 or 2..6");
  if (!options.lease.valid())
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
      register_(options.lease) {
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
  try {
    while (!events_.empty() && !oracles_.violation()) {
      if (!stormy_ && everybody_is_served()) break;
      Event event = events_.top();
      events_.pop();
      if (event.at > end) {
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
  report_.epochs = register_.view().epoch.value;
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

bool Survival::everybody_is_served() const {
  for (std::uint64_t id = 0; id < nodes_; ++id) {
    auto found = served_.find(id);
    if (found == served_.end() || found->second < 2) return false;
  }
  return true;
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
  auto drift = static_cast<std::int64_t>(options_.lease.drift_percent) * 10'000;
  Process& process = processes_[life];
  process.life = life;
  process.clock = {draw({}, std::chrono::hours(1)),
                   static_cast<std::int64_t>(random_.below(2 * drift + 1)) - drift};
  process.peer = make_survivor(
      entry_, {life, options_.lease, options_.tuning, options_.without, trace_ != nullptr});
  note(life, "starts");
  call(process, [](Survivor& peer, Time now) { return peer.start(now); });
}

/// Noticed: somebody on its machine sees that the process is dead; otherwise its lease runs out.
void Survival::kill(const Life& life, bool noticed) {
  note(life, noticed ? "is killed, and seen to be dead" : "is killed");
  bool deciding = register_.view().decider == life && haunted_;
  if (deciding) oracles_.see(Sighting::decider_died);
  processes_.erase(life);
  oracles_.lost(life);
  oracles_.gone(life);
  if (noticed && register_.end(life)) notify();
}

void Survival::stop(const Life& life, Duration length) {
  Process* process = find(life);
  if (!process || process->stopped) return;
  note(life, "is stopped for " + print_duration(length));
  if (register_.view().decider == life && haunted_) oracles_.see(Sighting::decider_died);
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
void Survival::call(Process& process, const std::function<Wanted(Survivor&, Time)>& call) {
  Life life = process.life;
  std::size_t early = process.peer->early();
  Epoch epoch = process.peer->epoch();
  Wanted wanted = call(*process.peer, process.clock.shows(now_));
  if (process.peer->early() > early) oracles_.see(Sighting::early_message);
  if (process.peer->epoch() != epoch && epoch != Epoch{0} && process.phase == Phase::inside)
    oracles_.see(Sighting::holder_kept);
  for (const Dispatch& each : wanted.dispatches) dispatch(process, each);
  for (const Ask& each : wanted.asks) ask(life, each);
  for (const recovery::Event& each : wanted.events) take(life, each);
  if (Process* still = find(life)) wake_in_time(*still);
}

void Survival::wake_in_time(Process& process) {
  std::uint64_t number = ++process.wake;
  Time shown = process.peer->wakes();
  if (shown == Time::max()) return;
  Duration delay = std::max(Duration{}, process.clock.when(shown) - now_);
  to(process.life, delay, [this, number](Process& woken) {
    if (woken.wake != number) return;
    call(woken, [](Survivor& peer, Time now) { return peer.tick(now); });
  });
}

void Survival::take(const Life& life, const recovery::Event& event) {
  Process* process = find(life);
  if (!process) return;
  if (const auto* granted = std::get_if<Granted>(&event)) {
    note(life, "enters, " + print(granted->baton) + (granted->rolled_back ? ", rolled back" : ""));
    for (const Life& other : oracles_.inside()) {
      const Process& holder = *find(other);
      if (!holder.peer->has_lease(holder.clock.shows(now_))) oracles_.is_late(other);
    }
    oracles_.entered(life, *granted, process->wish);
    process->phase = Phase::inside;
    ++report_.grants;
    if (process->request >> 32) ++served_[life.id.value];
    DataRef data = granted->baton.data;
    call(*process, [&](Survivor& peer, Time now) { return peer.copied(now, lock_name, data); });
    oracles_.copied(life);
    std::uint64_t request = process->request;
    to(life, draw({}, options_.lease.length / 10), [this, request](Process& holder) {
      if (holder.phase == Phase::inside && holder.request == request) release(holder);
    });
  } else if (std::holds_alternative<Withdrew>(event)) {
    note(life, "has withdrawn");
    think(*process);
  } else if (std::holds_alternative<Lost>(event)) {
    note(life, "is told that its lock is lost");
    if (oracles_.is_inside(life)) oracles_.see(Sighting::late_holder_told);
    oracles_.lost(life);
    process->phase = Phase::away;
  } else if (std::holds_alternative<Admitted>(event)) {
    note(life, "is in the group");
    const Member* member = process->peer->view().roster.find(life.id);
    if (member && member->guest) oracles_.see(Sighting::guest_came);
    think(*process);
  } else if (std::holds_alternative<Expelled>(event)) {
    note(life, "is out of the group");
    if (register_away_) oracles_.see(Sighting::register_away);
    if (!process->stopped && register_.view().roster.contains(life) == false &&
        !register_.standing().has_ended(life))
      oracles_.see(Sighting::falsely_suspected);
    oracles_.gone(life);
    to(life, {}, [this](Process& gone) {
      NodeId id = gone.life.id;
      processes_.erase(gone.life);
      respawn(id, draw({}, options_.lease.length / 2));
    });
  } else if (std::holds_alternative<Departed>(event)) {
    note(life, "has left");
    oracles_.see(Sighting::member_left);
    oracles_.gone(life);
    to(life, {}, [this](Process& gone) {
      NodeId id = gone.life.id;
      processes_.erase(gone.life);
      respawn(id, draw({}, 2 * options_.lease.length));
    });
  } else if (const auto* armed = std::get_if<LockArmed>(&event)) {
    LockArmed copy = *armed;
    to(life, draw(copy.armed.min, copy.armed.max), [this, copy](Process& owner) {
      call(owner, [&](Survivor& peer, Time now) { return peer.timer(now, copy); });
    });
  }
  if (process->phase == Phase::inside && !process->peer->has_lease(process->clock.shows(now_)))
    oracles_.report(Property::mutual_exclusion,
                    name_of(life) + " is inside without a lease, and was not told");
}

void Survival::think(Process& process) {
  process.phase = Phase::thinking;
  to(process.life, draw({}, options_.lease.length / 4), [this](Process& thinker) {
    if (thinker.phase == Phase::thinking) ask_for_lock(thinker);
  });
}

void Survival::ask_for_lock(Process& process) {
  Stage stage = process.peer->stage();
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
  call(process, [&](Survivor& peer, Time now) { return peer.request(now, lock_name, wish); });
  if (!stormy_ || !chance(0.15)) return;
  to(life, draw({}, options_.lease.length / 4), [this, request](Process& waiter) {
    if (waiter.phase != Phase::waiting || waiter.request != request) return;
    note(waiter.life, "loses patience");
    waiter.phase = Phase::cancelling;
    call(waiter, [](Survivor& peer, Time now) { return peer.cancel(now, lock_name); });
  });
}

void Survival::release(Process& process) {
  if (!process.peer->has_lease(process.clock.shows(now_)) &&
      options_.without != Rule::lease) {  // it will be told before anything is released
    return call(process, [](Survivor& peer, Time now) { return peer.tick(now); });
  }
  bool writes = process.wish.mode == Mode::write;
  DataRef data;
  if (writes) data = {++versions_, 1, process.life.id};
  if (process.peer->stage() == Stage::frozen) oracles_.see(Sighting::released_while_frozen);
  note(process.life, writes ? "releases version " + std::to_string(data.version) : "releases");
  oracles_.left(process.life, writes ? std::optional(data.version) : std::nullopt);
  process.phase = Phase::thinking;
  Life life = process.life;
  call(process, [&](Survivor& peer, Time now) { return peer.release(now, lock_name, data); });
  if (Process* still = find(life); still && still->phase == Phase::thinking) think(*still);
}

}  // namespace conch::sim
