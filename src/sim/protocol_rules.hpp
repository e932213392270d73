// The corrections of docs/corrections.md by name, so that one can be left out.
#pragma once

#include <string_view>

#include "core/tuning.hpp"

namespace conch::sim {

/// The policy of a protocol without this rule, such as `vote-life`.
const Policy* policy_without(std::string_view name);

}  // namespace conch::sim
