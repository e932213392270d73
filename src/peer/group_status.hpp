// What the members of a group have said of themselves, put together.
#pragma once

#include <conch/status.hpp>
#include <map>
#include <string>

#include "node/talk.hpp"

namespace conch::peer {

/// The locks that somebody uses, by name.
std::map<std::string, GroupStatus::Lock> locks_of(const node::Status& status);

/// Nothing if it has not answered.
const node::StatusPart* part_of(const node::Status& status, const recovery::Member& member);

GroupStatus group_status(const node::Status& status);

}  // namespace conch::peer
