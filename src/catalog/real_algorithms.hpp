// The algorithms that can run for real.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "recovery/algorithm.hpp"

namespace conch {

/// Their names: what recoveries are tried with.
inline std::vector<std::string> real_algorithms() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog())
    if (entry.about.is_sound()) names.emplace_back(entry.about.name);
  return names;
}

/// One of them, for what recovers its locks.
const recovery::AnyAlgorithm& algorithm_of(const CatalogEntry& entry);

}  // namespace conch
