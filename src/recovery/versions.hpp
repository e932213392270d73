// Which versions of the protocol a build speaks. Two builds speak the newest that both know, so
// that the peers of a group can be replaced one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/fields.hpp"

namespace conch::recovery {

struct Versions {
  std::uint32_t oldest = 0;
  std::uint32_t newest = 0;
  CONCH_FIELDS(Versions, oldest, newest)

  bool valid() const { return oldest <= newest; }
  bool contains(std::uint32_t version) const { return oldest <= version && version <= newest; }
};

/// Those of this build. What is sent or read otherwise than before is a new version; a build speaks
/// that of the release before it, too.
Versions spoken();

/// The newest that both know.
inline std::optional<std::uint32_t> common(const Versions& a, const Versions& b) {
  std::uint32_t version = std::min(a.newest, b.newest);
  if (version < std::max(a.oldest, b.oldest)) return std::nullopt;
  return version;
}

/// "version 3" or "versions 2 to 3".
std::string describe(const Versions& versions);

}  // namespace conch::recovery
