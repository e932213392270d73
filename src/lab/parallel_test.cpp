#include "lab/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace conch::lab::parallel_test {

TEST(InParallel, DoesEverythingOnce) {
  std::vector<std::atomic<int>> times(100);
  in_parallel(times.size(), 4, [&](std::size_t index) { ++times[index]; });
  for (const std::atomic<int>& each : times) EXPECT_EQ(each, 1);
}

TEST(InParallel, PassesOnWhatAWorkerThrows) {
  auto work = [](std::size_t index) {
    if (index == 17) throw std::runtime_error("seed 17");
  };
  EXPECT_THROW(in_parallel(100, 4, work), std::runtime_error);
}

}  // namespace conch::lab::parallel_test
