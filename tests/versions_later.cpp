// The versions of the protocol of a later release, which has forgotten that of this one.
#include "recovery/versions.hpp"

namespace conch::recovery {

Versions spoken() { return {3, 4}; }

}  // namespace conch::recovery
