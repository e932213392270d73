// A process of a simulated group: its node, its threads and clients, and what is around the node.
#pragma once

#include "node/trace_writer.hpp"
#include "sim/group_simulation.hpp"

namespace conch::sim {

struct GroupSimulation::Thread final : node::Claim, node::DataSection {
  Thread(GroupSimulation& world, Process& process, unsigned number)
      : Claim(Mode::write), number(number), world_(world), process_(process) {}
  ~Thread() override = default;

  const unsigned number;
  std::uint64_t request = 0;
  /// When it asked, by its own clock, and the lock's traffic until then.
  Time asked_at{};
  node::LockTraffic traffic_before;
  bool asked_after_storm = false;
  /// It waits, and was told nothing yet.
  bool is_untold = false;
  /// It uses the data that the lock protects; others want only the lock.
  bool uses_data = false;
  /// The version that it was given, if that was neither torn nor lost.
  std::optional<std::uint64_t> found;
  /// The version that it was given, in whatever state.
  std::uint64_t given = 0;
  /// The size of the data that it works on.
  std::uint64_t size = 0;

  Actor actor() const { return {Claim::life, number}; }
  void changed() override { world_.changed(process_, *this); }
  void moved() override { world_.moved(process_, *this); }
  void replaced(const DataRef& data) override { local_lock->data = data; }
  void brought(dho::CallStatus status) override { world_.brought(process_, *this, status); }
  void left(dho::CallStatus status) override { world_.written(process_, *this, status); }
  bool is_in_vain() const override;

 private:
  GroupSimulation& world_;
  Process& process_;
};

/// Writes the trace of one process. All processes use the same virtual clock.
class GroupSimulation::Lines final : public node::TraceWriter {
 public:
  Lines(const GroupSimulation& world, std::string& text) : world_(world), text_(text) {}

 private:
  Time now() const override { return world_.now_; }
  std::string clock() const override { return "clock 1"; }
  void write(const trace::Line& line) override { trace::append(text_, line); }

  const GroupSimulation& world_;
  std::string& text_;
};

struct GroupSimulation::Client {
  unsigned number = 0;
  wire::ClientId id{};
  bool is_connected = false;
  wire::FrameReader reader = {};
  enum class Doing : std::uint8_t { nothing, waits, holds, ends } doing{};
  std::uint64_t claim = 0;
  std::string lock;
  Wish wish;
  Duration lock_delay{};
  bool asked_after_storm = false;
  /// The life of its peer in which it entered.
  PeerInstance life;
  /// How many surveys it waits for.
  unsigned surveys = 0;
  bool has_errand = false;
  /// It has sent nonsense, and must be sent away.
  bool babbles = false;
  /// The request was made when all was well.
  bool errand_must_succeed = false;
  /// The member that it wants evicted.
  PeerInstance unwanted;
  /// The lock that it wants forced open, and who was inside then.
  std::string forced;
  Entries inside_before;
};

/// What runs under a client's lock. Its keeper kills it at the last moment, by the clock of its
/// machine.
struct GroupSimulation::Command {
  /// The process that serves its client. Another one may live under the same id.
  std::uint64_t process = 0;
  Actor actor;
  Fence fence;
  std::string lock;
  Wish wish;
  Clock clock;
  Time last{};
  Duration lock_delay{};
  bool is_ending = false;
  /// A client forces the lock open, and waits for the end of this command.
  bool is_awaited = false;
  /// What follows when it has ended.
  std::vector<Act> then = {};
};

class GroupSimulation::Process final : public node::World,
                                       public node::Observer,
                                       public wire::Network {
 public:
  Process(GroupSimulation& world, std::uint64_t serial, NodeId id)
      : serial(serial), id(id), w_(world) {}

  const std::uint64_t serial;
  const NodeId id;
  PeerInstance life;
  Clock clock;
  std::string address;
  std::optional<Lines> lines;
  std::optional<node::Node> node;
  std::deque<Thread> threads;
  std::vector<Client> clients;
  bool reaches_register = true;
  bool stopped = false;
  bool wants_to_leave = false;
  /// It wanted to leave when all was well.
  bool must_be_let_go = false;
  /// It was started for a group that runs another algorithm.
  bool is_stranger = false;
  /// Its Unix socket exists; a fault may remove it.
  bool has_socket = true;
  /// It can neither open nor accept connections.
  bool lacks_descriptors = false;
  /// A client wants it out; or has ever wanted it out without waiting for its commands.
  bool is_unwanted = false;
  bool is_hurried = false;
  /// The register's last answer to a renewal of its own did not reach it.
  bool lost_renewal = false;
  /// When it last went on after a stop.
  Time woken_at{};
  std::uint64_t wake = 0;
  /// What has happened to it while it was stopped.
  std::vector<std::function<void(Process&)>> missed;
  std::optional<Time> lease_until;
  /// When it came into the group for the first time.
  std::optional<Time> settled_at;
  /// When its present life began, if that is not its first.
  Time lived_again_at{};
  // The state after the last call.
  std::size_t early = 0;
  std::size_t locks = 0;
  Epoch epoch{0};
  Time epoch_began{};
  std::uint64_t enclosures = 0;
  /// It has left with data that no peer took over.
  bool keeps_data = false;
  /// What it told its observers; its status and receipts must agree with that.
  node::Counts told;
  std::map<std::string, node::LockTraffic, std::less<>> traffic;
  Time born_at{};

  Time shows() const { return clock.shows(w_.now_); }
  const recovery::ViewProtocol* view_protocol() const {
    return node->has_life() ? node->group_member().view_protocol() : nullptr;
  }
  Client* find(wire::ClientId client);

  // Observer
  void born(const PeerInstance& begun) override {
    born_at = shows();
    if (wants_to_leave)
      w_.findings_.report(Property::invariant, name_of(begun) + " begins to live, and leaves");
  }
  void said(const PeerInstance& to, std::string_view payload) override {
    w_.said(*this, to, payload);
  }
  void heard(const PeerInstance& from, std::string_view payload) override {
    w_.heard(*this, from, payload);
  }
  void forgot(const PeerInstance& other) override { w_.forgot(*this, other); }
  void installed(Epoch, const recovery::View&) override { ++told.epochs; }
  void lost(std::string_view, Mode, Duration) override { ++told.losses; }
  void entered(std::string_view lock, const Entry& entry) override {
    ++told.entries;
    if (entry.came) ++told.handovers;
    w_.oracle(std::string(lock)).granted(life, entry.fence);
  }
  void sent(const PeerInstance& to, const MessageNote& note) override {
    node::LockTraffic& all = traffic.try_emplace(std::string(note.lock)).first->second;
    ++all.messages_sent;
    all.bytes_sent += note.bytes;
    if (w_.trace_ && w_.is_ring())
      w_.note(life, "-> " + name_of(to) + "  " + std::string(note.type));
  }
  void received(const PeerInstance& from, const MessageNote& note) override {
    node::LockTraffic& all = traffic.try_emplace(std::string(note.lock)).first->second;
    ++all.messages_received;
    all.bytes_received += note.bytes;
    if (w_.trace_ && w_.is_ring())
      w_.note(life, "<- " + name_of(from) + "  " + std::string(note.type));
  }

  // World
  bool let_in(wire::ClientId client, std::string_view reply) override;
  wire::ClientProcess process_of(wire::ClientId client) const override {
    return {static_cast<std::uint64_t>(client), 1};
  }
  Incarnation draw_incarnation(Incarnation) override { return Incarnation{++w_.incarnations_}; }
  void begin_life(const PeerInstance& next) override;
  void end_life(const PeerInstance& former) override { w_.end_life(former); }
  void ask(const PeerInstance& asker, recovery::RegisterRequest ask) override {
    w_.ask_register(*this, asker, ask);
  }
  void show_lease(Time until, Duration) override;
  void end_lease() override;
  std::shared_ptr<node::Block> make_block(std::uint64_t capacity) override;
  void begin(node::Transfer transfer) override { w_.begin_transfer(*this, std::move(transfer)); }
  void abort(std::uint64_t number) override { w_.abort_transfer(*this, number); }
  void count_data(std::uint64_t, std::uint64_t) override {}
  void save_data(const std::string& lock, node::Block& block) override;
  void forget_saved(const std::string& lock) override { w_.saved_.erase(lock); }
  std::vector<std::string> saved_locks() override;
  std::shared_ptr<node::Block> load_data(const std::string& lock, std::uint64_t version) override;
  void phase_changed() override {}
  void roster_changed(const recovery::View& view) override { w_.end_transfers(*this, view); }
  void keep_house() override;
  Duration draw(Duration least, Duration most) override { return w_.draw(least, most); }
  void log(const std::string& line, LogLevel level) override;
  wire::ClientProcess process() const override { return {serial, 1}; }
  std::string command() const override { return "simulated"; }
  std::string host() const override { return "host" + std::to_string(id.value); }
  Fence fence_floor() const override;

  // Network
  Dialed dial(const std::string& where, unsigned) override { return w_.dial(*this, where); }
  Taken write(wire::Serial number, std::string_view bytes, bool) override {
    return {w_.write(number, bytes)};
  }
  void close(wire::Serial number) override { w_.close(number); }
  void hand_over(const wire::Connection&, const PeerInstance&) override {}
  void log(const std::string& line) override;

 private:
  GroupSimulation& w_;
};

}  // namespace conch::sim
