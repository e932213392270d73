// Whom a member asks for its vote: sets of which any two have a member in common.
//
// A grid works for every number of members: a member's row and its column, about 2 sqrt(N). A
// finite projective plane is smaller, about sqrt(N), and fairer, but exists, for a prime q, only
// where N = q*q + q + 1: the members are its points, the sets its lines.
#pragma once

#include <optional>

#include "core/contract.hpp"
#include "core/flat_set.hpp"

namespace conch {

/// The prime q whose projective plane has this many points, if there is one.
std::optional<std::size_t> plane_order(std::size_t points);

/// The members whose votes let `self` enter, itself among them. Automatic is the plane where there
/// is one and else the grid. Throws std::invalid_argument where there is no plane and one is
/// wanted.
FlatSet<NodeId> voting_set(const Members& members, NodeId self, Voting voting);

}  // namespace conch
