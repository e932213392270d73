// The versions of the protocol of the next release, which speaks that of this one, too.
#include "recovery/versions.hpp"

namespace conch::recovery {

Versions spoken() { return {2, 3}; }

}  // namespace conch::recovery
