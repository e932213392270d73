// E1 and E2, judged by somebody who sees all processes at once.
#pragma once

#include <optional>
#include <vector>

#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// A process that has not crashed, as it can be seen from outside.
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

/// E1, of those who have elected somebody, when everything has come to rest.
Finding wrong_coordinator(const std::vector<Voter>& voters, Promise promise);
/// E2, when everything has come to rest.
Finding undecided(const std::vector<Voter>& voters);

/// E1 while it runs: who elects itself has asked all above it, and none of those was up and a
/// candidate all the time. Whoever does so all the same is remembered until there is a second
/// coordinator, or it changes its mind.
class CoordinatorOracle {
 public:
  explicit CoordinatorOracle(Node nodes) : since_(nodes), asked_(nodes) {}

  /// The node is up and a candidate from now on; or it is not any more.
  void candidate(Node node, Time now) { since_[node] = now; }
  void no_candidate(Node node) { since_[node].reset(); }
  /// The node asks those above it.
  void asks(Node node, Time now) { asked_[node] = now; }

  /// The node has elected itself.
  Finding elects_itself(Node node);
  /// The node has crashed or elected somebody else.
  Finding steps_back(Node node);

 private:
  std::vector<std::optional<Time>> since_;
  std::vector<Time> asked_;
  /// Those who believe to be the coordinator; and, of a usurper, who was above it all the time.
  std::map<Node, std::optional<Node>> coordinators_;
};

}  // namespace conch::sim
