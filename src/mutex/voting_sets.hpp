// Voting sets: the members that each member asks for its vote. Any two sets have a common member.
//
// A grid works for every number of members: a member's row and its column, about 2 sqrt(N). A
// finite projective plane is smaller, about sqrt(N), and fairer, but exists, for a prime q, only
// where N = q*q + q + 1: the members are its points, the sets its lines.
#pragma once

#include <optional>

#include "core/contract.hpp"
#include "core/flat_set.hpp"

namespace conch {

/// The prime q with q*q + q + 1 = `points`, if there is one.
std::optional<std::size_t> plane_order(std::size_t points);

/// The members whose votes let `self` enter, including itself. Automatic takes the plane if there
/// is one, else the grid. Throws std::invalid_argument if a plane is demanded and there is none.
FlatSet<NodeId> voting_set(const Members& members, NodeId self, VotingSetShape voting);

}  // namespace conch
