// Explores every interleaving of the protocols over an overlay, on a fixed ring of three nodes.
// Each test states how many timers may fire.
#include <gtest/gtest.h>

#include "check/check.hpp"
#include "check/counterexample.hpp"
#include "sim/distribution.hpp"
#include "sim/protocol_rules.hpp"

namespace conch::check::protocol_test {

/// Three nodes with a replica each, two of which request the lock.
Options two_ask(const std::string& protocol, std::uint32_t timers, bool fifo = false) {
  Options options;
  options.setting.algorithm = protocol;
  options.setting.nodes = 3;
  options.setting.requesters = 2;
  options.budgets[Budget::timer] = timers;
  options.fifo = fifo;
  return options;
}

void expect_no_violation(const Options& options) {
  CheckReport report = check(options);
  EXPECT_TRUE(report.complete) << report.incomplete;
  EXPECT_FALSE(report.violation) << report.violation->what << "\n"
                                 << describe_counterexample(options, report);
  for (auto [sometimes, seen] : report.sometimes) EXPECT_TRUE(seen) << word(sometimes);
}

TEST(FixedRing, SigmaHoldsInEveryInterleaving) {
  expect_no_violation(two_ask("sigma", 0));
  expect_no_violation(two_ask("sigma", 1, true));
}

TEST(FixedRing, NonEndToEndHoldsInEveryInterleaving) {
  expect_no_violation(two_ask("non-end-to-end", 1));
}

TEST(FixedRing, EndToEndHoldsInEveryInterleavingOfFifoChannels) {
  expect_no_violation(two_ask("end-to-end", 2, true));
}

// The whole exploration takes a minute: see docs/checker.md.
TEST(FixedRing, EndToEndHoldsAsFarAsItIsExploredWhereMessagesOvertake) {
  Options options = two_ask("end-to-end", 1);
  options.bytes_max = std::size_t{64} << 20;  // of the whole process
  CheckReport report = check(options);
  EXPECT_FALSE(report.violation) << report.violation->what << "\n"
                                 << describe_counterexample(options, report);
  EXPECT_GT(report.states, 100'000U);
}

// Without knowing which round has overtaken which, replicas would begin rounds without end.
TEST(FixedRing, SigmaComesToAnEndWhereMessagesOvertake) {
  expect_no_violation(two_ask("sigma", 1));
}

// The unreduced exploration also checks that what the reduced one leaves out makes no difference.
TEST(FixedRing, NothingIsMissedWhereMuchIsLeftOut) {
  for (Options options :
       {two_ask("sigma", 0), two_ask("sigma", 1, true), two_ask("non-end-to-end", 0),
        two_ask("non-end-to-end", 1, true), two_ask("end-to-end", 1, true)}) {
    SCOPED_TRACE(options.setting.algorithm);
    CheckReport reduced = check(options);
    options.reduce = false;
    CheckReport full = check(options);
    EXPECT_FALSE(full.violation) << full.violation->what << "\n"
                                 << describe_counterexample(options, full);
    EXPECT_TRUE(full.complete);
    EXPECT_EQ(reduced.sometimes, full.sometimes);
    EXPECT_LT(2 * reduced.transitions, full.transitions);
  }
}

TEST(FixedRing, NobodyComesOrGoesOnTheRing) {
  Options options = two_ask("sigma", 1);
  options.budgets[Budget::crash] = 1;
  EXPECT_THROW(check(options), BadText);
}

// What goes wrong without each rule of the protocols: see docs/corrections.md.

struct Specimen {
  std::string_view without;
  sim::Property breaks;
  Options options;
};

Options three_ask(const std::string& protocol) {
  Options options = two_ask(protocol, 0, true);
  options.setting.requesters = 3;
  return options;
}

Options both_ask_twice(const std::string& protocol) {
  Options options = two_ask(protocol, 0);
  options.setting.requests = 2;
  return options;
}

TEST(FixedRing, ARuleTakenAwayIsMissed) {
  const Specimen specimens[] = {
      {"vote-generation", sim::Property::mutual_exclusion, three_ask("end-to-end")},
      {"kept-lock", sim::Property::mutual_exclusion, three_ask("end-to-end")},
      {"told-holder", sim::Property::progress, two_ask("end-to-end", 0)},
      {"late-enqueue", sim::Property::progress, two_ask("end-to-end", 0)},
      {"pass-through", sim::Property::progress, three_ask("end-to-end")},
      {"patience", sim::Property::progress, three_ask("non-end-to-end")},
      {"bounce", sim::Property::progress, both_ask_twice("sigma")},
  };
  for (const Specimen& each : specimens) {
    Options options = each.options;
    options.setting.tuning.policy = sim::policy_without(each.without);
    CheckReport report = check(options);
    std::string name = options.setting.algorithm + ", rule " + std::string(each.without);
    ASSERT_TRUE(report.violation) << name;
    EXPECT_EQ(report.violation->property, each.breaks) << name << ": " << report.violation->what;
  }
}

}  // namespace conch::check::protocol_test
