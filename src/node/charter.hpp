// What a peer wants of the group that it comes to.
#pragma once

#include <optional>

#include "catalog/catalog.hpp"
#include "recovery/participant.hpp"

namespace conch::node {

/// The eps of a group whose founder does not choose one.
inline constexpr unsigned default_eps = 2;

/// The group must have this eps; without one, the peer takes over whatever the group has.
recovery::Charter charter_of(const CatalogEntry& entry, const std::optional<unsigned>& eps = {},
                             const Tuning& tuning = {});

/// Always none; specimens of peers, which tests must catch, have a definition of their own.
recovery::Rule rule_left_out();

}  // namespace conch::node
