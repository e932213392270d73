// A process of a simulated group: its node, its threads and clients, and what is around the node.
#pragma once

#include "node/witness_lines.hpp"
#include "sim/survival.hpp"

namespace conch::sim {

struct Survival::Thread final : node::Claim, node::DataSection {
  Thread(Survival& world, Process& process, unsigned number)
      : Claim(Mode::write), number(number), world_(world), process_(process) {}
  ~Thread() override = default;

  const unsigned number;
  std::uint64_t request = 0;
  /// By its own clock, and what had been said of the lock by then.
  Time asked_at{};
  node::Traffic traffic_before;
  bool asked_after_storm = false;
  /// Has to do with what the lock protects; others want the lock alone.
  bool uses_data = false;
  /// The version that it was given, if that was neither torn nor lost.
  std::optional<std::uint64_t> found;

  Actor actor() const { return {Claim::life, number}; }
  void changed() override { world_.changed(process_, *this); }
  void moved() override { world_.moved(process_, *this); }
  void replaced(const DataRef& data) override { desk->data = data; }
  void brought(dho::Status status) override { world_.brought(process_, *this, status); }
  void left(dho::Status status) override { world_.written(process_, *this, status); }
  bool is_in_vain() const override;

 private:
  Survival& world_;
  Process& process_;
};

/// Writes the trace of one process. All processes use the same virtual clock.
class Survival::Lines final : public node::WitnessLines {
 public:
  Lines(const Survival& world, std::string& text) : world_(world), text_(text) {}

 private:
  Time now() const override { return world_.now_; }
  std::string clock() const override { return "clock 1"; }
  void write(const trace::Line& line) override { trace::append(text_, line); }

  const Survival& world_;
  std::string& text_;
};

struct Survival::Client {
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
  /// With which life of its peer it has entered.
  Life life;
  /// Answers that it waits for.
  unsigned surveys = 0;
  bool has_errand = false;
  /// It has said what makes no sense, and is to be sent away.
  bool babbles = false;
  /// It was asked for when all was well.
  bool errand_must_succeed = false;
  /// The member that it wants evicted.
  Life unwanted;
  /// Of a lock that is to be forced open: which, and who was inside.
  std::string forced;
  Entries inside_before;
};

class Survival::Process final : public node::World, public node::Witness, public wire::Network {
 public:
  Process(Survival& world, std::uint64_t serial, NodeId id) : serial(serial), id(id), w_(world) {}

  const std::uint64_t serial;
  const NodeId id;
  Life life;
  Clock clock;
  std::string address;
  std::optional<Lines> lines;
  std::optional<node::Node> node;
  std::deque<Thread> threads;
  std::vector<Client> clients;
  bool reaches_register = true;
  bool stopped = false;
  bool wants_to_leave = false;
  /// It wanted to when all was well.
  bool must_be_let_go = false;
  /// It was started for a group that runs another algorithm.
  bool is_stranger = false;
  /// The Unix socket of its address; somebody may remove it.
  bool has_socket = true;
  /// It can open no connection, and take none.
  bool lacks_descriptors = false;
  /// Somebody wants it out; and has ever wanted that its commands are not waited for.
  bool is_unwanted = false;
  bool is_hurried = false;
  /// The register's last answer to a renewal of its own did not reach it.
  bool lost_renewal = false;
  /// When it was last stopped, it went on then.
  Time woken_at{};
  std::uint64_t wake = 0;
  /// What has happened to it while it was stopped.
  std::vector<std::function<void(Process&)>> missed;
  std::optional<Time> lease_until;
  bool is_settled_in = false;
  // As it was after the last call.
  std::size_t early = 0;
  std::size_t locks = 0;
  Epoch epoch{0};
  Time epoch_began{};
  std::uint64_t enclosures = 0;
  /// It has left with data that nobody wanted to take.
  bool keeps_data = false;
  /// What it told its witnesses; its status and receipts must agree with that.
  node::Counts told;
  std::map<std::string, node::Traffic, std::less<>> traffic;
  Time born_at{};

  Time shows() const { return clock.shows(w_.now_); }
  const recovery::Participant* participant() const {
    return node->has_life() ? node->steward().participant() : nullptr;
  }
  Client* find(wire::ClientId client);

  // Witness
  void born(const Life& begun) override {
    born_at = shows();
    if (wants_to_leave)
      w_.findings_.report(Property::invariant, name_of(begun) + " begins to live, and leaves");
  }
  void said(const Life& to, std::string_view payload) override { w_.said(*this, to, payload); }
  void heard(const Life& from, std::string_view payload) override {
    w_.heard(*this, from, payload);
  }
  void forgot(const Life& other) override { w_.forgot(*this, other); }
  void installed(Epoch, const recovery::View&) override { ++told.epochs; }
  void lost(std::string_view, Mode, Duration) override { ++told.losses; }
  void entered(std::string_view lock, const Entry& entry) override {
    ++told.entries;
    if (entry.came) ++told.handovers;
    w_.oracle(std::string(lock)).granted(life, entry.fence);
  }
  void sent(const Life& to, const Note& note) override {
    node::Traffic& all = traffic.try_emplace(std::string(note.lock)).first->second;
    ++all.messages_sent;
    all.bytes_sent += note.bytes;
    if (w_.trace_ && w_.is_ring())
      w_.note(life, "-> " + name_of(to) + "  " + std::string(note.type));
  }
  void received(const Life& from, const Note& note) override {
    node::Traffic& all = traffic.try_emplace(std::string(note.lock)).first->second;
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
  recovery::Incarnation draw_incarnation(recovery::Incarnation) override {
    return recovery::Incarnation{++w_.incarnations_};
  }
  void begin_life(const Life& next) override;
  void end_life(const Life& former) override { w_.end_life(former); }
  void ask(const Life& asker, recovery::Ask ask) override { w_.ask_register(*this, asker, ask); }
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
  void hand_over(const wire::Connection&, const Life&) override {}
  void log(const std::string& line) override;

 private:
  Survival& w_;
};

}  // namespace conch::sim
