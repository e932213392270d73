#include "sim/oracles.hpp"

#include <gtest/gtest.h>

namespace conch::sim {
namespace {

Fence fence(std::uint64_t count) { return {Epoch{1}, count}; }

TEST(ExclusionOracle, NamesBothHoldersAndTheirFences) {
  ExclusionOracle oracle;
  EXPECT_FALSE(oracle.enter(3, fence(1)));
  EXPECT_EQ(oracle.enter(4, fence(2)),
            "two holders: 4 (fence 1.2) entered while 3 (fence 1.1) was inside");
}

TEST(ExclusionOracle, IsContentWithOneAfterTheOther) {
  ExclusionOracle oracle;
  EXPECT_FALSE(oracle.enter(3, fence(1)));
  oracle.leave(3);
  EXPECT_FALSE(oracle.enter(4, fence(2)));
}

TEST(FenceOracle, FiresWhenAFenceDoesNotIncrease) {
  FenceOracle oracle;
  EXPECT_FALSE(oracle.enter(0, fence(5)));
  EXPECT_EQ(oracle.enter(1, fence(5)), "1 entered with fence 1.5 after fence 1.5");
  EXPECT_TRUE(oracle.enter(1, fence(4)));
  EXPECT_FALSE(oracle.enter(1, Fence(Epoch{2}, 1)));
}

TEST(DataOracle, FiresWhenAHolderMissesWhatTheLastOneWrote) {
  DataOracle oracle;
  EXPECT_FALSE(oracle.enter(0, DataRef{}));
  DataRef written = oracle.release(0, DataRef{});
  EXPECT_FALSE(oracle.enter(1, written));
  EXPECT_EQ(oracle.enter(1, DataRef{}),
            "1 got version 0 of the data, but version 1 was released before");
}

TEST(TokenOracle, FiresWhenATokenIsMadeOrLost) {
  TokenOracle oracle;
  oracle.created(1);
  EXPECT_FALSE(oracle.after_call(0, 0));
  EXPECT_EQ(oracle.after_call(2, 1), "2 made a token: there are 2");
  EXPECT_EQ(oracle.after_call(2, -1), "2 lost a token: there are 1");
}

TEST(AddresseeOracle, FiresForAMessageToSomebodyWhoHasLeft) {
  AddresseeOracle oracle(3);
  EXPECT_FALSE(oracle.send(0, 1, "TOKEN"));
  oracle.left(1);
  EXPECT_EQ(oracle.send(0, 1, "TOKEN"), "0 sent TOKEN to 1, which has left");
  EXPECT_EQ(oracle.arrive(0, 1, "TOKEN"), "TOKEN of 0 reached 1, which has left");
  oracle.came(1);
  EXPECT_FALSE(oracle.send(0, 1, "TOKEN"));
}

TEST(MemoryAtRest, FiresWhenMoreIsRememberedThanAtTheStart) {
  EXPECT_FALSE(memory_at_rest(7, 7));
  EXPECT_EQ(memory_at_rest(8, 7),
            "at rest the nodes remember 8 things, but those of a new group only 7");
}

// A requests, then tells B; B requests: B's must not be served first.
TEST(OrderOracle, FiresWhenALaterRequestIsServedFirst) {
  Causality causality(2);
  OrderOracle oracle(2);
  causality.step(0);
  oracle.request(0, causality);
  causality.step(0);
  causality.merge(1, causality.at(0));
  causality.step(1);
  oracle.request(1, causality);
  EXPECT_EQ(oracle.enter(1), "1 entered before 0, whose request happened before its own");
}

TEST(OrderOracle, IsContentWithConcurrentAndWithdrawnRequests) {
  Causality causality(3);
  OrderOracle oracle(3);
  for (Node node : {0u, 1u, 2u}) {
    causality.step(node);
    oracle.request(node, causality);
  }
  EXPECT_FALSE(oracle.enter(2));
  causality.merge(2, causality.at(0));
  causality.step(2);
  oracle.request(2, causality);
  oracle.forget(0);
  EXPECT_FALSE(oracle.enter(2));
}

}  // namespace
}  // namespace conch::sim
