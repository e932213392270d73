// Names of the catalogue that are another name's class with a preset: variants, and specimens that
// do without one of its rules.
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

/// The same for an entry whose members are those it started with.
inline CatalogEntry fixed(CatalogEntry entry) {
  entry.can.dynamic = false;
  return entry;
}

/// The same without its queue.
inline CatalogEntry refusing(CatalogEntry entry) {
  entry.preset.queues = false;
  return entry;
}

/// A with a policy that does without one of its rules, and what that breaks.
template <Algorithm A, class P>
CatalogEntry specimen(std::string_view name, std::string_view source, std::string_view caught_by,
                      const Trap& caught_in = {}) {
  CatalogEntry entry = variant<A>(name, source, {.policy = policy<P>()});
  entry.about = broken(A::about, name, source, caught_by, caught_in);
  return entry;
}

/// In the order in which tables show them, each after its class.
std::vector<CatalogEntry> presets();

}  // namespace conch
