#include "node/charter.hpp"

#include "catalog/real_algorithms.hpp"

namespace conch::node {

recovery::Charter charter_of(const CatalogEntry& entry, const std::optional<unsigned>& eps,
                             const Tuning& tuning) {
  recovery::Charter charter{std::string(entry.about.name), &algorithm_of(entry),
                            entry.tuned(tuning)};
  charter.tuning.eps = entry.about.has_eps ? eps.value_or(default_eps) : 0;
  charter.insists_on_eps = eps.has_value();
  return charter;
}

}  // namespace conch::node
