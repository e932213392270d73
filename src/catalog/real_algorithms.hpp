// The algorithms that can run for real, by name: what recoveries are tried with.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"

namespace conch {

inline std::vector<std::string> real_algorithms() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog())
    if (entry.about.use == Use::real) names.emplace_back(entry.about.name);
  return names;
}

}  // namespace conch
