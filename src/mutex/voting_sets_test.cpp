#include "mutex/voting_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace conch::voting_sets_test {

using Sets = std::vector<FlatSet<NodeId>>;

/// Members whose identifiers differ from their positions.
Members scattered(std::size_t count) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(NodeId{7 * i + 3});
  return Members(nodes);
}

Sets voting_sets(const Members& members, VotingSetShape voting) {
  Sets sets;
  for (NodeId node : members) sets.push_back(voting_set(members, node, voting));
  return sets;
}

std::size_t common(const FlatSet<NodeId>& one, const FlatSet<NodeId>& other) {
  std::vector<NodeId> both;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(both));
  return both.size();
}

std::size_t sets_with(NodeId node, const Sets& sets) {
  return static_cast<std::size_t>(
      std::count_if(sets.begin(), sets.end(), [&](const auto& set) { return set.contains(node); }));
}

TEST(VotingSets, OfAGridIncludeTheirMemberAndMeetPairwise) {
  for (std::size_t count = 1; count <= 60; ++count) {
    Members members = scattered(count);
    Sets sets = voting_sets(members, VotingSetShape::grid);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(sets[i].contains(members[i])) << count << " members, position " << i;
      for (std::size_t j = 0; j < count; ++j)
        EXPECT_GE(common(sets[i], sets[j]), 1u) << count << " members: " << i << " and " << j;
    }
  }
}

TEST(VotingSets, OfAGridAreARowAndAColumn) {
  for (std::size_t count = 1; count <= 60; ++count) {
    std::size_t width = 1;
    while (width * width < count) ++width;
    Sets sets = voting_sets(scattered(count), VotingSetShape::grid);
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t row_starts = i / width * width;
      std::size_t row = std::min(width, count - row_starts);
      std::size_t column = (count - i % width + width - 1) / width;
      EXPECT_EQ(sets[i].size(), row + column - 1) << count << " members, position " << i;
    }
  }
}

TEST(VotingSets, OfAPlaneIncludeTheirMemberAndMeetPairwiseInOne) {
  for (std::size_t q : {2, 3, 5, 7}) {
    Members members = scattered(q * q + q + 1);
    Sets sets = voting_sets(members, VotingSetShape::plane);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      EXPECT_TRUE(sets[i].contains(members[i])) << "q " << q << ", position " << i;
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_EQ(common(sets[i], sets[j]), 1u) << "q " << q << ": " << i << " and " << j;
    }
  }
}

TEST(VotingSets, OfAPlaneAreOfEqualSizeKAndEveryMemberIsInKOfThem) {
  for (std::size_t q : {2, 3, 5, 7}) {
    Members members = scattered(q * q + q + 1);
    Sets sets = voting_sets(members, VotingSetShape::plane);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      EXPECT_EQ(sets[i].size(), q + 1);
      EXPECT_EQ(sets_with(members[i], sets), q + 1);
    }
  }
}

TEST(VotingSets, ThePlaneIsThereForPrimesOnly) {
  std::vector<std::size_t> sizes;
  for (std::size_t count = 1; count <= 200; ++count)
    if (plane_order(count)) sizes.push_back(count);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{7, 13, 31, 57, 133, 183}));
}

TEST(VotingSets, AutomaticIsThePlaneWhereThereIsOneAndElseTheGrid) {
  for (std::size_t count = 1; count <= 31; ++count) {
    Members members = scattered(count);
    VotingSetShape expected = plane_order(count) ? VotingSetShape::plane : VotingSetShape::grid;
    EXPECT_EQ(voting_sets(members, VotingSetShape::automatic), voting_sets(members, expected))
        << count;
  }
}

TEST(VotingSets, APlaneThatIsNotThereIsRefusedWithTheSizesThatWork) {
  try {
    voting_set(Members::first(9), NodeId{0}, VotingSetShape::plane);
    FAIL() << "nine members have no plane";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("7, 13, 31, 57"), std::string::npos);
    EXPECT_NE(std::string(refusal.what()).find("this group has 9"), std::string::npos);
  }
}

}  // namespace conch::voting_sets_test
