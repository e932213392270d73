#include "register/neighbours.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "register/testing/scratch.hpp"

namespace conch::file::neighbours_test {

constexpr PeerInstance life(std::uint64_t id) { return {NodeId{id}, Incarnation{1}}; }

/// Leaves the mark behind, as a killed process does.
int live_and_die(const std::string& folder, const PeerInstance& life) {
  auto* neighbours = new Neighbours(folder);
  neighbours->attach(life);
  ::_exit(0);
}

TEST(Neighbours, AreKnownToHaveDied) {
  ScratchFolder scratch;
  std::string folder = scratch.path() + "/lives";
  Neighbours neighbours(folder);
  neighbours.attach(life(1));
  EXPECT_EQ(Child([&] { return live_and_die(folder, life(2)); }).await_exit(), 0);
  EXPECT_TRUE(neighbours.has_died(life(2)));
  EXPECT_FALSE(neighbours.has_died(life(1)));
  EXPECT_FALSE(neighbours.has_died(life(3))) << "of whom nothing is known here";
}

TEST(Neighbours, AreSeenInAFolderThatWasRemovedAndMadeAgain) {
  ScratchFolder scratch;
  std::string folder = scratch.path() + "/sockets/lives";
  std::filesystem::create_directory(scratch.path() + "/sockets");
  Neighbours neighbours(folder);
  neighbours.attach(life(1));
  std::filesystem::remove_all(scratch.path() + "/sockets");
  EXPECT_FALSE(neighbours.has_died(life(1))) << "nobody has died";
  std::filesystem::create_directory(scratch.path() + "/sockets");
  EXPECT_FALSE(neighbours.has_died(life(1)));
  EXPECT_EQ(Child([&] { return live_and_die(folder, life(2)); }).await_exit(), 0);
  EXPECT_TRUE(neighbours.has_died(life(2)));
  neighbours.attach(life(4));
  Neighbours later(folder);
  EXPECT_FALSE(later.has_died(life(4)));
}

}  // namespace conch::file::neighbours_test
