#include "recovery/suspicion.hpp"

#include <gtest/gtest.h>

namespace conch::recovery::suspicion_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Row {
  Duration unacknowledged;
  bool lease_ended;
  unsigned confirmations;
  Opinion expected;
};

TEST(Suspicion, Table) {
  LeaseTerms terms{seconds(1), 5};
  const Row rows[] = {
      {seconds(0), false, 0, Opinion::fine},
      {milliseconds(999), false, 0, Opinion::fine},
      {milliseconds(999), false, 9, Opinion::fine},  // what others say is not silence
      {seconds(1), false, 0, Opinion::doubtful},
      {milliseconds(9999), false, 0, Opinion::doubtful},
      {seconds(10), false, 0, Opinion::gone},
      {milliseconds(5999), false, 1, Opinion::doubtful},
      {seconds(6), false, 1, Opinion::gone},
      {seconds(4), false, 2, Opinion::gone},
      {seconds(3), false, 3, Opinion::gone},
      {milliseconds(1999), false, 1000, Opinion::doubtful},  // never before two leases
      {milliseconds(2001), false, 1000, Opinion::gone},
      {seconds(0), true, 0, Opinion::gone},  // a fact
  };
  for (const Row& row : rows)
    EXPECT_EQ(opinion_of({row.unacknowledged, row.lease_ended, row.confirmations}, terms),
              row.expected)
        << row.unacknowledged.count() << " ns, " << row.confirmations << " confirmations";
}

TEST(Suspicion, EachConfirmationHalvesWhatIsLeftOfPatience) {
  LeaseTerms terms{seconds(1), 5};
  Duration least = 2 * terms.length;
  for (unsigned n = 0; n < 10; ++n)
    EXPECT_EQ((patience(n, terms) - least) / 2, patience(n + 1, terms) - least) << n;
}

TEST(Suspicion, WhoComesFirstProposesFirst) {
  LeaseTerms terms{seconds(1), 5};
  EXPECT_EQ(proposal_delay(0, terms), Duration{});
  EXPECT_LT(proposal_delay(1, terms), proposal_delay(2, terms));
  EXPECT_EQ(proposal_delay(50, terms), proposal_delay(5000, terms)) << "but nobody waits for ever";
}

}  // namespace conch::recovery::suspicion_test
