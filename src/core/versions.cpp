#include "core/versions.hpp"

namespace conch {

std::string describe(const Versions& versions) {
  std::string oldest = std::to_string(versions.oldest);
  if (versions.oldest == versions.newest) return "version " + oldest;
  return "versions " + oldest + " to " + std::to_string(versions.newest);
}

}  // namespace conch
