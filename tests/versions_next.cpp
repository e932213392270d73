// The versions of the protocol of the next release, which speaks that of this one, too.
#include "recovery/versions.hpp"

namespace conch::recovery {

Versions spoken() { return {1, 2}; }

}  // namespace conch::recovery
