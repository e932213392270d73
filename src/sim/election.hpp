// The discrete-event world of elections: processes begin elections, crash, come back and retire, on
// a network that keeps its promises, watched by the oracles of E1 and E2.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/election_oracle.hpp"
#include "sim/event_queue.hpp"
#include "sim/network.hpp"
#include "sim/observer.hpp"

namespace conch::sim {

struct ElectionOptions {
  static constexpr std::uint32_t crashes_usual = 2;

  std::string algorithm = "bully";
  Node nodes = 10;
  /// If given, each run draws its own number of nodes: see `for_seed`.
  std::optional<NodeRange> drawn_nodes;
  std::uint64_t seed = 1;

  Distribution latency =
      Distribution::uniform(std::chrono::microseconds(500), std::chrono::microseconds(1500));
  ChannelOrder channel = ChannelOrder::fifo;
  /// Delay spikes: they break the synchrony that a bully assumes.
  Clog clog;
  /// The timeouts T and T' of a bully, and the delay until a crash is noticed; derived from the
  /// latency if not given.
  std::optional<Duration> answer_timeout, coordinator_timeout, detect;

  /// How many of these happen at random times, within `spread`.
  std::uint32_t starts = 3;
  std::uint32_t retires = 0;
  /// If not given: none where the election does not survive them, else the usual number.
  std::optional<std::uint32_t> crashes;
  /// The chance that a crashed process comes back.
  double restarts = 0.7;
  std::optional<Duration> spread;

  // For experiments: what happens at the very beginning.
  std::vector<Node> starters;
  std::vector<Node> down;
  /// The order of the ring; drawn from the seed if it is empty.
  std::vector<NodeId> ring;
  std::vector<Crash> scheduled_crashes;
};

/// The options of the run with this seed.
ElectionOptions for_seed(ElectionOptions options, std::uint64_t seed);

/// Throws BadText with a sentence if the options cannot be combined.
void validate(const ElectionOptions& options);

/// How often one or several runs of an election have shown each of these.
struct ElectionSights {
  /// A process began an election during another one.
  std::uint64_t overlapped = 0;
  /// A process crashed while it took part.
  std::uint64_t crashed_amid = 0;
  /// A coordinator crashed while its announcement was on its way.
  std::uint64_t died_announcing = 0;
  /// A restarted process became the coordinator while there was another.
  std::uint64_t took_over = 0;
  /// A restarted process elected one below it.
  std::uint64_t stood_back = 0;
  /// A coordinator retired, and another process was elected.
  std::uint64_t replaced = 0;

  void add(const ElectionSights& other);
};

struct SightCount {
  std::string_view what;
  std::uint64_t count = 0;
};
/// The counts that must not stay zero with these options, given enough runs.
std::vector<SightCount> sights_of(const ElectionSights& sights, const ElectionOptions& options);
/// Names a count that stayed zero in enough runs.
Finding missed(const ElectionSights& sights, const ElectionOptions& options, std::uint64_t runs);

struct ElectionResult {
  Traffic messages;
  /// How often a process was told to begin an election, and how often one elected itself.
  std::uint64_t elections = 0;
  std::uint64_t coordinators = 0;
  std::optional<NodeId> coordinator;
  /// From the first beginning until the last process knew its coordinator.
  double turnaround_s = 0;
  Time ended;
  std::optional<Violation> violation;
  ElectionSights sights;
  std::string trace_hash;
};

ElectionResult simulate(const ElectionOptions& options, TraceSink* sink = nullptr);

}  // namespace conch::sim
