#include "check/recovery_model.hpp"

#include "catalog/classes.hpp"
#include "check/recovery_model_of.hpp"

namespace conch::check::group {

std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting,
                                  std::size_t bytes_max) {
  if (entry.about.use != Use::real) return nullptr;
  return with_real_algorithm(entry, [&]<class A>(std::type_identity<A>) -> std::unique_ptr<Model> {
    return std::make_unique<ModelOf<A>>(entry, setting, bytes_max);
  });
}

}  // namespace conch::check::group
