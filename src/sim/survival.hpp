// A group that recovers, in virtual time, with everything going wrong: processes are killed,
// stopped and started again, links part one way, clocks drift, the register is slow or away, peers
// suspect one another without reason. After a while all that ends, and then everybody must get what
// they ask for. Whatever a lock promises is watched all the time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "link/link.hpp"
#include "recovery/steward.hpp"
#include "sim/random.hpp"
#include "sim/simulated_register.hpp"
#include "sim/survival_oracles.hpp"

namespace conch::sim {

/// The lock that everybody wants.
inline constexpr auto lock_name = "conch";

struct SurvivalOptions {
  std::string algorithm = "naimi-trehel";
  Tuning tuning;
  std::uint64_t seed = 1;
  /// How many peers; each run draws its own number.
  std::uint32_t nodes_min = 2;
  std::uint32_t nodes_max = 6;
  /// Of the requests, where the algorithm can share.
  double readers = 0.3;
  recovery::LeaseTerms lease{std::chrono::seconds(1), 5};
  /// How wrong clocks run; leases hold if they allow for as much.
  unsigned clock_drift_percent = 5;
  /// For so many leases things go wrong.
  unsigned stormy_leases = 25;
  /// So many go wrong at a time of their own; others follow a new view.
  unsigned faults_max = 14;
  recovery::Rule without = recovery::Rule::none;
  /// After so many entries an epoch is renewed; drawn if it is not said, in most runs as for real.
  std::optional<std::uint64_t> entries_max;
};

/// Throws BadText with a sentence if the options cannot be combined.
void validate(const SurvivalOptions& options);

struct SurvivalReport {
  std::optional<Violation> violation;
  std::uint64_t grants = 0;
  std::uint64_t epochs = 0;
  std::uint64_t messages = 0;
  Duration simulated{};
  Sightings sightings;
};

class Survival {
 public:
  /// With a trace, every event is printed as it happens.
  explicit Survival(const SurvivalOptions& options, std::ostream* trace = nullptr);
  SurvivalReport run();

 private:
  using Life = recovery::Life;
  using Payload = std::shared_ptr<const recovery::Message>;
  using Act = std::function<void()>;

  /// What a process's clock shows: it starts anywhere and runs too fast or too slow.
  struct Clock {
    Duration offset{};
    std::int64_t ppm = 0;
    Time shows(Time now) const;
    /// When it will show this.
    Time when(Time shown) const;
  };
  enum class Phase : std::uint8_t { away, thinking, waiting, cancelling, inside };
  struct Connection {
    Link<Payload> link;
    /// Since when something has been unacknowledged without progress.
    std::optional<Time> silent_since;
    std::uint64_t timer = 0;
  };
  struct Process {
    Life life;
    Clock clock;
    std::optional<recovery::Steward> peer;
    std::map<Life, Connection> connections;
    Phase phase = Phase::away;
    /// Commands run under its locks, which a keeper ends, and nobody enters for so long beyond its
    /// lease.
    bool runs_commands = false;
    Duration lock_delay{};
    Wish wish;
    std::uint64_t request = 0;
    std::uint64_t wake = 0;
    /// How often each was set; what was set before is void.
    std::map<TimerId, std::uint64_t> timers;
    bool stopped = false;
    /// Somebody wants it out.
    bool is_unwanted = false;
    /// What has happened to it while it was stopped.
    std::vector<std::function<void(Process&)>> missed;
  };
  /// What a process of this life has started under the lock. Its keeper kills it at the last
  /// moment, by the clock of its machine.
  struct Command {
    Wish wish;
    Clock clock;
    Time last{};
    bool is_ending = false;
  };
  struct Event {
    Time at;
    std::uint64_t order;
    Act act;
    bool operator>(const Event& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };

  // The world's clockwork.
  void at(Time when, Act act);
  void after(Duration delay, Act act) { at(now_ + delay, std::move(act)); }
  /// Happens to one life, later if it is stopped then, not at all if it is dead.
  void to(const Life& life, Duration delay, std::function<void(Process&)> act);
  Duration draw(Duration low, Duration high);
  Clock draw_clock();
  bool chance(double probability) { return random_.chance(probability); }

  // Processes.
  void spawn(NodeId id);
  void respawn(NodeId id, Duration delay);
  void kill(const Life& life, bool noticed);
  void stop(const Life& life, Duration length);
  Process* find(const Life& life);
  std::vector<Life> living() const;
  std::vector<Life> living(NodeId id) const;
  using Call = std::function<void(recovery::Steward& peer, recovery::StewardOrders& out)>;
  void call(Process& process, const Call& run);
  void take(const Life& life, const recovery::Event& event);
  void happen(Process& process, const recovery::Granted& granted);
  void happen(Process& process, const recovery::Moved& moved);
  void happen(Process& process, const recovery::Withdrew&);
  void happen(Process& process, const recovery::Lost&);
  void happen(Process& process, const recovery::Opened& opened);
  void happen(Process& process, const recovery::Admitted&);
  void happen(Process& process, const recovery::Expelled&);
  void happen(Process& process, const recovery::Departed&);
  void happen(Process& process, const recovery::Refused& refused);
  void happen(Process& process, const recovery::LockArmed& armed);
  void happen(Process& process, const recovery::LockDisarmed& disarmed);
  void see_late_holders();
  void see_other_commands(const Process& process);
  void start_command(Process& process);
  void prolong_command(const Process& process);
  void end_command(const Life& life);
  void fetch(Process& process, const DataRef& data);
  void end(Process& process, Duration away_max);
  void think(Process& process);
  void ask_for_lock(Process& process);
  void release(Process& process);
  void wake_in_time(Process& process);

  // The network.
  void send(Process& from, const Life& to, recovery::Message message);
  void transmit(const Life& from, const Life& to, const Link<Payload>::Frame& frame);
  void arrive(Process& process, const Life& from, const Link<Payload>::Frame& frame);
  void transmit_all(Process& from, const Life& to, Link<Payload>::Frames& frames);
  void watch_over(Process& process, const Life& to, bool progress);
  bool is_cut(NodeId from, NodeId to) const { return cut_.contains({from.value, to.value}); }

  // The register.
  void ask(const Life& life, const recovery::Ask& ask);
  void answer(const Life& life, const recovery::Ask& ask);
  void notify();
  void expire_in_time();
  void see_view(const recovery::View& before);
  void see_end_of(const Life& life);

  // What goes wrong.
  void plan_faults();
  void strike();
  void strike_at(const Life& life);
  void force_open(const Life& life);
  void evict();
  void relabel();
  std::string draw_label();
  void part();
  void haunt_recovery();
  void calm_down();
  bool everybody_is_served() const;

  void note(const std::string& what);
  void note(const Life& life, const std::string& what);

  SurvivalOptions options_;
  const CatalogEntry& entry_;
  std::ostream* trace_;
  Random random_;
  /// Of its own: where peers are has nothing to do with what goes wrong.
  Random label_dice_;
  Random evict_dice_;
  Time now_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint32_t nodes_ = 0;
  std::map<Life, Process> processes_;
  std::uint64_t incarnations_ = 0;
  SimulatedRegister register_;
  Clock register_clock_;
  std::uint64_t expiry_ = 0;
  std::uint64_t versions_ = 0;
  SurvivalOracles oracles_;
  std::map<Life, Command> commands_;
  /// Dice of their own, as labels have, so that other draws stay the same.
  Random command_dice_;

  // The weather.
  bool stormy_ = true;
  Time calm_at_{};
  double loss_ = 0;
  Duration latency_max_{};
  std::set<std::pair<std::uint64_t, std::uint64_t>> cut_;
  std::set<std::uint64_t> cut_from_register_;
  bool register_away_ = false;
  Duration register_delay_{};
  double answers_lost_ = 0;
  std::uint64_t entries_max_ = Fence::last_count / 2;
  /// The last epoch that its decider has decided.
  Epoch decided_{0};

  /// Of each peer: grants that were asked for after the storm.
  std::map<std::uint64_t, unsigned> served_;
  SurvivalReport report_;
};

}  // namespace conch::sim
