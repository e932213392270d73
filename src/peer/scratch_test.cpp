#include "core/scratch.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace conch::scratch_test {

using Numbers = std::vector<int>;

std::size_t count_one_more() {
  return Scratch<Numbers>::use([](Numbers& numbers) {
    numbers.push_back(1);
    return numbers.size();
  });
}

TEST(Scratch, IsUsedAgainByItsThreadAlone) {
  EXPECT_EQ(count_one_more(), 1u);
  EXPECT_EQ(count_one_more(), 2u);
  std::thread([] { EXPECT_EQ(count_one_more(), 1u); }).join();
  EXPECT_EQ(count_one_more(), 3u);
}

std::size_t counted_at_the_end = 0;

/// Like code that runs at program exit, it is destroyed after the thread's Scratch, which is made
/// later.
struct Last {
  ~Last() { counted_at_the_end = count_one_more(); }
};

TEST(Scratch, IsNewForEachUseWhenItsThreadEnds) {
  std::thread([] {
    thread_local Last last;
    (void)&last;
    count_one_more();
    count_one_more();
  }).join();
  EXPECT_EQ(counted_at_the_end, 1u);
}

}  // namespace conch::scratch_test
