#include "oracle/oracles.hpp"

#include <gtest/gtest.h>

#include "core/print.hpp"

namespace conch::oracle::oracles_test {

Fence fence(std::uint64_t count) { return {Epoch{1}, count}; }
Entered found(const DataRef& data) { return {{fence(1), data}, {}}; }

Wish read(std::uint64_t begin, std::uint64_t end) { return {Mode::read, {begin, end}}; }
Wish write(std::uint64_t begin, std::uint64_t end) { return {Mode::write, {begin, end}}; }

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

TEST(ExclusionOracle, LetsReadersInTogetherButNoWriterAmongThem) {
  ExclusionOracle oracle;
  EXPECT_FALSE(oracle.enter(1, fence(0), read(0, 20)));
  EXPECT_FALSE(oracle.enter(2, fence(0), read(10, 30)));
  EXPECT_EQ(oracle.enter(3, fence(1), write(25, 26)),
            "two holders: 3 (fence 1.1, write 25..26) entered while 2 (fence 1.0, read 10..30) was "
            "inside");
}

TEST(ExclusionOracle, LetsWritersInTogetherWhoseRangesAreApart) {
  ExclusionOracle oracle;
  EXPECT_FALSE(oracle.enter(1, fence(1), write(0, 10)));
  EXPECT_FALSE(oracle.enter(2, fence(2), write(10, 20)));
  EXPECT_TRUE(oracle.enter(3, fence(2), read(19, 30)));
  oracle.leave(2);
  oracle.leave(3);
  EXPECT_FALSE(oracle.enter(3, fence(2), read(19, 30)));
}

TEST(FenceOracle, FiresWhenAFenceDoesNotIncrease) {
  FenceOracle oracle;
  EXPECT_FALSE(oracle.enter(0, fence(5)));
  EXPECT_EQ(oracle.enter(1, fence(5)), "1 entered with fence 1.5 after fence 1.5");
  EXPECT_TRUE(oracle.enter(1, fence(4)));
  EXPECT_FALSE(oracle.enter(1, Fence(Epoch{2}, 1)));
}

TEST(FenceOracle, CountsByRange) {
  FenceOracle oracle(fence(0));
  EXPECT_FALSE(oracle.enter(1, fence(5), write(0, 10)));
  EXPECT_FALSE(oracle.enter(2, fence(3), write(10, 20)));
  EXPECT_EQ(oracle.enter(3, fence(5), write(9, 11)), "3 entered with fence 1.5 after fence 1.5");
  EXPECT_FALSE(oracle.enter(3, fence(6), write(9, 11)));
}

TEST(FenceOracle, FiresWhenAReadersFenceIsNotThatOfTheLastWriter) {
  FenceOracle oracle(fence(0));
  EXPECT_FALSE(oracle.enter(1, fence(0), read(0, 10)));
  EXPECT_FALSE(oracle.enter(1, fence(4), write(0, 10)));
  EXPECT_FALSE(oracle.enter(2, fence(4), read(5, 15)));
  EXPECT_FALSE(oracle.enter(3, fence(0), read(10, 15)));
  for (Fence wrong : {fence(0), fence(5)})
    EXPECT_EQ(oracle.enter(4, wrong, read(5, 15)),
              "4 entered to read with fence " + print(wrong) +
                  ", but the last writer before it had fence 1.4");
}

TEST(FenceOracle, AReaderMayGetTheFenceOfAWriterThatCrashedOnItsWayIn) {
  FenceOracle oracle(fence(0));
  EXPECT_FALSE(oracle.enter(1, fence(4), write(0, 10)));
  oracle.crashed();
  EXPECT_TRUE(oracle.enter(2, fence(3), read(0, 10)));
  EXPECT_FALSE(oracle.enter(2, fence(5), read(0, 10)));
  EXPECT_TRUE(oracle.enter(3, fence(5), write(0, 10))) << "but the next writer's is another";
}

// A reader of 0..20 saw fence 4. A later writer of any part of that needs a greater fence, so that
// a resource can tell the two apart.
TEST(FenceOracle, FiresWhenAWritersFenceIsOneThatAReaderGot) {
  FenceOracle oracle(fence(0));
  EXPECT_FALSE(oracle.enter(1, fence(4), write(0, 10)));
  EXPECT_FALSE(oracle.enter(2, fence(4), read(0, 20)));
  EXPECT_TRUE(oracle.enter(3, fence(3), write(10, 20)));
}

TEST(DataOracle, FiresWhenAPartIsNotWhatItsLastWriterLeft) {
  DataOracle oracle(2);
  EXPECT_FALSE(oracle.enter(0, found({}), write(0, 10)));
  DataRef written = oracle.release(0, write(0, 10));
  Part fresh{{0, 10}, {fence(1), written}}, untouched{{10, 20}, {fence(0), {}}};
  Part stale{{0, 10}, {fence(1), {}}}, ends_late{{10, 21}, {fence(0), {}}};
  auto parts = [&](const std::vector<Part>& found) { return Entered{{fence(1), written}, found}; };
  EXPECT_FALSE(oracle.enter(1, parts({fresh, untouched}), read(0, 20)));
  EXPECT_EQ(oracle.enter(1, parts({stale, untouched}), read(0, 20)),
            "1 got version 0 of 0..10, but version 1 was released before");
  for (const std::vector<Part>& wrong : {std::vector{fresh}, {untouched}, {fresh, ends_late}})
    EXPECT_TRUE(oracle.enter(1, parts(wrong), read(0, 20)));
  EXPECT_EQ(oracle.enter(1, found(written), read(0, 20)),
            "1 got version 1 of 10..20, but version 0 was released before");
}

TEST(DataOracle, AReaderLeavesNoNewVersion) {
  DataOracle oracle(2);
  EXPECT_FALSE(oracle.enter(0, found({}), read(0, 10)));
  EXPECT_EQ(oracle.release(0, read(0, 10)), DataRef{});
  EXPECT_FALSE(oracle.enter(0, found({})));
}

TEST(DataOracle, FiresWhenAHolderMissesWhatTheLastOneWrote) {
  DataOracle oracle(2);
  EXPECT_FALSE(oracle.enter(0, found({})));
  DataRef written = oracle.release(0);
  EXPECT_FALSE(oracle.enter(1, found(written)));
  EXPECT_EQ(oracle.enter(1, found({})),
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

// A requests, then tells B; then B requests. B must not be served first.
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

}  // namespace conch::oracle::oracles_test
