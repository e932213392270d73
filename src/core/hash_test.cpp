#include "core/hash.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "core/flat_set.hpp"
#include "core/members.hpp"

namespace conch::hash_test {

struct Request {
  NodeId origin;
  CONCH_FIELDS(Request, origin)
};
struct Token {
  Baton baton;
  CONCH_FIELDS(Token, baton)
};
struct Nothing {
  CONCH_FIELDS(Nothing)
};
using Message = std::variant<Request, Token>;

// Recorded traces hold hashes: these numbers may only change together with the traces' version.
TEST(Hash, IsTheSameOnEveryMachineAndInEveryBuild) {
  EXPECT_EQ(hash64(Nothing{}), 0x2ff2bab8e088756b);
  EXPECT_EQ(hash64(0), 0x487375b8541409c4);
  EXPECT_EQ(hash64(NodeId{3}), 0x41426c277e735234);
  EXPECT_EQ(hash64(-1), 0x09748e78911e4374);
  EXPECT_EQ(hash64(std::optional<NodeId>(NodeId{3})), 0xa3c083c11a1a763b);
  EXPECT_EQ(hash64(std::vector<int>{1, 2}), 0x48e23948967dd430);
  EXPECT_EQ(hash64(std::pair<int, int>{1, 2}), 0xfa2d96cc9f902c6b);
  EXPECT_EQ(hash64(std::map<int, int>{{1, 2}, {3, 4}}), 0x7a8395afa2bf323d);
  EXPECT_EQ(hash64(Message{Token{{Fence(Epoch{1}, 7), {}}}}), 0x6679a9d889b6133c);
}

TEST(Hash, IsKnownToTheCompiler) {
  static_assert(hash64(NodeId{3}) == 0x41426c277e735234);
  static_assert(hash64(Request{NodeId{3}}) == hash64(NodeId{3}));
}

TEST(Hash, TellsNeighboursApart) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(hash64(NodeId{i}));
  for (std::uint32_t i = 0; i < 300; ++i)
    for (std::uint32_t j = 0; j < 300; ++j) seen.insert(hash64(std::pair(NodeId{i}, Epoch{j})));
  EXPECT_EQ(seen.size(), 190'000u);
}

TEST(Hash, TellsWhereASequenceEnds) {
  using Lists = std::pair<std::vector<int>, std::vector<int>>;
  EXPECT_NE(hash64(Lists{{1}, {2, 3}}), hash64(Lists{{1, 2}, {3}}));
  EXPECT_NE(hash64(Lists{{}, {1}}), hash64(Lists{{1}, {}}));
}

TEST(Hash, TellsMissingFromZero) {
  EXPECT_NE(hash64(std::optional<int>()), hash64(std::optional<int>(0)));
}

TEST(Hash, TellsMessagesApartThatHaveTheSameFields) {
  using Numbers = std::variant<int, NodeId>;
  EXPECT_NE(hash64(Numbers{3}), hash64(Numbers{NodeId{3}}));
}

TEST(Hash, OfEqualSetsIsEqual) {
  EXPECT_EQ(hash64(FlatSet<int>{2, 1}), hash64(FlatSet<int>{1, 2, 2}));
  EXPECT_EQ(hash64(Members::first(2)), hash64(Members{NodeId{1}, NodeId{0}}));
}

}  // namespace conch::hash_test
