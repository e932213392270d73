#include "dho/copies.hpp"

#include <gtest/gtest.h>

#include "core/print.hpp"

namespace conch::dho::copies_test {

constexpr NodeId here{1};

TEST(Copies, BytesInARange) {
  EXPECT_EQ(bytes_in({}, 100), 100u);
  EXPECT_EQ(bytes_in({10, 20}, 100), 10u);
  EXPECT_EQ(bytes_in({90, 120}, 100), 10u);
  EXPECT_EQ(bytes_in({100, 120}, 100), 0u);
}

TEST(Copies, ANewerOneTakesThePlaceOfAnOlder) {
  Copies copies;
  copies.keep({0, 30}, DataRef{3, 100, here});
  copies.keep({10, 20}, DataRef{4, 100, here});
  EXPECT_TRUE(copies.have({0, 10}, DataRef{3, 100, here}));
  EXPECT_TRUE(copies.have({10, 20}, DataRef{4, 100, here}));
  EXPECT_TRUE(copies.have({20, 30}, DataRef{3, 100, here}));
  EXPECT_FALSE(copies.have({0, 30}, DataRef{3, 100, here}));
  EXPECT_TRUE(copies.touch({19, 25}, 3));
  EXPECT_FALSE(copies.touch({20, 25}, 3));
}

TEST(Copies, OnlyOlderOnesAreDropped) {
  Copies copies;
  copies.keep({}, DataRef{3, 100, here});
  copies.drop({0, 50}, 2);
  EXPECT_TRUE(copies.have({}, DataRef{3, 100, here}));
  copies.drop({0, 50}, 3);
  EXPECT_FALSE(copies.touch({0, 50}));
  EXPECT_TRUE(copies.have({50, 100}, DataRef{3, 100, here}));
}

TEST(Copies, NothingIsKeptOfNothing) {
  Copies copies;
  copies.keep({}, DataRef{3, 0, here});
  EXPECT_TRUE(copies.empty());
  copies.keep({}, DataRef{3, 100, here});
  copies.drop({0, 100});
  EXPECT_TRUE(copies.empty());
}

}  // namespace conch::dho::copies_test
