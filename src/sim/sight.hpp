// What can be seen of a scripted world at one moment, for a user who chooses what happens next.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/flat_set.hpp"
#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// What a process does.
enum class Phase : std::uint8_t {
  absent,
  idle,
  waiting,
  cancelling,
  inside,
  joining,
  leaving,
  left,
  crashed,
};
/// `1 neither waits nor is inside`, after the node's number.
std::string_view word(Phase phase);

struct Sight {
  struct Member {
    Node node = 0;
    Phase phase = Phase::absent;
    bool token = false;
    /// The node's fields; empty if it is not there.
    std::string state = {};
    std::vector<TimerId> armed = {};
    // In an election.
    std::optional<Node> elected = {};
    bool participant = false;
    bool retired = false;
  };
  struct Message {
    Node from = 0;
    Node to = 0;
    std::string kind = {};
    /// `REQUEST(number 1)`
    std::string text = {};
    /// The partition holds it back.
    bool parted = false;
  };
  struct Verdict {
    Property property = Property::mutual_exclusion;
    /// As `check` prints it.
    std::string text = {};
    bool broken = false;
  };

  const CatalogEntry* entry = nullptr;
  /// All nodes that have ever been there.
  std::vector<Member> members = {};
  /// The oldest first.
  std::vector<Message> in_flight = {};
  std::vector<Verdict> verdicts = {};
  /// Why nothing will happen, if a node waits all the same.
  Finding deadlock = {};
  /// The sides of a partition.
  FlatSet<Node> left = {};
  FlatSet<Node> right = {};
  /// The node that could join next.
  std::optional<Node> newcomer = {};
};

}  // namespace conch::sim
