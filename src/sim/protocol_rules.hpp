// The corrections of docs/p2p.md by name, for those who want to do without one.
#pragma once

#include <string_view>

#include "core/tuning.hpp"

namespace conch::sim {

/// As in `vote-life`.
Without parse_rule(std::string_view name);

}  // namespace conch::sim
