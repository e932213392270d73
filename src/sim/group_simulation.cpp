#include "sim/group_simulation.hpp"

#include <algorithm>

#include "catalog/real_algorithms.hpp"
#include "core/expect.hpp"
#include "core/print.hpp"
#include "sim/distribution.hpp"
#include "sim/group_simulation_process.hpp"

namespace conch::sim {

using namespace recovery;

namespace {

/// No thread or client of the node holds or wants a lock.
bool is_idle(const node::Node& node) {
  return std::all_of(node.local_locks().begin(), node.local_locks().end(), [](const auto& each) {
    return each.second->queue.idle() && each.second->queue.inside().empty();
  });
}

/// A ring has at least so many peers, so each is the root of at most one replica of a lock.
constexpr unsigned ring_replicas = 5;

const CatalogEntry& survivor_named(const std::string& name) {
  const CatalogEntry* routed = node::find_routed(name);
  return routed ? *routed : find_algorithm(name);
}

/// Events per peer: far more than any run takes that ends. A run takes so many leases, and some
/// algorithms repeat requests as often whatever a lease is.
std::uint64_t events_max(Duration lease) {
  return 200'000 *
         static_cast<std::uint64_t>(std::max<std::int64_t>(lease / std::chrono::seconds(1), 1));
}
/// More events at one time than this: a peer wakes itself again and again.
constexpr std::uint64_t events_at_once_max = 10'000;

}  // namespace

std::vector<std::string> surviving_algorithms() {
  std::vector<std::string> names = real_algorithms();
  for (const CatalogEntry& entry : protocols()) names.emplace_back(entry.about.name);
  return names;
}

void validate(const GroupSimulationOptions& options) {
  const CatalogEntry& entry = survivor_named(options.algorithm);
  if (!entry.about.is_sound())
    throw BadText(options.algorithm + " is a specimen: it fails without any crash. Try " +
                  "naimi-trehel, or `conch algorithms`.");
  if (options.nodes_min < 2 || options.nodes_max > 64 || options.nodes_min > options.nodes_max)
    throw BadText("--nodes: 2 to 64 peers, such as 4 or 2..6");
  if (node::find_routed(options.algorithm) && options.without != Rule::none)
    throw BadText(options.algorithm + " has no register, and none of the rules of recovery");
  for (const Strike& strike : options.strikes)
    if (node::find_routed(options.algorithm) || strike.peer >= options.nodes_max)
      throw BadText(print(strike) + ": --strike needs a group with a register");
  if (options.without == Rule::roster)
    throw BadText(
        "--without roster needs a group whose register knows less than its members: "
        "conch check " +
        options.algorithm + " --recovery --without roster");
  if (!options.lease.valid() || options.clock_drift_percent >= 50)
    throw BadText("a lease has a length, and clocks drift by less than 50 %");
  // A peer waits for some things for fixed times, as for the members' answers to `conch status`.
  if (options.lease.length < std::chrono::milliseconds(200))
    throw BadText(
        "--lease: at least 200ms; the fixed waits of a peer do not fit into shorter ones");
}

// Time and events.

Time GroupSimulation::Clock::shows(Time now) const {
  Duration since = now.time_since_epoch();
  return Time(since + since * ppm / 1'000'000 + offset);  // It never goes back.
}

Time GroupSimulation::Clock::when(Time shown) const {
  Duration local = shown.time_since_epoch() - offset;
  Duration since = local * 1'000'000 / (1'000'000 + ppm);
  // Rounded up, so that the clock shows it by then.
  while (shows(Time(since)) < shown) since += std::chrono::nanoseconds(1);
  return Time(since);
}

GroupSimulation::GroupSimulation(const GroupSimulationOptions& options, std::ostream* trace,
                                 Traces* traces)
    : options_(options),
      entry_(survivor_named(options.algorithm)),
      trace_(trace),
      traces_(traces),
      random_(options.seed),
      label_dice_(~options.seed),
      evict_dice_(options.seed, 2),
      client_dice_(options.seed, 1),
      data_dice_(options.seed, 3),
      is_crowded_(options.without == Rule::none && Random(options.seed, 4).chance(0.3)),
      register_(options.lease, Random(options.seed, 5).chance(0.5) ? 1 : watched_leases) {
  validate(options);
}

GroupSimulation::~GroupSimulation() = default;

GroupSimulationReport GroupSimulation::run() {
  InvariantWatch watch;
  auto span = options_.nodes_max - options_.nodes_min + 1;
  nodes_ = options_.nodes_min + static_cast<std::uint32_t>(random_.below(span));
  if (node::find_routed(options_.algorithm)) {
    nodes_ = std::max(nodes_, ring_replicas) + static_cast<std::uint32_t>(random_.below(4));
    ring_ = node::OverlayGroupSettings{options_.algorithm, chance(0.5) ? "pastry" : "chord",
                                       ring_replicas, options_.lease.length};
  }
  report_.peers = nodes_;
  near_register_ = chance(0.7) ? nodes_ : 1 + static_cast<std::uint32_t>(random_.below(nodes_));
  threads_max_ = 1 + static_cast<unsigned>(random_.below(3));
  clients_max_ = static_cast<unsigned>(random_.below(3));
  if (is_ring()) threads_max_ = std::min(threads_max_, 2U);
  if (is_ring()) clients_max_ = 0;  // Nobody waits for the commands of a peer that was put out.
  hosts_ = 1 + static_cast<std::uint32_t>(data_dice_.below(nodes_));
  lock_names_ = {"conch"};
  if (chance(0.3)) lock_names_.emplace_back("horn");
  if (!is_ring() && data_dice_.chance(0.3)) own_locks_ = 1U << data_dice_.below(6);
  if (entry_.about.restless)
    own_locks_ = std::min(own_locks_, 1U);  // Each token moves all the time.
  if (entry_.can.shared && threads_max_ > 1 && data_dice_.chance(0.2)) eager_ = id_of(0);
  for (std::uint64_t place = 0; place < nodes_; ++place)
    respawn(id_of(place), draw({}, options_.lease.length));
  plan_faults();
  stage_until_ = calm_at_ + 200 * patience();
  const std::uint64_t events_allowed = events_max(options_.lease.length) * nodes_;
  std::uint64_t events = 0;
  std::uint64_t events_at_once = 0;
  try {
    while (!events_.empty() && !findings_.violation() && !is_over()) {
      auto [at, order, act] = events_.pop();
      if (at > stage_until_ || ++events > events_allowed) {
        go_on();
        break;
      }
      events_at_once = at == now_ ? events_at_once + 1 : 0;
      if (events_at_once > events_at_once_max)
        findings_.report(Property::progress, "work never ends, without progress");
      now_ = at;
      if (stormy_) report_.steps = events;
      for (const Strike& each : options_.strikes)
        if (each.step == events) strike(each);
      act();
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

/// Reports what keeps a run from ending.
void GroupSimulation::go_on() {
  switch (stage_) {
    case Stage::busy:
      return findings_.report(
          Property::progress,
          "a wait never ends, although all faults have ended: " + name_unserved());
    case Stage::quiet: return check_nothing_is_left();
    case Stage::farewell:
      return findings_.report(Property::progress, "a peer cannot leave the group");
  }
}

/// Begins the next stage if it is time; returns true at the end of the last.
bool GroupSimulation::is_over() {
  if (stormy_) return false;
  Duration lease = options_.lease.length;
  if (stage_ == Stage::busy && everybody_is_served()) {
    note("nobody asks for anything any more");
    stage_ = Stage::quiet;
    stage_until_ = now_ + (has_sites_ ? 100 : 20) * patience();
  } else if (stage_ == Stage::quiet && is_quiet()) {
    note("everybody leaves");
    check_nothing_is_left();
    stage_ = Stage::farewell;
    stage_until_ = now_ + 60 * patience();
    for (Process* process : living())
      to(process->serial, draw({}, is_crowded_ ? lease / 8 : 2 * lease),
         [this](Process& one) { leave(one); });
  } else if (stage_ == Stage::farewell && processes_.empty()) {
    findings_.see(Sighting::everybody_left);
    return true;
  }
  return false;
}

bool GroupSimulation::is_quiet() {
  for (const auto& [serial, process] : processes_) {
    if (!process->node->is_member() || process->stopped) return false;
    if (!entry_.about.promises_progress) continue;  // A claim may wait for ever.
    bool waits = !is_idle(*process->node) || !process->node->data().is_tidy() ||
                 process->node->group_member().holds_fast();
    for (const Thread& thread : process->threads) waits = waits || thread.local_lock != nullptr;
    for (const Client& client : process->clients)
      waits = waits || client.doing != Client::Doing::nothing || client.surveys > 0 ||
              client.has_errand || (client.is_connected && client.babbles);
    if (waits) return false;
  }
  return commands_.empty() && is_grouped();
}

/// When no peer wants anything, no peer may keep anything.
void GroupSimulation::check_nothing_is_left() {
  if (!entry_.about.promises_progress) return;
  for (const auto& [serial, process] : processes_) {
    if (!is_idle(*process->node))
      findings_.report(Property::progress,
                       name_of(process->life) + " still keeps something that is no longer needed");
    for (const Client& client : process->clients)
      if (client.surveys > 0 || client.has_errand || (client.is_connected && client.babbles))
        findings_.report(Property::progress,
                         "a client of " + name_of(process->life) + " was never answered");
    if (process->node->has_life()) check_account(*process);
    if (!process->node->is_member())
      findings_.report(Property::progress, name_of(process->life) + " is not in the group");
    if (!process->node->data().is_tidy())
      findings_.report(
          Property::progress,
          name_of(process->life) + " still moves or keeps data that are no longer needed");
  }
  if (!is_grouped())
    findings_.report(Property::progress, "the members have not measured their distances");
  if (!moving_.empty()) findings_.report(Property::progress, "a transfer never ended");
  for (const auto& [name, oracle] : oracles_)
    if (!oracle.is_empty())
      findings_.report(Property::progress, "a peer is still inside '" + name + "'");
}

NodeId GroupSimulation::id_of(std::uint64_t place) const {
  return NodeId{is_ring() ? (~std::uint64_t{0} / nodes_) * place + 1 : place};
}

void GroupSimulation::at(Time when, Act act) { events_.push(when, std::move(act)); }

void GroupSimulation::to(std::uint64_t serial, Duration delay, std::function<void(Process&)> act) {
  after(delay, [this, serial, act = std::move(act)] {
    Process* process = find(serial);
    if (!process) return;
    if (process->stopped) return process->missed.push_back(act);
    act(*process);
  });
}

Duration GroupSimulation::draw(Duration low, Duration high) {
  CONCH_EXPECT(low <= high, "a range begins with its low end");
  auto span = static_cast<std::uint64_t>((high - low).count());
  if (span == 0) return low;
  return low + Duration(static_cast<std::int64_t>(random_.below(span)));
}

GroupSimulation::Clock GroupSimulation::draw_clock() {
  std::uint64_t ppm_max = std::uint64_t{options_.clock_drift_percent} * 10'000;
  auto ppm = static_cast<std::int64_t>(random_.below(2 * ppm_max + 1));
  return {draw({}, std::chrono::hours(1)), ppm - static_cast<std::int64_t>(ppm_max)};
}

/// Each thread and client twice; where progress is not promised, any of them as often in total.
bool GroupSimulation::everybody_is_served() const {
  std::size_t actors = std::size_t{nodes_} * (threads_max_ + clients_max_);
  unsigned all = 0;
  for (const auto& [who, times] : served_) all += times;
  bool each = served_.size() == actors && std::all_of(served_.begin(), served_.end(),
                                                      [](auto& one) { return one.second >= 2; });
  return entry_.about.promises_progress ? each : all >= 2 * nodes_;
}

std::string GroupSimulation::name_unserved() const {
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

void GroupSimulation::note(const std::string& what) {
  if (trace_) *trace_ << print_duration(now_.time_since_epoch()) << "  " << what << "\n";
}

void GroupSimulation::note(const PeerInstance& life, const std::string& what) {
  if (trace_) note(name_of(life) + " " + what);
}

LockOracle& GroupSimulation::oracle(const std::string& lock) {
  auto has_newest = [this, lock](const PeerInstance& life, std::uint64_t version) {
    Acting nobody(*this, nullptr);
    Process* process = find(life);
    return process && process->node->data().version(lock) == version;
  };
  return oracles_.try_emplace(lock, findings_, has_newest).first->second;
}

}  // namespace conch::sim
