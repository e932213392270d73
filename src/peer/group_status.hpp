// Merges what the members of a group report about themselves.
#pragma once

#include <conch/status.hpp>
#include <map>
#include <string>

#include "node/talk.hpp"

namespace conch::peer {

/// The locks in use, by name.
std::map<std::string, GroupStatus::Lock> locks_of(const node::Status& status);

/// Returns nullptr if the member has not answered.
const node::StatusPart* part_of(const node::Status& status, const recovery::Member& member);

GroupStatus group_status(const node::Status& status);

}  // namespace conch::peer
