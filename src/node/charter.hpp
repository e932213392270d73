// What a peer demands of the group that it joins.
#pragma once

#include <optional>

#include "catalog/catalog.hpp"
#include "recovery/view_protocol.hpp"

namespace conch::node {

/// The eps of a group whose founder does not choose one.
inline constexpr unsigned default_eps = 2;

/// The group must have this eps; without one, the peer takes over the group's.
recovery::Charter charter_of(const CatalogEntry& entry, const std::optional<unsigned>& eps = {},
                             const Tuning& tuning = {});

}  // namespace conch::node
