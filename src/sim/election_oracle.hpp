// Oracles of E1 and E2, which see all processes at once.
#pragma once

#include <optional>
#include <vector>

#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// A process that has not crashed, as seen from outside.
struct Voter {
  Node node = 0;
  std::optional<NodeId> elected;
  bool participant = false;
  bool retired = false;
};

/// What an election promises of the coordinator.
enum class Promise : std::uint8_t {
  largest,  // the largest identifier of those that have not retired
  one,      // all agree on one that is up
};

/// The promise of an election of the catalogue.
Promise promise_of(const CatalogEntry& entry);

/// Checks E1 at rest, among the processes that have elected a coordinator.
Finding wrong_coordinator(const std::vector<Voter>& voters, Promise promise);
/// Checks E2 at rest.
Finding undecided(const std::vector<Voter>& voters);

/// Checks E1 during a run: a process that elects itself has asked all above it, and none of those
/// was up and a candidate all that time. If one was, this is remembered until there is a second
/// coordinator, or until the process changes its mind.
class CoordinatorOracle {
 public:
  explicit CoordinatorOracle(Node nodes) : since_(nodes), asked_(nodes) {}

  /// From now on the node is, or is no longer, up and a candidate.
  void candidate(Node node, Time now) { since_[node] = now; }
  void no_candidate(Node node) { since_[node].reset(); }
  /// The node asks those above it.
  void asks(Node node, Time now) { asked_[node] = now; }

  /// The node has elected itself.
  Finding elects_itself(Node node);
  /// The node has crashed or elected another.
  Finding steps_back(Node node);

 private:
  std::vector<std::optional<Time>> since_;
  std::vector<Time> asked_;
  /// Nodes that take themselves for the coordinator; for a usurper, with a node above it that was
  /// up all the time.
  std::map<Node, std::optional<Node>> coordinators_;
};

}  // namespace conch::sim
