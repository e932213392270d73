// What a peer owes to the build that it is of. Tests have peers as of other releases, and such as
// decide otherwise, beside those of this one.
#pragma once

#include "core/versions.hpp"
#include "recovery/policy.hpp"

namespace conch::peer {

struct Build {
  Versions speaks = spoken;
  const recovery::RecoveryPolicy* policy = conch::policy<recovery::RecoveryPolicy>();
};

}  // namespace conch::peer
