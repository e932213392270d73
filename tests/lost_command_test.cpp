#include "cli/lost_command.hpp"

#include <gtest/gtest.h>

namespace conch::cli {

using namespace std::chrono_literals;

BootTime at(Duration time) { return BootTime(time); }

TEST(LostCommand, IsAskedToEndWhenAThirdOfTheLeaseIsLeft) {
  EXPECT_EQ(ask_to_end_at({at(100s), 6s}), at(98s));
  EXPECT_EQ(ask_to_end_at({at(100s), 500ms}), at(100s) - Duration(500ms) / 3);
}

struct Row {
  const char* what;
  Duration asked;
  LeaseTimes lease;
  Reprieve reprieve;
  Duration killed;
};

TEST(LostCommand, IsKilledAfterTheGraceButWithinTheLease) {
  const LeaseTimes lease{at(100s), 5s};
  for (const Row& row : {
           Row{"the grace is over first", 90s, lease, {5s, 0s}, 95s},
           Row{"the grace is cut to fit", 98s, lease, {5s, 0s}, 99'900ms},
           Row{"nothing is left of the lease", 101s, lease, {5s, 0s}, 101s},
           Row{"no grace", 98s, lease, {0s, 0s}, 98s},
           Row{"nobody enters for a while after the lease", 98s, lease, {5s, 15s}, 103s},
           Row{"that while is short", 98s, lease, {5s, 1s}, 100'900ms},
           Row{"the lease was ended", 98s, {at(0s), 5s}, {5s, 15s}, 98s},
       })
    EXPECT_EQ(kill_at(at(row.asked), row.lease, row.reprieve), at(row.killed)) << row.what;
}

}  // namespace conch::cli
