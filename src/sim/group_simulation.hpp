// A group in virtual time, with everything going wrong: processes are killed, stopped and started
// again, connections part and break, clocks drift, the register is slow or away, peers suspect one
// another without reason, clients vanish. After a while all faults end, and then every thread and
// client must get what it asks for. At last every peer leaves, and nothing may be left behind.
// Oracles watch all that a lock promises, all the time.
//
// What runs here is what ships: node::Node and wire::Channels, and so everything that a peer
// decides, down to the bytes of a connection. Around it are threads and clients that want locks,
// and connections that are slow, take little at a time, and break after any byte.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/random.hpp"
#include "node/node.hpp"
#include "recovery/specimens.hpp"
#include "sim/event_queue.hpp"
#include "sim/group_simulation_oracles.hpp"
#include "sim/simulated_register.hpp"
#include "sim/strike.hpp"
#include "wire/channels.hpp"

namespace conch::sim {

struct GroupSimulationOptions {
  /// An algorithm that ships: with a register, or over an overlay.
  std::string algorithm = "naimi-trehel";
  Tuning tuning;
  std::uint64_t seed = 1;
  /// Each run draws its number of peers between these.
  std::uint32_t nodes_min = 2;
  std::uint32_t nodes_max = 6;
  /// The share of requests that only read, if the algorithm can share.
  double readers = 0.3;
  recovery::LeaseTerms lease{std::chrono::seconds(1), 5};
  /// The largest clock drift; leases hold if they allow for as much.
  unsigned clock_drift_percent = 5;
  /// For how many leases things go wrong.
  unsigned stormy_leases = 25;
  /// The most faults that strike at random times; others follow a new view.
  unsigned faults_max = 14;
  /// Further faults, at given steps.
  std::vector<Strike> strikes = {};
  recovery::Rule without = recovery::Rule::none;
  /// An epoch is renewed after so many entries. Drawn if not given; most runs use the limit that
  /// ships.
  std::optional<std::uint64_t> entries_max;
};

/// The names of all algorithms that can run here.
std::vector<std::string> surviving_algorithms();

/// Throws BadText with a sentence if the options cannot be combined.
void validate(const GroupSimulationOptions& options);

struct GroupSimulationReport {
  std::optional<Violation> violation;
  std::uint64_t grants = 0;
  std::uint64_t epochs = 0;
  std::uint64_t messages = 0;
  Duration simulated{};
  std::uint32_t peers = 0;
  /// Events until the faults ended.
  std::uint64_t steps = 0;
  Sightings sightings;
};

class GroupSimulation {
 public:
  /// The traces of all processes, in the order in which they began, as peers that ship write them.
  using Traces = std::map<std::uint64_t, std::string>;

  /// With `trace`, every event is printed as it happens.
  explicit GroupSimulation(const GroupSimulationOptions& options, std::ostream* trace = nullptr,
                           Traces* traces = nullptr);
  ~GroupSimulation();
  GroupSimulationReport run();

 private:
  using Act = std::function<void()>;

  class Process;
  /// While this object lives, `who` acts, or, if it is null, an oracle looks.
  class Acting {
   public:
    Acting(GroupSimulation& world, const Process* who)
        : world_(world), before_(std::exchange(world.acting_, who)) {}
    ~Acting() { world_.acting_ = before_; }
    Acting(const Acting&) = delete;
    Acting& operator=(const Acting&) = delete;

   private:
    GroupSimulation& world_;
    const Process* before_;
  };
  class Lines;
  struct Thread;
  struct Client;
  struct Command;
  struct Moving;

  /// A host's clock: it starts anywhere and runs too fast or too slow.
  struct Clock {
    Duration offset{};
    std::int64_t ppm = 0;
    Time shows(Time now) const;
    /// The time at which it shows this.
    Time when(Time shown) const;
  };
  /// A connection between two processes. One end has an even number, the other end the next.
  struct SimulatedConnection {
    /// Something on its way to an end.
    struct Piece {
      enum class Kind : std::uint8_t { connected, accepted, bytes, ended } kind{};
      Time arrival{};
      std::string text = {};
    };
    struct End {
      NodeId id{};
      std::uint64_t process = 0;
      /// Whether a client of that process has this end.
      bool is_client = false;
      std::deque<Piece> pieces = {};
      std::size_t bytes = 0;
      bool is_closed = false;
      /// What is on its way waits until the network is whole again.
      bool is_held_up = false;
      /// Its process waits for room to write more; the last write was taken only in part.
      bool waits_for_room = false;
      bool is_midway = false;
    };
    std::string address;
    std::array<End, 2> ends;
    /// Nothing more comes through; the ends may not know yet.
    bool is_broken = false;
  };
  /// Data are empty or have so many cells, each with the fence of its last writer.
  static constexpr std::uint64_t cell = sizeof(std::uint64_t);
  static constexpr std::uint64_t cells_min = 3;
  static constexpr std::uint64_t cells_max = 6;
  /// Stages of a run: threads and clients make requests; they stop asking; all peers leave.
  enum class Stage : std::uint8_t { busy, quiet, farewell };

  bool is_ring() const { return ring_.has_value(); }
  /// The id of the peer at this place; on a ring the ids are evenly spaced.
  NodeId id_of(std::uint64_t place) const;

  // Time and events.
  void at(Time when, Act act);
  void after(Duration delay, Act act) { at(now_ + delay, std::move(act)); }
  /// Lets this happen to a process after a delay: later if it is stopped then, never if it is dead.
  void to(std::uint64_t serial, Duration delay, std::function<void(Process&)> act);
  Duration draw(Duration low, Duration high);
  Duration draw_latency() { return draw(std::chrono::microseconds(200), latency_max_); }
  Clock draw_clock();
  bool chance(double probability) { return random_.chance(probability); }
  /// What must end does so within some of these: leases, unless other waits of a peer take longer.
  Duration patience() const {
    return std::max<Duration>(options_.lease.length, std::chrono::seconds(1));
  }
  bool is_over();
  void go_on();
  bool is_quiet();

  // Processes.
  void spawn(NodeId id, bool is_stranger = false);
  void hire(Process& process);
  bool find_ring(node::NodeOptions& options);
  void respawn(NodeId id, Duration delay);
  void kill(Process& process, bool noticed);
  void remove(Process& process);
  void stop(Process& process, Duration length);
  void leave(Process& process);
  void leave_soon(const Process& process, Duration within);
  Process* find(const PeerInstance& life);
  Process* find(std::uint64_t serial);
  Process* newest(NodeId id);
  /// Without strangers.
  std::vector<Process*> living();
  Process* draw_process(Random& random);
  /// Like `to`, or earlier: in the middle of a call of another process on the same machine, when
  /// that looks at memory which both share.
  void to_memory(std::uint64_t serial, Duration delay, std::function<void(Process&)> act);
  void change_memory();
  /// A call of a node.
  using Call = std::function<void(node::Node& node, Time now)>;
  /// Runs the call as the driver does, with everything that is due.
  void call(Process& process, const Call& run);
  /// Runs the call as a thread that calls for itself does.
  void act(Process& process, const Call& run);
  void look_at(Process& process);
  void check_shown_lease(const Process& process);
  void settle_in(Process& process);
  void finish(Process& process, Thread& thread);
  void wake_in_time(Process& process);
  bool can_renew(const Process& process) const;
  void put_out(Process& process);
  void see_late_holders();
  void see_view(const recovery::View& before);
  void see_crowd(const recovery::View& before, const recovery::View& view);
  void see_end_of(const PeerInstance& life);
  LockOracle& oracle(const std::string& lock);

  // Threads: group_simulation_actors.cpp
  bool is_eager(const Process& process) const;
  void think(Process& process, Thread& thread);
  void ask(Process& process, Thread& thread);
  void lose_patience(Process& process, Thread& thread, std::uint64_t request);
  void watch_withdrawal(Process& process, const std::string& lock, unsigned looks);
  void release(Process& process, Thread& thread);
  void let_go(Process& process, Thread& thread, const std::optional<DataRef>& written);
  void changed(Process& process, Thread& thread);
  void entered(Process& process, const Actor& actor, const node::LocalLock& local_lock,
               const Wish& wish, Fence fence);
  void check_order(const Process& process, const node::LocalLock& local_lock);
  void check_receipt(const Process& process, const Thread& thread);
  void check_account(const Process& process);
  void serve(NodeId id, unsigned number, bool asked_after_storm);
  std::string draw_lock();
  std::string draw_lock(const Process& process);
  Wish draw_wish();

  // Clients, and what they run.
  void connect(Process& process, Client& client);
  wire::Serial dial_as_client(const Process& host);
  void say(Process& process, const Client& client, const node::ClientMessage& message);
  void say(Process& process, const Client& client, std::string_view body);
  void babble(Process& process, Client& client);
  void hear(Process& host, Client& client, std::string_view bytes);
  /// Lets this happen to a client if its peer lives, even while the peer is stopped.
  void to_client(std::uint64_t serial, wire::ClientId id,
                 const std::function<void(Process& host, Client& client)>& act);
  void think(Process& process, Client& client);
  void acquire(Process& process, Client& client);
  void watch_patience(const Process& process, const Client& client, Duration patience);
  void check_status(const node::Status& status);
  void give_up(Process& process, Client& client);
  void stop(Client& client);
  void vanish(Process& process, Client& client);
  void inquire(Process& process, Client& client);
  void start_command(Process& process, Client& client, Fence fence);
  void end_command(const Actor& actor, Act then);
  void forgive_forced_commands(const Process& process);
  void forget_command(const Actor& actor, Fence fence);
  void prolong_commands(const Process& process);
  void see_other_commands(const Actor& actor, const std::string& lock, const Wish& wish);
  bool has_commands(const PeerInstance& life) const;

  // Connections: group_simulation_connections.cpp
  wire::Network::Dialed dial(Process& from, const std::string& address);
  std::size_t write(wire::Serial number, std::string_view bytes);
  void close(wire::Serial number);
  void knock(std::uint64_t wire);
  void put(std::uint64_t wire, unsigned end, SimulatedConnection::Piece::Kind kind,
           std::string text, Duration more = {});
  void arrive(std::uint64_t wire, unsigned end);
  void take(Process& process, wire::Serial number, const SimulatedConnection::Piece& piece);
  void take_as_client(Process& host, wire::Serial number, const SimulatedConnection::Piece& piece);
  void break_wire(std::uint64_t wire, bool silently);
  void break_some_wire();
  void break_wires(const Process& process);
  void end_broken_wires();
  void forge_acknowledgement(const Process& victim, const Process& other);
  void hang_up_all(const Process& process, bool silently);
  Process* listener_at(const std::string& address);
  bool is_cut(const PeerInstance& from, const PeerInstance& to) const;

  // Messages: group_simulation_network.cpp
  void said(const Process& sender, const PeerInstance& to, std::string_view payload);
  void forgot(const Process& sender, const PeerInstance& other);
  void heard(const Process& receiver, const PeerInstance& from, std::string_view payload);
  void see_token(const Process& receiver, std::string_view payload);
  std::string describe(std::string_view payload) const;

  // Data, and their transfers: group_simulation_data.cpp, group_simulation_transfers.cpp
  void open_data(Process& process, Thread& thread);
  void close_data(Process& process, Thread& thread);
  void use_data(Process& process, Thread& thread);
  void acquire_data(Process& process, Thread& thread);
  static bool is_told(const Process& process, const node::LocalLock& local_lock);
  void moved(Process& process, Thread& thread);
  void brought(Process& process, Thread& thread, dho::CallStatus status);
  void begin_work(Process& process, Thread& thread, dho::CallStatus status);
  Duration draw_stay(const Process& process);
  bool begin_using(Process& process, Thread& thread, dho::CallStatus status);
  void begin_writing(Process& process, Thread& thread);
  void leave_data(Process& process, Thread& thread);
  void written(Process& process, Thread& thread, dho::CallStatus status);
  void end_use(Process& process, Thread& thread);
  void check_departure(Process& process);
  void check_data(const Process& process, Thread& thread, dho::CallStatus status);
  void check_bytes(const Thread& thread, const Range& range);
  void check_unchanged(const Thread& thread);
  void check_lost(const Process& process, const Thread& thread);
  void check_promise(const Process& process, const Thread& thread, dho::CallStatus status);
  bool share_memory(NodeId one, NodeId other) const;
  using Step = std::function<void(Process& keeper)>;
  using Arrival = std::function<node::TransferEnd(Process& asker)>;
  void begin_transfer(Process& process, node::Transfer transfer);
  void abort_transfer(const Process& process, std::uint64_t number);
  void end_transfers(const Process& process, const recovery::View& view);
  void cut_transfers(const PeerInstance& life);
  void forget(const std::shared_ptr<Moving>& moving);
  bool is_lost(const Moving& moving);
  void hop(const std::shared_ptr<Moving>& moving, Duration time, Step step);
  void hop_back(const std::shared_ptr<Moving>& moving, Arrival arrival);
  void hop_back(const std::shared_ptr<Moving>& moving, node::TransferEnd::Kind kind);
  using Patched = node::DataStore::PatchAnswer;
  void hop_back(const std::shared_ptr<Moving>& moving, Patched answer);
  void check_part(const Moving& moving, const node::PatchData& m);
  void end(const std::shared_ptr<Moving>& moving, Arrival arrival);
  void fail(const std::shared_ptr<Moving>& moving);
  Duration draw_transfer_time();
  void ask_for(const std::shared_ptr<Moving>& moving, const node::FetchData& m, Process& keeper);
  void ask_for(const std::shared_ptr<Moving>& moving, const node::KeepData& m, Process& keeper);
  void ask_for(const std::shared_ptr<Moving>& moving, const node::PatchData& m, Process& keeper);
  void ask_for(const std::shared_ptr<Moving>&, const node::CopyData&, Process&) {}
  void keep(const std::shared_ptr<Moving>& moving, const node::KeepData& m, Process& keeper,
            const std::shared_ptr<node::Block>& block);

  // The register.
  void ask_register(const Process& process, const PeerInstance& asker,
                    const recovery::RegisterRequest& ask);
  void answer(std::uint64_t serial, const PeerInstance& asker,
              const recovery::RegisterRequest& ask);
  bool loses_renewal(Process& process, const PeerInstance& asker,
                     const recovery::RegisterRequest& ask);
  void notify();
  void expire_in_time();
  void end_life(const PeerInstance& life);

  // Faults: group_simulation_faults.cpp
  void plan_faults();
  void strike();
  void strike(const Strike& strike);
  void strike_ring();
  void strike_at(Process& process);
  void kill_or_stop(Process& process);
  void suspect(Process& accuser, const PeerInstance& whom);
  std::set<NodeId> neighbours_of(NodeId id);
  void cut_off(const Process& process, Duration length);
  void lack_descriptors(Process& process, Duration length);
  void babble(Process& process, const Process& other);
  void interject(Process& process, const Process& other);
  void admit_stranger();
  bool is_well() const;
  bool is_settled(Time disturbed) const;
  bool is_being_forced(const std::string& lock) const;
  void force_open();
  bool force_open(Process& process, Client& client, const std::string& lock, bool is_now);
  void evict();
  bool evict(Process& process, Client& client, Process& unwanted, bool is_now);
  void relabel();
  std::string draw_label();
  bool are_near(NodeId one, NodeId other) const;
  bool is_grouped();
  void part();
  void sever(const Process& one, const Process& other);
  void haunt_recovery();
  void haunt(const node::Transfer& transfer);
  void invite_somebody();
  void calm_down();
  bool everybody_is_served() const;
  std::string name_unserved() const;
  void check_nothing_is_left();

  void note(const std::string& what);
  void note(const PeerInstance& life, const std::string& what);

  GroupSimulationOptions options_;
  const CatalogEntry& entry_;
  std::ostream* trace_;
  Traces* traces_;
  Random random_;
  /// Random streams of their own, so that labels, evictions, clients and data do not change which
  /// faults strike.
  Random label_dice_;
  Random evict_dice_;
  Random client_dice_;
  Random data_dice_;
  Time now_{};
  EventQueue<Act> events_;
  std::uint32_t nodes_ = 0;
  /// Set if the group has no register.
  std::optional<node::OverlayGroupSettings> ring_;
  Time last_shaken_{};
  /// How many peers reach the register themselves; the others ask through them.
  std::uint32_t near_register_ = 0;
  unsigned threads_max_ = 1;
  unsigned clients_max_ = 0;
  /// The longest time for which a thread or client wants nothing.
  Duration thinking_max_{};
  /// The locks that all peers use, and how many more each peer has of its own.
  std::vector<std::string> lock_names_;
  unsigned own_locks_ = 0;
  /// How many machines there are; peers of one share memory.
  std::uint32_t hosts_ = 1;
  /// The machines are at two sites, and every peer measures which peers are near.
  bool has_sites_ = false;
  std::uint64_t blocks_ = 0;
  std::vector<std::shared_ptr<Moving>> moving_;
  /// What threads are about to do with data.
  struct MemoryAct {
    std::uint64_t serial = 0;
    std::function<void(Process&)> act;
  };
  std::vector<std::shared_ptr<MemoryAct>> memory_acts_;
  const Process* acting_ = nullptr;
  bool is_memory_changing_ = false;
  /// The data that the last peer of the group has saved, by lock.
  std::map<std::string, std::string> saved_;
  std::map<std::uint64_t, std::unique_ptr<Process>> processes_;
  std::map<PeerInstance, Process*> lives_;
  std::uint64_t serials_ = 0;
  std::uint64_t incarnations_ = 0;
  std::map<std::uint64_t, SimulatedConnection> wires_;
  std::uint64_t wire_count_ = 0;
  std::map<std::uint64_t, std::string> last_address_;
  /// What one life has sent to another, and which payloads may come next: the one after the last
  /// that came, or, if the sender has forgotten the receiver, the first one since.
  struct Sent {
    std::vector<std::string> payloads = {};
    std::vector<std::size_t> beginnings = {};
    std::set<std::size_t> next = {0};
    bool take(std::string_view payload);
    /// The receiver has forgotten the sender: what was not acknowledged may come again.
    void may_come_again();
  };
  std::map<std::pair<PeerInstance, PeerInstance>, Sent> sent_;
  /// The group keeps as long between two views as one of hundreds would.
  bool is_crowded_;
  SimulatedRegister register_;
  Clock register_clock_;
  std::uint64_t expiry_ = 0;
  RunFindings findings_;
  std::map<std::string, LockOracle> oracles_;
  std::vector<Command> commands_;
  /// Killed lives; each is seen to be dead once none of its commands runs.
  std::set<PeerInstance> noticed_;

  // The weather.
  bool stormy_ = true;
  Stage stage_ = Stage::busy;
  Time calm_at_{};
  Time stage_until_ = Time::max();
  double loss_ = 0;
  Duration latency_max_{};
  /// How many bytes fit into a connection.
  static constexpr std::size_t wire_bytes_plenty = std::size_t{64} << 10;
  std::size_t wire_bytes_max_ = wire_bytes_plenty;
  std::set<std::pair<std::uint64_t, std::uint64_t>> cut_;
  /// Nothing ever gets from the first life of such a pair to the second.
  std::set<std::pair<PeerInstance, PeerInstance>> severed_;
  std::set<std::uint64_t> cut_from_register_;
  std::set<PeerInstance> babblers_;
  bool register_away_ = false;
  bool register_full_ = false;
  Duration register_delay_{};
  double answers_lost_ = 0;
  std::uint64_t entries_max_ = Fence::last_count / 2;
  unsigned shared_entries_ = node::LocalQueue::shared_entries_max;
  /// The last epoch that its decider has decided.
  Epoch decided_{0};

  static constexpr int settling_leases = 5;
  /// The threads of this peer read all the time when all is well: each comes in again at once.
  std::optional<NodeId> eager_;
  /// A caller that gives up must be out of the queue after so many half leases.
  static constexpr unsigned withdrawal_looks = 10;
  static constexpr unsigned long_stays_max = 2;
  unsigned long_stays_ = 0;
  /// When the latest long stay inside ends.
  Time stays_until_{};

  /// For each thread and client of each peer: entries that it asked for after the storm.
  std::map<std::pair<std::uint64_t, unsigned>, unsigned> served_;
  GroupSimulationReport report_;
};

}  // namespace conch::sim
