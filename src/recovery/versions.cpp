#include "recovery/versions.hpp"

namespace conch::recovery {

/// Weak, so that a test can be a build that speaks others.
[[gnu::weak]] Versions spoken() { return {1, 2}; }

std::string describe(const Versions& versions) {
  std::string oldest = std::to_string(versions.oldest);
  if (versions.oldest == versions.newest) return "version " + oldest;
  return "versions " + oldest + " to " + std::to_string(versions.newest);
}

}  // namespace conch::recovery
