// Nodes that come, go and die, in seeded schedules, under both overlays. A failure prints its seed.
#include "overlay/ring_member.hpp"

#include <gtest/gtest.h>

#include "overlay/chord.hpp"
#include "overlay/pastry.hpp"
#include "overlay/testing/ring_world.hpp"

namespace conch::overlay::testing {
namespace {

template <class O>
class RingMemberTest : public ::testing::Test {};
using Overlays = ::testing::Types<Pastry, Chord>;
struct Names {
  template <class O>
  static std::string GetName(int) {
    return std::is_same_v<O, Pastry> ? "Pastry" : "Chord";
  }
};
TYPED_TEST_SUITE(RingMemberTest, Overlays, Names);

#define SEEDS(count)                                    \
  for (std::uint64_t seed = 1; seed <= (count); ++seed) \
    if (SCOPED_TRACE("seed " + std::to_string(seed)); !this->HasFailure())

TYPED_TEST(RingMemberTest, ARingBuiltAtOnceIsInOrder) {
  for (std::size_t size : {1, 2, 3, 9, 16, 17, 18, 40, 100}) {
    RingWorld<TypeParam> world(size);
    world.found(scattered(size, world.dice()));
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(50), "") << size;
  }
}

TYPED_TEST(RingMemberTest, OneByOne) {
  SEEDS(30) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = scattered(2 + world.dice().below(40), world.dice());
    world.found({nodes[0]});
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      world.join(nodes[i], world.any_member());
      world.run(1s);
    }
    world.run(2s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(30), "");
  }
}

TYPED_TEST(RingMemberTest, ManyAtOnce) {
  SEEDS(60) {
    RingWorld<TypeParam> world(seed);
    std::vector<NodeId> nodes = scattered(10 + world.dice().below(40), world.dice());
    world.found({nodes[0]});
    // Through one that is in, or through one that is itself just coming.
    for (std::size_t i = 1; i < nodes.size(); ++i) world.join(nodes[i], world.anybody());
    world.run(20s);
    EXPECT_EQ(world.disorder(), "");
    EXPECT_EQ(world.misrouted(30), "");
  }
}

}  // namespace
}  // namespace conch::overlay::testing
