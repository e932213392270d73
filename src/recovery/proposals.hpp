// The views that a peer proposes, as functions of what is known.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recovery/view.hpp"

namespace conch::recovery {

/// Whether a newcomer is a guest of the epoch, or its coming begins the next.
enum class Membership : std::uint8_t { fixed, dynamic };

/// A view in which this one is a member. A former life of it is put out, and so is everybody whose
/// lease has ended; then a new epoch begins. The view's algorithm and eps are those of the group;
/// if nobody is left in it, the newcomer's.
View admission(const Standing& known, const Member& newcomer, std::string_view algorithm,
               Membership membership, std::uint32_t eps = 0);

/// Why a member cannot talk to all others: with whom it has no version of the protocol in common,
/// and what to do. Empty if it can.
std::string language_barrier(const Roster& roster, NodeId member);

/// A new epoch without these, with this decider.
View eviction(const Standing& known, const std::vector<NodeId>& those, const Life& decider);

/// A new epoch with the same members, in which these locks are forced open.
View renewal(const Standing& known, const Life& decider, const std::vector<std::string>& locks);

/// A new epoch with the same members, of whom these have other labels.
View relabelling(const Standing& known, const Life& decider,
                 const std::map<NodeId, std::string>& labels);

/// A new epoch without this one, which decides for the others and then goes.
View departure(const Standing& known, const Life& leaver);

/// Members whose leases have ended.
std::vector<NodeId> dead_members(const Standing& known);

}  // namespace conch::recovery
