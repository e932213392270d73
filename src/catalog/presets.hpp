// Names of the catalogue that stand for another name's class with a preset: variants, and specimens
// without one of its rules.
#pragma once

#include <vector>

#include "catalog/classes.hpp"

namespace conch {

/// A variant of A under a name of its own.
template <Algorithm A>
CatalogEntry variant(std::string_view name, std::string_view source, const Preset& preset) {
  CatalogEntry entry{A::about, capabilities_of<A>(), A::about.name, preset};
  entry.about.name = name;
  entry.about.source = source;
  return entry;
}

/// The same entry, but its members neither join nor leave.
inline CatalogEntry fixed(CatalogEntry entry) {
  entry.can.dynamic = false;
  return entry;
}

/// The same entry, but without its queue.
inline CatalogEntry refusing(CatalogEntry entry) {
  entry.preset.queues = false;
  return entry;
}

/// A with a policy that lacks one of its rules, and the property that this breaks.
template <Algorithm A, class P>
CatalogEntry specimen(std::string_view name, std::string_view source, std::string_view caught_by,
                      const Trap& caught_in = {}) {
  CatalogEntry entry = variant<A>(name, source, {.policy = policy<P>()});
  entry.about = broken(A::about, name, source, caught_by, caught_in);
  return entry;
}

/// All presets. Tables show each after its class, in this order.
std::vector<CatalogEntry> presets();

}  // namespace conch
