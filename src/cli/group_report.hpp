// A survey of the group, as the page of `conch peer --http` is sent it: bounded, however large the
// group is.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/lookout.hpp"

namespace conch::cli {

nlohmann::ordered_json group_json(const Survey& survey);

}  // namespace conch::cli
