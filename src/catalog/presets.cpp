#include "catalog/presets.hpp"

namespace conch {

std::vector<CatalogEntry> presets() { return {}; }

}  // namespace conch
