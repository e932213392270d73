#include "sim/company.hpp"

#include <gtest/gtest.h>

namespace conch::sim::company_test {

constexpr Wish read_all{Mode::read, {}};
const Wish front{Mode::write, {0, 10}}, back{Mode::write, {10, 20}}, middle{Mode::write, {5, 15}};

Options options(double readers, std::uint32_t ranges) {
  Options options;
  options.readers = readers;
  options.ranges = ranges;
  return options;
}

/// Many entries in which nobody met.
Company lonely() {
  Company company;
  company.reads = company.writes = 1000;
  return company;
}

TEST(Company, CountsReadersInsideTogetherAndBehindAWriter) {
  CompanyWatch watch;
  watch.requested(1, read_all, {});
  watch.requested(2, read_all, {});
  watch.requested(3, Wish{}, {});
  watch.entered(3, Wish{}, {});
  EXPECT_EQ(watch.company().readers_behind_writers, 2u);
  watch.entered(1, read_all, {});
  EXPECT_EQ(watch.company().readers_together, 0u);
  watch.entered(2, read_all, {{1, {Fence{}, read_all}}});
  EXPECT_EQ(watch.company().readers_together, 1u);
  EXPECT_EQ(watch.company().reads, 2u);
  EXPECT_EQ(watch.company().writes, 1u);
  EXPECT_EQ(watch.company().inside_max, 2u);
  EXPECT_EQ(watch.company().ranges_together, 0u);
}

TEST(Company, CountsRangesInsideTogetherAndInTheWay) {
  CompanyWatch watch;
  watch.requested(1, front, {});
  watch.entered(1, front, {});
  watch.requested(2, back, {{1, {Fence{}, front}}});
  EXPECT_EQ(watch.company().ranges_overlapped, 0u);
  watch.entered(2, back, {{1, {Fence{}, front}}});
  EXPECT_EQ(watch.company().ranges_together, 1u);
  watch.requested(3, middle, {{1, {Fence{}, front}}});
  EXPECT_EQ(watch.company().ranges_overlapped, 1u);
}

TEST(Company, WhoeverGaveUpDoesNotWait) {
  CompanyWatch watch;
  watch.requested(1, read_all, {});
  watch.gave_up(1);
  watch.entered(2, Wish{}, {});
  EXPECT_EQ(watch.company().readers_behind_writers, 0u);
}

TEST(Company, SaysWhatWasMissed) {
  Company company = lonely();
  EXPECT_EQ(missed(company, options(0.5, 8)), "no two readers were ever inside together");
  company.readers_together = 1;
  EXPECT_EQ(missed(company, options(0.5, 8)), "no reader ever had to wait for a writer");
  company.readers_behind_writers = 1;
  EXPECT_EQ(missed(company, options(0.5, 8)), "no two with ranges apart were ever inside together");
  company.ranges_together = 1;
  EXPECT_EQ(missed(company, options(0.5, 8)),
            "nobody ever had to wait for somebody with an overlapping range");
  company.ranges_overlapped = 1;
  EXPECT_EQ(missed(company, options(0.5, 8)), std::nullopt);
}

TEST(Company, MissesOnlyWhatWasAskedForAndCouldBe) {
  EXPECT_EQ(missed(lonely(), options(0, 1)), std::nullopt);
  Company readers = lonely();
  readers.readers_together = 1;
  EXPECT_EQ(missed(readers, options(1, 8)), std::nullopt);
  Options two = options(0.5, 1);
  two.clusters = {2};
  EXPECT_EQ(missed(lonely(), two), std::nullopt);
  EXPECT_EQ(missed(Company{}, options(0.5, 8)), std::nullopt);
}

}  // namespace conch::sim::company_test
