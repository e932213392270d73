// The algorithms that can run for real.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "recovery/algorithm.hpp"

namespace conch {

/// Their names, for tests and simulations of recovery.
inline std::vector<std::string> real_algorithms() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog())
    if (entry.about.is_sound()) names.emplace_back(entry.about.name);
  return names;
}

/// The algorithm of an entry, in the form that recovery uses.
const recovery::AnyAlgorithm& algorithm_of(const CatalogEntry& entry);

}  // namespace conch
