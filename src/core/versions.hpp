// The protocol versions that a build speaks. Two builds use the newest that both know, so the peers
// of a group can be upgraded one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/fields.hpp"

namespace conch {

struct Versions {
  std::uint32_t oldest = 0;
  std::uint32_t newest = 0;
  CONCH_FIELDS(Versions, oldest, newest)

  bool valid() const { return oldest <= newest; }
  bool contains(std::uint32_t version) const { return oldest <= version && version <= newest; }
};

/// The versions of this build. Any change to what is sent or how it is read needs a new version; a
/// build also speaks that of the release before it.
inline constexpr Versions spoken{1, 2};

/// The newest version that both know.
inline std::optional<std::uint32_t> common(const Versions& a, const Versions& b) {
  std::uint32_t version = std::min(a.newest, b.newest);
  if (version < std::max(a.oldest, b.oldest)) return std::nullopt;
  return version;
}

/// "version 3" or "versions 2 to 3".
std::string describe(const Versions& versions);

}  // namespace conch
