// A survey of the group as JSON for the page of `conch peer --http`, bounded however large the
// group is.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/live_feed.hpp"

namespace conch::cli {

nlohmann::ordered_json group_json(const GroupSnapshot& survey);

}  // namespace conch::cli
