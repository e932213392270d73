// Tells which algorithms take which options. An option that would have no effect is refused.
#pragma once

#include <CLI/CLI.hpp>

#include "catalog/catalog.hpp"

namespace conch::lab_cli {

// Both throw BadText with the option, why the algorithm does not take it, and which algorithms do.

void refuse_needless_sim_options(const CLI::App& command, const CatalogEntry& entry);
void refuse_needless_check_options(const CLI::App& command, const CatalogEntry& entry,
                                   bool recovery);

}  // namespace conch::lab_cli
