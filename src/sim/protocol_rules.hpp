// The corrections of docs/corrections.md by name, for those who want to do without one.
#pragma once

#include <string_view>

#include "core/tuning.hpp"

namespace conch::sim {

/// How a protocol decides without this rule, as in `vote-life`.
const Policy* policy_without(std::string_view name);

}  // namespace conch::sim
