#include "sim/sharing_stats.hpp"

#include <gtest/gtest.h>

namespace conch::sim::sharing_stats_test {

constexpr Wish read_all{Mode::read, {}};
const Wish front{Mode::write, {0, 10}}, back{Mode::write, {10, 20}}, middle{Mode::write, {5, 15}};

Options options(double readers, std::uint32_t ranges) {
  Options options;
  options.readers = readers;
  options.ranges = ranges;
  return options;
}

/// Many entries, none of which met another.
SharingStats lonely() {
  SharingStats sharing;
  sharing.reads = sharing.writes = 1000;
  return sharing;
}

TEST(Company, CountsReadersInsideTogetherAndBehindAWriter) {
  SharingMeter watch;
  watch.requested(1, read_all, {});
  watch.requested(2, read_all, {});
  watch.requested(3, Wish{}, {});
  watch.entered(3, Wish{}, {});
  EXPECT_EQ(watch.sharing().readers_behind_writers, 2u);
  watch.entered(1, read_all, {});
  EXPECT_EQ(watch.sharing().readers_together, 0u);
  watch.entered(2, read_all, {{1, {Fence{}, read_all}}});
  EXPECT_EQ(watch.sharing().readers_together, 1u);
  EXPECT_EQ(watch.sharing().reads, 2u);
  EXPECT_EQ(watch.sharing().writes, 1u);
  EXPECT_EQ(watch.sharing().inside_max, 2u);
  EXPECT_EQ(watch.sharing().ranges_together, 0u);
}

TEST(Company, CountsRangesInsideTogetherAndInTheWay) {
  SharingMeter watch;
  watch.requested(1, front, {});
  watch.entered(1, front, {});
  watch.requested(2, back, {{1, {Fence{}, front}}});
  EXPECT_EQ(watch.sharing().ranges_overlapped, 0u);
  watch.entered(2, back, {{1, {Fence{}, front}}});
  EXPECT_EQ(watch.sharing().ranges_together, 1u);
  watch.requested(3, middle, {{1, {Fence{}, front}}});
  EXPECT_EQ(watch.sharing().ranges_overlapped, 1u);
}

TEST(Company, WhoeverGaveUpDoesNotWait) {
  SharingMeter watch;
  watch.requested(1, read_all, {});
  watch.gave_up(1);
  watch.entered(2, Wish{}, {});
  EXPECT_EQ(watch.sharing().readers_behind_writers, 0u);
}

TEST(Company, SaysWhatWasMissed) {
  SharingStats sharing = lonely();
  EXPECT_EQ(missed(sharing, options(0.5, 8)), "no two readers were ever inside together");
  sharing.readers_together = 1;
  EXPECT_EQ(missed(sharing, options(0.5, 8)), "no reader ever had to wait for a writer");
  sharing.readers_behind_writers = 1;
  EXPECT_EQ(missed(sharing, options(0.5, 8)),
            "no two with disjoint ranges were ever inside together");
  sharing.ranges_together = 1;
  EXPECT_EQ(missed(sharing, options(0.5, 8)), "no node ever had to wait for an overlapping range");
  sharing.ranges_overlapped = 1;
  EXPECT_EQ(missed(sharing, options(0.5, 8)), std::nullopt);
}

TEST(Company, MissesOnlyWhatWasAskedForAndCouldBe) {
  EXPECT_EQ(missed(lonely(), options(0, 1)), std::nullopt);
  SharingStats readers = lonely();
  readers.readers_together = 1;
  EXPECT_EQ(missed(readers, options(1, 8)), std::nullopt);
  Options two = options(0.5, 1);
  two.clusters = {2};
  EXPECT_EQ(missed(lonely(), two), std::nullopt);
  EXPECT_EQ(missed(SharingStats{}, options(0.5, 8)), std::nullopt);
}

}  // namespace conch::sim::sharing_stats_test
