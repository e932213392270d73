#include "sim/wires.hpp"

#include <gtest/gtest.h>

namespace conch::sim::wires_test {

using namespace std::chrono_literals;

TEST(Wires, AUniformJourneyIsLatencyAndLength) {
  Uniform wires{.latency = 5ms, .bytes_per_s = 1000};
  EXPECT_EQ(journey(wires, 0, 1, 0), 5ms);
  EXPECT_EQ(journey(wires, 1, 0, 250), 255ms);
  EXPECT_EQ(mean_latency(wires, 10), 5ms);
}

TEST(Wires, FiftyMebibytesTakeAsLongAsInThePaper) {
  EXPECT_NEAR(journey(Uniform{}, 0, 1, 50 << 20).count() * 1e-9, 0.456 + 0.0045, 0.0005);
}

Node some_node_at(const Grid& grid, std::uint32_t site, Node other_than) {
  Node node = 0;
  while (grid.site_of(node) != site || node == other_than) ++node;
  return node;
}

TEST(Wires, AGridHasThreeLinesInASiteAndFiveBetweenTwo) {
  Grid grid;
  Node here = some_node_at(grid, 0, 1000);
  EXPECT_EQ(journey(grid, here, some_node_at(grid, 0, here), 0), 3120us);
  EXPECT_EQ(journey(grid, here, some_node_at(grid, 2, here), 0), 5200us);
  EXPECT_EQ(journey(grid, here, some_node_at(grid, 0, here), 115'000'000), 3120us + 1s);
}

/// eta of equation 4 is "approximately 430 us".
TEST(Wires, TheMeanRouteOfThreeSitesIsTheEtaOfThePaper) {
  Grid grid;
  grid.latency_factor = 1;
  EXPECT_NEAR(static_cast<double>(mean_latency(grid, 120).count()), 430e3, 10e3);
}

TEST(Wires, PlacementIsDrawnFromItsSeed) {
  Grid one{.placement = 1};
  Grid two{.placement = 2};
  int moved = 0;
  for (Node node = 0; node < 90; ++node) moved += one.site_of(node) != two.site_of(node);
  EXPECT_GT(moved, 30);
  EXPECT_LT(moved, 90);
}

}  // namespace conch::sim::wires_test
