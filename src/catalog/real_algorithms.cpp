#include "catalog/real_algorithms.hpp"

#include "catalog/classes.hpp"
#include "recovery/algorithm_of.hpp"

namespace conch {

const recovery::AnyAlgorithm& algorithm_of(const CatalogEntry& entry) {
  return with_real_algorithm(entry,
                             []<class A>(std::type_identity<A>) -> const recovery::AnyAlgorithm& {
                               return recovery::algorithm_of<A>();
                             });
}

}  // namespace conch
