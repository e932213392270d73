#include "mutex/elmp.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/group.hpp"

namespace conch {
namespace {

using testing::Channels;
using testing::random_runs;

TEST(Elmp, ThousandsOfRandomRuns) {
  for (std::size_t nodes : {1, 2, 3, 4, 5, 7, 12}) {
    EXPECT_EQ(random_runs<Elmp>(400, nodes, Channels::unordered), "");
    EXPECT_EQ(random_runs<Elmp>(100, nodes, Channels::fifo), "");
  }
}

}  // namespace
}  // namespace conch
