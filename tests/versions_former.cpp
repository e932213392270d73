// The versions of the protocol of the release before this one.
#include "recovery/versions.hpp"

namespace conch::recovery {

Versions spoken() { return {1, 1}; }

}  // namespace conch::recovery
