#include "sim/simulated_nodes.hpp"

#include <gtest/gtest.h>

#include "catalog/presets.hpp"

namespace conch::sim::simulated_nodes_test {

/// A world in which nothing happens.
class Nowhere final : public EffectSink {
 public:
  void post(const Posted&) override {}
  void entered(Node, const Entered&) override {}
  void withdrawn(Node) override {}
  void joined(Node) override {}
  void left(Node) override {}
  void armed(Node, const Armed&) override {}
  void disarmed(Node, TimerId) override {}
};

std::string state_of(const CatalogEntry& entry, Tuning tuning) {
  Nowhere host;
  auto simulated_nodes = make_simulated_nodes(entry, 7, host);
  simulated_nodes->create(0, Assignment::fresh(Members::first(7), NodeId{0}, tuning));
  return simulated_nodes->state(0);
}

// The creator of a node need not know that its name has a preset.
TEST(SimulatedNodes, CreatesNodesWithTheirPreset) {
  const CatalogEntry& maekawa = find_algorithm("maekawa");
  CatalogEntry grid = variant<Maekawa>("maekawa-grid", "here", {.voting = VotingSetShape::grid});
  std::string by_grid = state_of(maekawa, {.voting = VotingSetShape::grid});
  EXPECT_NE(by_grid, state_of(maekawa, {.voting = VotingSetShape::plane}));
  EXPECT_EQ(by_grid, state_of(grid, {.voting = VotingSetShape::plane}));
}

TEST(SimulatedNodes, SeesWhatIsWrongWithAStructure) {
  Nowhere host;
  auto disorder = [&](const char* algorithm, const std::vector<Node>& members) {
    auto simulated_nodes = make_simulated_nodes(find_algorithm(algorithm), 4, host);
    for (Node node = 0; node < 4; ++node)
      simulated_nodes->create(node, Assignment::fresh(Members::first(4), NodeId{0}));
    return simulated_nodes->disorder(members);
  };
  EXPECT_EQ(disorder("elmp", {0, 1, 2, 3}), "");
  EXPECT_NE(disorder("elmp", {0, 1, 3}), "");
  EXPECT_EQ(disorder("central", {0, 1, 3}), "") << "it has no structure";
}

}  // namespace conch::sim::simulated_nodes_test
