// One run of an election.
#pragma once

#include "election/elector.hpp"
#include "sim/election.hpp"

namespace conch::sim {

class ElectionSimulation final : private EffectSink {
 public:
  /// Throws BadText if the options cannot be combined.
  explicit ElectionSimulation(const ElectionOptions& options, TraceSink* sink = nullptr);
  ElectionResult run();

 private:
  enum class Action : std::uint8_t {
    begin,          // node begins an election, if it is up
    begin_if_none,  // the same, if it knows of no coordinator and of no election
    crash,          // node crashes; or the coordinator, or the next one that announces itself
    restart,        // node comes back
    retire,         // the coordinator retires, if there is one
    notice,         // node notices that its coordinator has crashed
    timer,          // one of node's timers fires
    deliver,        // a message arrives
  };
  /// Which process a crash hits.
  enum class Victim : std::uint8_t { node, coordinator, next_announcer };
  struct Happens {
    Action what = Action::begin;
    Node node = 0;
    Node other = 0;
    /// The node's life when this was scheduled; an event of an earlier life is void.
    std::uint32_t life = 0;
    /// The life of `other`; for a timer, how many times it had been armed.
    std::uint32_t other_life = 0;
    TimerId timer{};
    Victim victim = Victim::node;
    std::optional<Duration> length = {};
    std::optional<Posted> message = {};
  };
  struct Process {
    bool up = true;
    bool restarted = false;
    /// Counts crashes.
    std::uint32_t life = 0;
    std::optional<NodeId> elected = {};
    bool retired = false;
    /// Messages of its announcement that are on their way.
    std::uint32_t announcing = 0;
    std::map<TimerId, std::uint32_t> armed = {};
    /// The process whose crash it is about to notice, and that process's life.
    std::optional<std::pair<Node, std::uint32_t>> notices = {};
  };

  // EffectSink
  void post(const Posted& message) override;
  void armed(Node node, const Armed& armed) override;
  void disarmed(Node node, TimerId timer) override;
  void entered(Node, const Entered&) override {}
  void withdrawn(Node) override {}
  void joined(Node) override {}
  void left(Node) override {}

  void start();
  void draw_schedule();
  Assignment assignment() const;
  void at(Time when, Happens happens);
  void handle(const Happens& happens);
  void deliver(const Posted& message, std::uint32_t life);
  void begin(Node node);
  void crash(const Happens& happens);
  void crash_node(Node node, std::optional<Duration> length);
  void restart(Node node);
  void retire();
  template <class Call>
  void call(Node node, Call&& function);
  /// Shows the oracles what a call changed.
  void look_at(Node node);
  void changed(Node node, std::optional<NodeId> before);
  void watch(Node node);
  std::optional<Node> coordinator() const;
  bool anybody_takes_part() const;
  bool announces(const Posted& message) const;
  std::vector<Voter> voters() const;
  void judge();
  void report(Property property, const Finding& finding);

  ElectionOptions options_;
  Random random_;
  Random fault_random_;
  std::unique_ptr<SimulatedNodes> simulated_nodes_;
  NetworkModel network_;
  RunObserver observer_;
  Timeouts timeouts_{};
  Duration detect_{};
  std::vector<NodeId> ring_;
  EventQueue<Happens> events_;
  Time now_;
  std::vector<Process> processes_;
  CoordinatorOracle oracle_;
  /// Crashes that wait for a process to announce itself.
  std::vector<Happens> ambushes_;
  std::optional<Node> retired_last_;
  std::uint64_t delivered_ = 0;
  std::optional<Time> began_;
  Time settled_;
  ElectionResult result_;
};

}  // namespace conch::sim
