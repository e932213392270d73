// Options for each command, drawn so that the command takes them and its promises hold for them:
// what docs/limits.md and the algorithms' own assumptions leave out is not drawn.
#pragma once

#include "catalog/catalog.hpp"
#include "core/random.hpp"
#include "explore/task.hpp"

namespace conch::explore {

Task draw_simulation(const CatalogEntry& entry, Random& random);
Task draw_community(const CatalogEntry& entry, Random& random);
Task draw_election(const CatalogEntry& entry, Random& random);
Task draw_handover(const CatalogEntry& entry, Random& random);
Task draw_survival(const CatalogEntry& entry, Random& random);
Task draw_ring_survival(const CatalogEntry& entry, Random& random);
Task draw_check(const CatalogEntry& entry, Random& random);
Task draw_recovery_check(const CatalogEntry& entry, Random& random);

}  // namespace conch::explore
