#include "overlay/replicas.hpp"

#include <gtest/gtest.h>

#include <set>

namespace conch::overlay::replicas_test {

Replicas of(const char* name, unsigned replicas) {
  return Replicas(Replication{.name = hash_of_name(name), .replicas = replicas});
}

TEST(Replicas, HaveKeysThatComeFromTheName) {
  EXPECT_EQ(of("conch", 3).key(1), of("conch", 3).key(1));
  EXPECT_NE(of("conch", 3).key(0), of("shell", 3).key(0));
}

TEST(Replicas, StandFarApart) {
  for (unsigned n : {1u, 3u, 5u, 10u, 40u}) {
    Replicas replicas = of("conch", n);
    std::set<Key> keys;
    for (Index i = 0; i < n; ++i) {
      keys.insert(replicas.key(i));
      EXPECT_EQ(replicas.at(replicas.key(i)), i);
    }
    EXPECT_EQ(keys.size(), n);
    for (Index i = 1; i < n; ++i)
      EXPECT_EQ(distance(replicas.key(i - 1), replicas.key(i)), ~std::uint64_t{0} / n);
  }
}

TEST(Replicas, AreNotElsewhere) {
  Replicas replicas = of("conch", 3);
  EXPECT_FALSE(replicas.at(Key{static_cast<std::uint64_t>(replicas.key(1)) + 1}));
}

TEST(Replicas, DecideByMajority) {
  EXPECT_EQ(of("conch", 3).majority(), 2u);
  EXPECT_EQ(of("conch", 5).majority(), 3u);
  EXPECT_EQ(of("conch", 10).majority(), 6u);
}

}  // namespace conch::overlay::replicas_test
