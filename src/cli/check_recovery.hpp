// `conch check ALGORITHM --recovery`.
#pragma once

#include "check/recovery_check.hpp"
#include "cli/commands.hpp"

namespace conch::cli {

/// The rule with this name. Throws BadText.
recovery::Rule to_rule(const std::string& name);

Exit check_recovery(const check::group::Options& options, bool json,
                    const check::ProgressSink& progress);

}  // namespace conch::cli
