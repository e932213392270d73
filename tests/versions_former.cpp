// The version of the protocol that there was before this one.
#include "recovery/versions.hpp"

namespace conch::recovery {

Versions spoken() { return {1, 1}; }

}  // namespace conch::recovery
