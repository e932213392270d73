// Presents what a group says about itself, also as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "peer/group_status.hpp"

namespace conch::cli {

using peer::locks_of;
using peer::part_of;

std::string lease_text(const node::Status& status, const recovery::Member& member);
std::string seconds_text(Duration duration);

/// A member, with its state if it has answered.
nlohmann::ordered_json member_status(const node::Status& status, const recovery::Member& member);

/// The output of `conch status --json` and `GET /status`.
std::string json_text(const node::Status& status, const node::Claims& claims);

}  // namespace conch::cli
