// `conch check ALGORITHM --recovery`: checks a group that recovers from crashes.
#pragma once

#include <fmt/core.h>

#include "check/recovery_check.hpp"
#include "lab_cli/commands.hpp"

namespace conch::lab_cli {

/// Finds a rule by its name. Throws BadText.
recovery::Rule to_rule(const std::string& name);

/// Explains why a check is incomplete, and what it has shown nevertheless.
template <class Report>
std::string how_far(const Report& report) {
  return fmt::format(
      "not complete: {}; no violation so far, in {} states: in no run of up to {} step{}",
      report.incomplete, report.states, report.depth, report.depth == 1 ? "" : "s");
}

Exit check_recovery(const check::group::Options& options, bool json,
                    const check::ProgressSink& progress);

}  // namespace conch::lab_cli
