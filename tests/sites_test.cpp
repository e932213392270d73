// Tests peers of three sites when the network between the sites is bad, and when it is cut.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/types.hpp"
#include "site_workers.hpp"

namespace conch::sites_test {

using namespace std::chrono_literals;
using testing::SiteWorkers;

class SitesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto missing = rig::missing_for_sites()) GTEST_SKIP() << *missing;
  }

  static void bring_together(SiteWorkers& workers) {
    for (SiteWorkers::Meeting meeting :
         {SiteWorkers::Meeting::joined, SiteWorkers::Meeting::warm}) {
      ASSERT_TRUE(testing::await([&] { return workers.have_met(meeting); }, 4 * patience))
          << workers.output();
      workers.go_on();
    }
  }
  static std::size_t entries_of(SiteWorkers& workers, std::size_t site) {
    std::size_t count = 0;
    for (std::size_t worker = 0; worker < SiteWorkers::workers; ++worker) {
      if (SiteWorkers::site_of(worker) != site) continue;
      std::string text = workers.output(worker);
      for (std::size_t at = 0; (at = text.find("waited", at)) != text.npos; ++at) ++count;
    }
    return count;
  }
  static void expect_done(SiteWorkers& workers) {
    bool done =
        testing::await([&] { return workers.have_met(SiteWorkers::Meeting::done); }, 4 * patience);
    ASSERT_TRUE(done) << workers.output();
    workers.expect_all_end();
    workers.expect_exclusion();
  }
};

TEST_F(SitesTest, ABadNetwork) {
  rig::Quality bad{.delay = 3ms,
                   .jitter = 4ms,
                   .lose = 0.02,
                   .duplicate = 0.02,
                   .clog = {0.02, 20ms},
                   .bytes_per_second = 1'000'000};
  SiteWorkers workers(bad, 40, {"algorithm=naimi-trehel"});
  ASSERT_NO_FATAL_FAILURE(bring_together(workers));
  expect_done(workers);
  rig::Traffic traffic = workers.wire().traffic();
  EXPECT_GT(traffic.lost, 0u);
  EXPECT_GT(traffic.duplicated, 0u);
  EXPECT_GT(traffic.clogged, 0u);
}

/// The cut site is not the one with the register. So its leases end, it is evicted, and the others
/// begin a new epoch.
TEST_F(SitesTest, OthersGoOnWithoutASiteAndItComesBack) {
  constexpr std::size_t entries_per_worker = 100;
  SiteWorkers workers({.delay = 2ms}, entries_per_worker,
                      {"algorithm=preempt-aggregation", "lease=2000"});
  ASSERT_NO_FATAL_FAILURE(bring_together(workers));
  auto epoch = [&] { return Fence(workers.memory()->last_fence).epoch(); };
  Epoch before = epoch();
  workers.wire().part({2});
  EXPECT_TRUE(testing::await([&] { return epoch() > before; }, patience)) << workers.output();
  std::size_t entries_of_site = entries_of(workers, 2);
  EXPECT_LT(entries_of_site, SiteWorkers::workers_per_site * entries_per_worker);
  // On a busy machine the others may have little work left by now.
  constexpr std::size_t all_of_others =
      (SiteWorkers::workers - SiteWorkers::workers_per_site) * entries_per_worker;
  std::size_t goal =
      std::min<std::size_t>(workers.memory()->entries + 50, entries_of_site + all_of_others);
  EXPECT_TRUE(testing::await([&] { return workers.memory()->entries >= goal; }, patience));
  // Each worker of the site may have counted its last entry late.
  EXPECT_LE(entries_of(workers, 2), entries_of_site + SiteWorkers::workers_per_site);
  workers.wire().heal();
  expect_done(workers);
}

/// All peers of the machine with the register come back as new lives, which no other machine knows
/// yet.
TEST_F(SitesTest, TheMachineOfTheRegisterSleeps) {
  SiteWorkers workers({.delay = 2ms}, 40, {"algorithm=naimi-trehel", "lease=2000"});
  ASSERT_NO_FATAL_FAILURE(bring_together(workers));
  // A worker stopped inside would wake late and overlap with the next one, as it may.
  EXPECT_TRUE(testing::await([&] { return workers.memory()->inside == 0; }, patience));
  workers.send(0, SIGSTOP);
  std::this_thread::sleep_for(4s);  // longer than all leases
  workers.send(0, SIGCONT);
  expect_done(workers);
}

}  // namespace conch::sites_test
