// Runs `conch survive` and checks the traces of its peers, as `conch trace check` does.
#include <gtest/gtest.h>

#include <list>
#include <sstream>

#include "audit/audit.hpp"
#include "catalog/real_algorithms.hpp"
#include "sim/group_simulation.hpp"

namespace conch::lab::survival_traces_test {

using sim::GroupSimulation;
using sim::GroupSimulationOptions;

/// Covers only groups with a register. Without one, no trace says when a lease ends, and the audit
/// takes a stopped holder for a second one.
TEST(SurvivalTraces, AreSound) {
  std::vector<std::string> names = real_algorithms();
  std::uint64_t lines = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    GroupSimulationOptions options;
    options.seed = seed;
    options.algorithm = names[seed % names.size()];
    GroupSimulation::Traces traces;
    ASSERT_FALSE(GroupSimulation(options, nullptr, &traces).run().violation);
    std::list<std::istringstream> texts;
    std::list<audit::TraceStream> streams;
    std::vector<audit::TraceStream*> all;
    for (const auto& [serial, text] : traces)
      if (!text.empty())
        all.push_back(&streams.emplace_back(texts.emplace_back(text), std::to_string(serial)));
    audit::TraceReport trace_report = audit::Audit(all).run();
    lines += trace_report.events;
    for (const audit::TraceViolation& violation : trace_report.violations)
      ADD_FAILURE() << options.algorithm << ", seed " << seed << ": " << violation.what;
  }
  EXPECT_GT(lines, 10'000u);
}

}  // namespace conch::lab::survival_traces_test
