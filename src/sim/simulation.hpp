// The discrete-event world: processes that think, ask, hold and let go, over a network that may
// misbehave, watched by oracles.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/linked_transport.hpp"
#include "sim/observer.hpp"
#include "sim/options.hpp"

namespace conch::sim {

enum class Verdict : std::uint8_t { held, violated, not_promised, not_checked };
std::string_view word(Verdict verdict);

struct Result {
  MetricsReport report;
  /// Set in a run with several clusters.
  std::optional<Visits> visits;
  /// Set in a run with readers or ranges.
  std::optional<SharingStats> sharing;
  std::optional<Violation> violation;
  Time ended;
  Verdict mutual_exclusion = Verdict::held;
  Verdict progress = Verdict::held;
  Verdict order = Verdict::held;
  Verdict structure = Verdict::held;
  /// How often the structure was examined.
  std::uint64_t structure_checks = 0;
  std::string trace_hash;
  Happened happened{};
  /// Messages that reached an algorithm.
  std::uint64_t delivered = 0;
  std::size_t bytes_per_node = 0;
  /// The nodes that waited at the end.
  std::vector<Node> waiting;
};

class Simulation final : private EffectSink {
 public:
  /// Throws BadText if the options cannot be combined.
  explicit Simulation(const Options& options, TraceSink* sink = nullptr);
  Result run();

 private:
  enum class Phase : std::uint8_t {
    thinking,
    waiting,
    cancelling,
    inside,
    leaving,
    draining,
    away,
    joining,
    done,
    crashed
  };
  struct Process {
    Phase phase = Phase::thinking;
    /// Counts crashes and restarts; an event of an earlier life is void.
    std::uint16_t life = 0;
    bool churns = false;
    /// For a process that churns: this is its second request since it joined.
    bool asks_again = false;
    /// How fast its clock runs.
    double rate = 1;
    std::uint64_t remaining = 0;
    std::uint32_t request = 0;
    Time paused_until;
  };
  struct ApplicationMessage {
    Stamp stamp;
    Causality::Clock clock;
  };

  // EffectSink
  void post(const Posted& message) override;
  void entered(Node node, const Entered& entered) override;
  void withdrawn(Node node) override;
  void joined(Node node) override;
  void left(Node node) override;
  void armed(Node node, const Armed& armed) override;
  void disarmed(Node node, TimerId timer) override;

  // The loop.
  void start();
  void handle(const Scheduled<Event>& due);
  /// Whether the run has ended: something broke, all processes are done, or nothing can happen.
  bool over() {
    if (observer_.violation()) return true;
    if (!pending_faults_.empty()) begin_pending_faults();
    bool quiet = in_flight_.total() == 0 && local_events_ == 0;
    if (active_ == 0 && (quiet || restless_)) return true;
    if (observer_.metrics().waiting() == 0) delivered_since_entry_ = 0;
    bool is_dead = quiet || events_.empty();
    bool is_stuck = is_dead || delivered_since_entry_ > stalled_after_;
    if (is_stuck) report_stuck(is_dead);
    return is_stuck;
  }
  void begin_pending_faults();
  void report_stuck(bool is_dead);
  void deliver(const Event& event);
  void deliver_by_link(const Event& event);
  void hand_over(Node node, const ArrivedMessage& message);
  /// Schedules an event of the node's own, by its own clock.
  void after(Node node, Duration delay, What what, std::uint32_t a = 0, std::uint32_t b = 0) {
    const Process& process = processes_[node];
    if (process.rate != 1)
      delay =
          Duration(static_cast<std::int64_t>(static_cast<double>(delay.count()) * process.rate));
    ++local_events_;
    events_.push(now_ + delay, {.node = node, .a = a, .b = b, .life = process.life, .what = what});
  }
  /// A call into a node's algorithm, with the tokens counted before and after.
  template <class Call>
  void call(Node node, Call&& function, bool reads_token = false) {
    touched_ = true;
    observer_.before_call(node, reads_token);
    function();
    observer_.after_call(node, now_);
  }
  Result result();

  // Processes.
  void think(Node node);
  bool asks(Node node) const;
  void request(Node node);
  Wish draw_wish();
  void maybe_tell(Node node);
  void tell(Node node, Node to);
  void told(const Event& event);
  Duration patience();
  void release(Node node, std::uint32_t request);
  void cancel(Node node, std::uint32_t request);
  void drop(Node node, std::uint32_t request);
  void finished(Node node);
  void join(Node node);
  void leave(Node node);
  void see_off();
  void publish_roster();

  // Faults.
  void schedule_faults();
  void brew_storm();
  void begin_fault(std::size_t number);
  void end_fault(std::size_t number);
  std::optional<Node> find(const Who& who);
  bool matches(Node node, Who::Role role) const;
  bool votes_for_a_waiter(Node node) const;
  void crash(Node node);
  void restart(Node node);
  void suspect(Node whom);

  /// Whether the node runs an algorithm. After it has left, only its links may have something to
  /// do.
  bool present(Node node) const {
    return linked(node) && processes_[node].phase != Phase::draining;
  }
  bool linked(Node node) const {
    Phase phase = processes_[node].phase;
    return phase != Phase::crashed && phase != Phase::away;
  }
  RunObserver::Settings watched(TraceSink* sink) const;
  Assignment assignment(NodeId home, const Baton& baton) const;
  std::vector<Node> waiters() const;
  void check_memory();
  void check_structure() {
    if (touched_ && in_flight_.total() == 0) examine_structure();
  }
  void examine_structure();

  Options options_;
  Random random_;
  Random fault_random_;
  EventQueue<Event> events_;
  std::unique_ptr<SimulatedNodes> simulated_nodes_;
  NetworkModel network_;
  RunObserver observer_;
  InFlight in_flight_;
  RawTransport transport_;
  /// Instead of the other, if the options say so.
  std::optional<LinkedTransport> links_;

  Time now_;
  std::vector<Process> processes_;
  Members roster_;
  Clusters clusters_;
  /// Nodes that have left while messages from them or to them are on their way.
  std::vector<Node> draining_;
  std::vector<ApplicationMessage> told_;
  std::map<std::pair<Node, TimerId>, std::uint32_t> timers_;
  /// Faults that fit no node yet, and the nodes that the others struck.
  std::vector<std::size_t> pending_faults_;
  std::map<std::size_t, Node> struck_;
  /// Events other than messages that may still change something.
  std::uint64_t local_events_ = 0;
  std::uint64_t active_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t delivered_since_entry_ = 0;
  std::uint64_t stalled_after_;
  std::uint64_t structure_checks_ = 0;
  /// Something was done since the structure was examined.
  bool touched_ = true;
  bool has_structure_;
  /// Examined in every moment of rest, and not only at the end.
  bool watches_structure_;
  bool restless_;
  bool anybody_crashed_ = false;
};

Result simulate(const Options& options, TraceSink* sink = nullptr);

}  // namespace conch::sim
