// Draws options for each command, such that the command takes them and its promises hold for them:
// nothing that docs/limits.md or an algorithm's own assumptions exclude.
#pragma once

#include "catalog/catalog.hpp"
#include "core/random.hpp"
#include "explore/task.hpp"

namespace conch::explore {

Task draw_simulation(const CatalogEntry& entry, Random& random);
Task draw_overlay(const CatalogEntry& entry, Random& random);
Task draw_election(const CatalogEntry& entry, Random& random);
Task draw_handover(const CatalogEntry& entry, Random& random);
Task draw_survival(const CatalogEntry& entry, Random& random);
Task draw_ring_survival(const CatalogEntry& entry, Random& random);
Task draw_check(const CatalogEntry& entry, Random& random);
Task draw_recovery_check(const CatalogEntry& entry, Random& random);

}  // namespace conch::explore
