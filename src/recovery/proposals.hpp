// The views that a peer proposes, as pure functions of what is known.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recovery/view.hpp"

namespace conch::recovery {

/// Whether a newcomer joins the current epoch as a guest, or begins a new one.
enum class Membership : std::uint8_t { fixed, dynamic };

/// A view with this newcomer as a member, and with those that wait with it. Evicts former lives of
/// them and members whose leases have ended; then a new epoch begins, and also if several come: a
/// guest would have to greet all others. The view keeps the group's algorithm and eps; if no member
/// is left, it takes the newcomer's, and nobody comes along.
View admission(const RegisterSnapshot& known, const Member& newcomer, std::string_view algorithm,
               Membership membership, std::uint32_t eps = 0,
               const std::vector<Newcomer>& waiting = {});

/// Says with which members this one shares no protocol version, and what to do. Empty if it can
/// talk to all.
std::string language_barrier(const Roster& roster, NodeId member);

/// A new epoch without these members, with this decider.
View eviction(const RegisterSnapshot& known, const std::vector<NodeId>& those,
              const PeerInstance& decider);

/// A new epoch with the same members, which forces these locks open.
View renewal(const RegisterSnapshot& known, const PeerInstance& decider,
             const std::vector<std::string>& locks);

/// A new epoch with the same members, some of them with new labels.
View relabelling(const RegisterSnapshot& known, const PeerInstance& decider,
                 const std::map<NodeId, std::string>& labels);

/// A new epoch without this peer, which decides it and then goes, and without those that wait to
/// leave.
View departure(const RegisterSnapshot& known, const PeerInstance& leaver,
               const std::vector<PeerInstance>& waiting = {});

/// Members whose leases have ended.
std::vector<NodeId> dead_members(const RegisterSnapshot& known);

}  // namespace conch::recovery
