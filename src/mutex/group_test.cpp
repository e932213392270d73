// Tests that the harness of the unit tests notices the faults that it must find.
#include <gtest/gtest.h>

#include "mutex/testing/faulty.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::group_test {

/// The fault that random runs with readers and ranges find, without the seed and the states.
template <class Fault>
std::string found(Sharing sharing) {
  std::string failure = random_runs<Faulty<Fault>>(200, 4, Channels::unordered, {}, sharing);
  std::string line = failure.substr(0, failure.find('\n'));
  auto colon = line.find(": ");
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

constexpr Sharing both{50, 4};

TEST(Group, IsContentWithWhatIsSound) { EXPECT_EQ(found<NoFault>(both), ""); }

/// The fault that is found when the second node asks while the first is inside.
template <class Fault>
std::string found(const Wish& first, const Wish& second) {
  Group<Faulty<Fault>> group(3);
  group.request(NodeId{1}, first);
  group.settle();
  group.request(NodeId{2}, second);
  group.settle();
  return group.failure();
}

TEST(Group, SeesAWriterAmongReaders) {
  EXPECT_EQ(found<NoFault>(Wish{Mode::read, {}}, Wish{}), "");
  EXPECT_EQ(found<WriterAsReader>(Wish{Mode::read, {}}, Wish{}), "ME1: two are inside");
}

TEST(Group, SeesRangesThatOverlap) {
  Wish first{Mode::write, {0, 20}}, second{Mode::write, {10, 30}};
  EXPECT_EQ(found<NoFault>(first, second), "");
  EXPECT_EQ(found<ShorterRange>(first, second), "ME1: two are inside");
}

TEST(Group, SeesAFenceThatIsTooLarge) {
  EXPECT_EQ(found<LargerFence>(Sharing{100, 1}),
            "a reader's fence is not that of the last writer before it");
}

TEST(Group, SeesAFenceThatDoesNotIncrease) {
  EXPECT_EQ(found<FirstFence>(Sharing{0, 4}), "a fence does not increase");
}

TEST(Group, SeesDataThatGotLost) {
  EXPECT_EQ(found<LostPart>(Sharing{0, 4}), "the parts end too early or too late");
}

TEST(Group, SeesDataOfBefore) {
  EXPECT_EQ(found<StalePart>(both), "the data of a part are not those of its last writer");
}

TEST(Group, MissesCompanyWhereNobodyHasAny) {
  EXPECT_EQ(found<NoFault>(Sharing{0, 1}), "");
  EXPECT_EQ(random_runs<Central>(1, 2, Channels::unordered, {}, Sharing{1, 1}),
            "no two were ever inside together");
}

}  // namespace conch::testing::group_test
