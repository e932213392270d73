// Tests of the code that the hierarchical algorithms share, and random runs of all of them.
#include "mutex/hierarchy.hpp"

#include <gtest/gtest.h>

#include "mutex/preempt.hpp"
#include "mutex/preempt_aggregation.hpp"
#include "mutex/proxy.hpp"
#include "mutex/testing/random_run.hpp"

namespace conch::testing::hierarchy_test {

constexpr std::uint64_t seeds = 250;

/// Every seed has its own layout.
template <class A>
std::size_t queues_of_random_runs(Channels channels, unsigned eps) {
  std::size_t queues = 0;
  for (std::size_t nodes = 1; nodes <= 10; ++nodes) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      RandomRun<A> run(seed, nodes, channels, {.eps = eps});
      std::string failure = run.run();
      EXPECT_EQ(failure, "") << "eps " << eps;
      if (!failure.empty()) return queues;
      if constexpr (requires { typename A::Queue; })
        queues += run.group().template sent_of<typename A::Queue>();
    }
  }
  return queues;
}

TEST(Hierarchy, ProxyHoldsInRandomTopologies) {
  for (Channels channels : {Channels::fifo, Channels::unordered})
    queues_of_random_runs<Proxy>(channels, 0);
}

TEST(Hierarchy, PreemptHoldsInRandomTopologies) {
  for (Channels channels : {Channels::fifo, Channels::unordered})
    for (unsigned eps = 0; eps <= 3; ++eps)
      EXPECT_EQ(queues_of_random_runs<Preempt>(channels, eps) > 0, eps > 0);
}

TEST(Hierarchy, PreemptAggregationHoldsInRandomTopologies) {
  for (Channels channels : {Channels::fifo, Channels::unordered})
    for (unsigned eps = 0; eps <= 3; ++eps)
      EXPECT_GT(queues_of_random_runs<PreemptAggregation>(channels, eps), 0u);
}

TEST(Preemptions, AreForgottenWhenTheTokenLeavesTheClusterThatIsSoWide) {
  Preemptions nb;
  nb.add(1);
  nb.add(2);
  nb.add(2);
  EXPECT_EQ(nb.seen_from(2), nb);
  EXPECT_EQ(nb.seen_from(1).at(1), 1u);
  EXPECT_EQ(nb.seen_from(1).at(2), 0u);
  EXPECT_EQ(nb.seen_from(0), Preemptions());
}

TEST(Preemptions, ArePrintedAsTheirCounts) {
  Preemptions nb;
  EXPECT_EQ(print(nb), "{}");
  nb.add(1);
  EXPECT_EQ(print(nb), "{0, 1}");
  EXPECT_EQ(print(Preempt::Queue{NodeId{2}, NodeId{3}, nb}), "QUEUE(head 2, tail 3, nb {0, 1})");
}

// An older count must not replace a newer one.
TEST(Preemptions, OfTwoTheLargerCounts) {
  Preemptions older, newer;
  older.add(1);
  newer.add(2);
  newer.merge(older);
  EXPECT_EQ(newer.at(1), 1u);
  EXPECT_EQ(newer.at(2), 1u);
  newer.merge(Preemptions());
  EXPECT_EQ(newer.at(2), 1u);
}

}  // namespace conch::testing::hierarchy_test
