// What peers write of themselves while everything goes wrong, as `conch trace check` judges it.
#include <gtest/gtest.h>

#include <list>
#include <sstream>

#include "audit/audit.hpp"
#include "catalog/real_algorithms.hpp"
#include "sim/survival.hpp"

namespace conch::lab::survival_traces_test {

using sim::Survival;
using sim::SurvivalOptions;

/// Only groups with a register: without one, no trace says when a lease ends, and the audit takes a
/// stopped holder for a second one.
TEST(SurvivalTraces, AreSound) {
  std::vector<std::string> names = real_algorithms();
  std::uint64_t lines = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SurvivalOptions options;
    options.seed = seed;
    options.algorithm = names[seed % names.size()];
    Survival::Traces traces;
    ASSERT_FALSE(Survival(options, nullptr, &traces).run().violation);
    std::list<std::istringstream> texts;
    std::list<audit::TraceStream> streams;
    std::vector<audit::TraceStream*> all;
    for (const auto& [serial, text] : traces)
      if (!text.empty())
        all.push_back(&streams.emplace_back(texts.emplace_back(text), std::to_string(serial)));
    audit::Docket docket = audit::Audit(all).run();
    lines += docket.events;
    for (const audit::Violation& violation : docket.violations)
      ADD_FAILURE() << options.algorithm << ", seed " << seed << ": " << violation.what;
  }
  EXPECT_GT(lines, 10'000u);
}

}  // namespace conch::lab::survival_traces_test
