// `conch check ALGORITHM --recovery`.
#pragma once

#include <fmt/core.h>

#include "check/recovery_check.hpp"
#include "lab_cli/commands.hpp"

namespace conch::lab_cli {

/// The rule with this name. Throws BadText.
recovery::Rule to_rule(const std::string& name);

/// Of a check that is not complete: why, and what can be said all the same.
template <class Report>
std::string how_far(const Report& report) {
  return fmt::format(
      "not complete: {}; no violation so far, in {} states: in no run of up to {} step{}",
      report.incomplete, report.states, report.depth, report.depth == 1 ? "" : "s");
}

Exit check_recovery(const check::group::Options& options, bool json,
                    const check::ProgressSink& progress);

}  // namespace conch::lab_cli
