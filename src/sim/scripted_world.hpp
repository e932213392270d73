// The world of a scenario: nothing happens without a command. Every event is written as a line of
// text, in the algorithm's own words; a violation that the oracles find is one more line.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/expect.hpp"
#include "core/flat_set.hpp"
#include "sim/election_oracle.hpp"
#include "sim/oracles.hpp"
#include "sim/recorder.hpp"
#include "sim/sight.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// Every command throws std::invalid_argument, and does nothing, if it cannot be run.
class ScriptedWorld final : private EffectSink {
 public:
  /// Newcomers have numbers below `nodes` plus this.
  static constexpr Node newcomers_max = 64;
  static constexpr Node nodes_max = 10'000;
  static constexpr std::size_t deliveries_max = 100'000;
  static constexpr std::size_t in_flight_max = 100'000;
  /// ME3 is watched up to this many nodes, newcomers included.
  static constexpr Node order_checked_up_to = 256;
  /// `state` shows all nodes of a group up to this size.
  static constexpr Node states_max = 100;

  struct Group {
    Node nodes = 0;
    std::string_view algorithm;
    Node home = 0;
    Tuning tuning;
    Underlay underlay = Underlay::fixed;
    /// The ids of the nodes, for an election in the order of the ring; 0, 1, ... if empty.
    std::vector<NodeId> ids = {};
    /// The sizes of the clusters, in order; empty if all are in one.
    std::vector<Node> clusters = {};
    /// How many of the clusters each site has, in order; empty if there are no sites.
    std::vector<Node> sites = {};
  };
  /// Selects a message in flight; what is not given matches any.
  struct Which {
    std::optional<std::pair<Node, Node>> channel;
    std::string_view kind;
  };
  struct Sides {
    FlatSet<Node> left;
    FlatSet<Node> right;
  };

  static Members members_of(const Group& group);

  /// Writes its lines to the end of `out`, and every event to the sink, in steps instead of time;
  /// both must outlive it.
  ScriptedWorld(const Group& group, std::string& out, TraceSink* sink = nullptr);

  ~ScriptedWorld() { conclude(); }

  /// A command has ended: the sink gets the events that it has not got yet.
  void conclude() { recorder_.end(); }

  // Processes.
  void request(Node node, const Wish& wish);
  void release(Node node);
  void cancel(Node node);
  /// An application message; it carries the sender's stamp.
  void tell(Node from, Node to);
  /// An application message from outside the group, with this stamp.
  void observe(Node node, Stamp stamp);
  /// So much time has passed since the beginning.
  void tell_time(Duration since);

  // Elections.
  void elect(Node node);
  void retire(Node node);
  /// A crashed process comes back and remembers nothing.
  void restart(Node node);

  /// A timer that is armed fires.
  void timer(Node node, TimerId timer);

  // Messages: each acts on the oldest that matches.
  void deliver(const Which& which);
  void drop(const Which& which);
  void duplicate(const Which& which);
  /// Delivers in the order of sending until nothing can be delivered, or so many.
  void settle(std::optional<std::size_t> deliveries);

  // Faults.
  void crash(Node node);
  /// The nodes that are left go on in a new epoch; holders stay inside, and waiters wait.
  void recover();
  void suspect(Node watcher, Node whom);
  void partition(const Sides& sides);
  void heal();

  // Membership.
  void join(Node node, Node contact);
  void leave(Node node);

  // Looking.
  void show_state(std::optional<Node> node, const std::vector<std::string_view>& fields);
  void show_in_flight();
  void check();
  Sight sight() const;

 private:
  struct Telling {
    Node from;
    Node to;
    Stamp stamp;
    Causality::Clock clock;
  };
  using InFlight = std::variant<Posted, Telling>;

  // EffectSink
  void post(const Posted& message) override;
  void entered(Node node, const Entered& entered) override;
  void withdrawn(Node node) override;
  void joined(Node node) override;
  void left(Node node) override;
  void lost(Node node) override;
  void armed(Node node, const Armed& armed) override;
  void disarmed(Node node, TimerId timer) override;

  /// A call into a node's algorithm, and what follows from it at once.
  template <class Call>
  void call(Node node, Call&& function, bool reads_token = false) {
    oracles_.before_call(reads_token);
    recorder_.before_call(node);
    try {
      InvariantWatch watch;
      function();
    } catch (const BrokenInvariant& broken) {
      return halt(node, broken.what());
    }
    oracles_.after_call(node);
    recorder_.after_call();
    conclude_call(node);
  }
  /// A node that breaks an invariant is as good as crashed.
  void halt(Node node, const std::string& why);
  void remove(Node node);
  void forget_timers(Node node);
  void conclude_call(Node node);
  void expect_of(Node node, Phase phase, std::string_view happening);
  void publish_roster();
  void start(Node node);
  // scripted_world_recovery.cpp
  void expect_recoverable() const;
  void end_epoch();
  std::vector<Node> claims_in_order() const;
  void rehearse(const std::vector<Node>& claims);
  void rehearse(Node node);
  std::string those_rehearsed(const std::vector<Node>& claims) const;
  void announce_violations();
  void write(const std::string& line) { out_ += line + '\n'; }
  /// Begins another step of the recording.
  void step() { steps_on_ = true; }
  void record(Happening happening, Node node, std::optional<Node> peer = {},
              const std::string& detail = {});
  void record(Happening happening, Node node, Node peer, const Posted& message);

  void arrive(const Posted& message);
  void arrive(const Telling& telling);
  void deliver_at(std::size_t position);
  /// The message reaches no node.
  void lose(const InFlight& message);
  /// One copy of the message is gone.
  void done(Slot slot);
  enum class Reach : std::uint8_t { deliverable, any };
  /// Throws if there is none.
  std::size_t find(const Which& which, Reach reach) const;
  std::optional<std::size_t> oldest(const Which& which, Reach reach) const;
  InFlight take(std::size_t position);
  bool matches(const InFlight& message, const Which& which) const;
  bool parted(const InFlight& message) const;
  const FlatSet<Node>& cut_off() const;
  std::string_view kind_of(const InFlight& message) const;
  std::string print(const InFlight& message) const;

  Phase phase(Node node) const { return phases_[node]; }
  bool present(Node node) const;
  /// Throw unless the node exists, and can do this.
  void expect_known(Node node) const;
  void expect_present(Node node, std::string_view verb) const;
  void expect_phase(Node node, Phase phase, std::string_view verb) const;
  void expect_room() const;
  void expect_kind(std::string_view kind) const;
  void expect_silence(Node node) const;
  [[noreturn]] void refuse(Node node, std::string_view verb) const;

  void show_one_state(Node node, const std::vector<std::string_view>& fields);
  std::string those_who(Phase phase) const;
  std::string those_inside() const;
  /// An overlay in a script has the nodes that it started with.
  static bool dynamic(const CatalogEntry& entry) { return entry.can.dynamic && !entry.can.routed; }
  static Node size_with_newcomers(const Group& group);
  void expect_dynamic() const;
  void expect_locks(std::string_view verb) const;
  void expect_election(std::string_view verb) const;
  void announce_election(Node node);
  bool at_rest() const { return in_flight_.empty() && armed_.empty(); }
  void check_election();
  std::vector<Voter> voters() const;
  Finding deadlock() const;
  bool examinable() const;
  Finding disorder() const;
  /// The properties that this algorithm can break.
  std::vector<Property> judged() const;
  Finding finding(Property property) const;
  bool broken(Property property) const;
  std::string verdict(Property property) const;
  Sight::Member member(Node node) const;

  std::string& out_;
  std::unique_ptr<SimulatedNodes> simulated_nodes_;
  Tuning tuning_;
  std::vector<Phase> phases_;
  bool checks_order_;
  Oracles oracles_;
  Recorder recorder_;
  std::int64_t step_ = 0;
  bool steps_on_ = true;
  Members roster_;
  bool roster_changed_ = false;
  std::deque<InFlight> in_flight_;
  /// How many copies of a message are in flight, where it is more than one.
  std::map<Slot, std::size_t> copies_;
  Sides sides_;
  std::set<Property> broken_;
  std::set<std::pair<Node, TimerId>> armed_;
  /// How the lock started in the current epoch.
  Assignment start_;
  /// The number of each node's last request, among all requests.
  std::map<Node, std::uint64_t> asked_;
  std::uint64_t requests_ = 0;
  /// While a new epoch is rehearsed nothing is printed, and entries are kept here.
  bool is_rehearsing_ = false;
  std::map<Node, Entered> rehearsed_;
  /// In an election: the coordinator of each node, as written last.
  std::map<Node, NodeId> elected_;
};

}  // namespace conch::sim
