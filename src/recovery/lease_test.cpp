#include "recovery/lease.hpp"

#include <gtest/gtest.h>

namespace conch::recovery::lease_test {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// The true time after which a clock that runs at `percent` hundredths of true speed shows this
/// much.
double true_time(Duration shown, unsigned percent) {
  return static_cast<double>(shown.count()) * 100 / percent;
}

TEST(Lease, APeerIsOutBeforeTheRegisterSaysSoHoweverWrongTheClocksAre) {
  for (unsigned drift : {0U, 1U, 5U, 10U, 49U})
    for (Duration length :
         {Duration(milliseconds(1)), Duration(seconds(5)), Duration(seconds(3600))}) {
      LeaseTerms terms{length, drift};
      // The peer asks, and the register hears it at once: the worst case. The register's clock is
      // the fastest, the peer's the slowest.
      double register_ends = true_time(length, 100 + drift);
      double peer_ends = true_time(reliable(terms), 100 - drift);
      EXPECT_LE(peer_ends, register_ends) << drift << " %, " << length.count() << " ns";
      EXPECT_GT(peer_ends, 0.999 * register_ends) << "but not much earlier than it must be";
    }
}

TEST(Lease, DriftCosts) {
  EXPECT_EQ(reliable({seconds(1), 0}), seconds(1));
  EXPECT_LT(reliable({seconds(1), 5}), milliseconds(905));
  EXPECT_GT(reliable({seconds(1), 5}), milliseconds(904));
}

TEST(Lease, TwoRenewalsMayBeLost) {
  LeaseTerms terms;
  EXPECT_LE(3 * renewal_period(terms), reliable(terms));
}

TEST(Tenure, CountsFromBeforeItAsked) {
  Lease lease({seconds(1), 0});
  EXPECT_FALSE(lease.holds(Time{}));
  lease.renewed(Time(seconds(10)));
  EXPECT_TRUE(lease.holds(Time(seconds(11) - nanoseconds(1))));
  EXPECT_FALSE(lease.holds(Time(seconds(11))));
}

TEST(Tenure, ALateAnswerDoesNotShortenIt) {
  Lease lease({seconds(1), 0});
  lease.renewed(Time(seconds(10)));
  lease.renewed(Time(seconds(9)));
  EXPECT_EQ(lease.until(), Time(seconds(11)));
}

}  // namespace conch::recovery::lease_test
