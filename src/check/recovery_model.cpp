#include "check/recovery_model.hpp"

#include "check/recovery_model_of.hpp"

namespace conch::check::group {

std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting) {
  return with_algorithm(entry, [&]<class A>(std::type_identity<A>) -> std::unique_ptr<Model> {
    if constexpr (A::about.use == Use::real)
      return std::make_unique<ModelOf<A>>(entry, setting);
    else
      return nullptr;
  });
}

}  // namespace conch::check::group
